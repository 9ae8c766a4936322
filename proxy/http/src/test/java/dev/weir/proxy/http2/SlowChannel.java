package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;

/** A channel whose peer takes nothing while it is told not to, or so much and no more. */
final class SlowChannel extends EmbeddedChannel {
  boolean takes = true;

  @Override
  protected void doWrite(ChannelOutboundBuffer unsent) throws Exception {
    if (takes) {
      super.doWrite(unsent);
    }
  }

  /** Takes up to so many bytes of what waits, from however many buffers. */
  void take(int bytes) {
    final ChannelOutboundBuffer unsent = unsafe().outboundBuffer();
    int left = bytes;
    while (left > 0 && unsent.current() instanceof ByteBuf buffer) {
      final int part = Math.min(left, buffer.readableBytes());
      outboundMessages().add(buffer.copy(buffer.readerIndex(), part));
      unsent.removeBytes(part);
      left -= part;
    }
    runPendingTasks();
  }
}
