package dev.weir.proxy.downstream;

import dev.weir.proxy.request.Peer;
import io.netty.channel.embedded.EmbeddedChannel;

/** Lets connections in that no socket has accepted. */
public final class EmbeddedClient {
  private EmbeddedClient() {}

  /** Connects, and says nothing. */
  public static void connect(ClientLoop loop, EmbeddedChannel channel, Peer peer) {
    channel.pipeline().addLast(new ProtocolChoice(loop, channel, peer, loop.memory.of(null)));
    channel.pipeline().fireChannelActive();
  }
}
