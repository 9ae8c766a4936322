package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A copy of a request's trailers that have to wait, as the buffer they came in is reused. Made when
 * needed; most requests have no trailers.
 */
final class GatheredTrailers {
  private final RequestView fields;
  private final UnsafeBuffer window = new UnsafeBuffer(0, 0);
  private final ByteBuf bytes;

  /** Copies {@code incoming}, without the fields that it omits. */
  GatheredTrailers(RequestView incoming) {
    int length = incoming.fieldBytes(0);
    bytes = ByteBufAllocator.DEFAULT.directBuffer(Math.max(1, length));
    bytes.setIndex(0, length);
    ChannelIo.view(bytes, window);
    fields = new RequestView(incoming.fieldCount());
    fields.reset(window, 0, length, incoming.peer());
    int at = 0;
    for (int i = 0; i < incoming.fieldCount(); i++) {
      if (!incoming.omits(i)) {
        at = copyField(incoming, i, at);
      }
    }
  }

  private int copyField(RequestView incoming, int index, int at) {
    DirectBuffer from = incoming.bytes();
    int nameLength = incoming.nameLength(index);
    int valueAt = at + nameLength;
    int valueLength = incoming.valueLength(index);
    window.putBytes(at, from, incoming.nameOffset(index), nameLength);
    window.putBytes(valueAt, from, incoming.valueOffset(index), valueLength);
    fields.addField(at, nameLength, valueAt, valueLength);
    return valueAt + valueLength;
  }

  /** The trailers, valid until they are discarded. */
  RequestView fields() {
    return fields;
  }

  void discard() {
    bytes.release();
  }
}
