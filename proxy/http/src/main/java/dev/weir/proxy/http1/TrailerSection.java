package dev.weir.proxy.http1;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The trailer fields of a chunked body (RFC 9112, section 7.1.2). One per event loop; valid until
 * the next {@link #read}.
 */
public final class TrailerSection {
  private final RequestView fields;
  private final FieldLine field = new FieldLine();
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);

  /**
   * @param maxFieldCount the most fields; further ones are dropped.
   */
  public TrailerSection(int maxFieldCount) {
    fields = new RequestView(maxFieldCount);
  }

  /**
   * Reads complete lines, as {@link ChunkScanner#TRAILER} has returned them; the fields refer to
   * these bytes.
   */
  public RequestView read(ByteBuf lines) {
    ChannelIo.view(lines, window);
    int length = window.capacity();
    fields.reset(window, 0, length, Peer.LOOPBACK);
    int at = 0;
    while (at < length) {
      int end = field.scan(fields.bytes(), at, length);
      assert end > 0 : "the scanner has passed a line that is none";
      if (!fields.addField(at, field.nameLength(), field.valueOffset(), field.valueLength())) {
        break;
      }
      at = end;
    }
    return fields;
  }
}
