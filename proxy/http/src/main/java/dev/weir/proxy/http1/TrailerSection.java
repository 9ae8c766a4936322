package dev.weir.proxy.http1;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The trailer fields behind a chunked body (RFC 9112, section 7.1.2), as fields. One per event
 * loop; what it says is valid until the next {@link #read}.
 */
public final class TrailerSection {
  private final RequestView fields;
  private final FieldLine field = new FieldLine();
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);

  /**
   * @param maxFieldCount the most fields; those behind them are left out.
   */
  public TrailerSection(int maxFieldCount) {
    fields = new RequestView(maxFieldCount);
  }

  /** Reads whole lines, as {@link ChunkScanner#TRAILER} has passed them; they hold the bytes. */
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
