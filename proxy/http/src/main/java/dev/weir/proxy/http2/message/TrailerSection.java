package dev.weir.proxy.http2.message;

import dev.weir.proxy.exchange.FieldPolicy;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;

/**
 * The trailer fields behind a message's content (RFC 9113, section 8.1), but for those that may not
 * stand there. One per event loop; what it says is valid as long as the block's fields are.
 */
public final class TrailerSection {
  private final RequestView fields;

  /**
   * @param maxFieldCount the most fields.
   */
  public TrailerSection(int maxFieldCount) {
    fields = new RequestView(maxFieldCount);
  }

  /** Reads the fields of a block that is no larger than may be. */
  public RequestView read(FieldBlock block) {
    fields.reset(block.bytes(), 0, block.bytes().capacity(), Peer.LOOPBACK);
    for (int i = 0; i < block.count(); i++) {
      int name = block.nameOffset(i);
      int nameLength = block.nameLength(i);
      if (FieldPolicy.mayTrail(block.bytes(), name, nameLength)) {
        fields.addField(name, nameLength, block.valueOffset(i), block.valueLength(i));
      }
    }
    return fields;
  }
}
