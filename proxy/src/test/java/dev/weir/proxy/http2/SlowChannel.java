package dev.weir.proxy.http2;

import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.embedded.EmbeddedChannel;

/** A channel whose peer takes nothing while it is told not to. */
final class SlowChannel extends EmbeddedChannel {
  boolean takes = true;

  @Override
  protected void doWrite(ChannelOutboundBuffer unsent) throws Exception {
    if (takes) {
      super.doWrite(unsent);
    }
  }
}
