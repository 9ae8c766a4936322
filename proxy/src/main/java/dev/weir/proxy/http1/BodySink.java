package dev.weir.proxy.http1;

import io.netty.buffer.ByteBuf;

/** Takes a request's body, framed as it came. */
public interface BodySink {
  /** Takes over {@code bytes} of the body. */
  void writeBody(ByteBuf bytes);
}
