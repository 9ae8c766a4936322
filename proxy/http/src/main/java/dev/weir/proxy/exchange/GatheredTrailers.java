package dev.weir.proxy.exchange;

import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Trailers of a request that has no connection yet: a copy, as the bytes they came in do not stay.
 * Most requests have none, and then it holds nothing.
 */
final class GatheredTrailers {
  private RequestView fields;
  private UnsafeBuffer window;
  private ByteBuf bytes;

  /** Copies {@code incoming}, without the fields that it omits. */
  void copy(RequestView incoming) {
    int length = 0;
    for (int i = 0; i < incoming.fieldCount(); i++) {
      length += incoming.nameLength(i) + incoming.valueLength(i);
    }
    discard();
    bytes = ByteBufAllocator.DEFAULT.directBuffer(Math.max(1, length));
    bytes.setIndex(0, length);
    if (window == null) {
      window = new UnsafeBuffer(0, 0);
    }
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

  /** The trailers, valid until they are discarded; null if there are none. */
  RequestView fields() {
    return bytes == null ? null : fields;
  }

  void discard() {
    if (bytes != null) {
      bytes.release();
      bytes = null;
    }
  }
}
