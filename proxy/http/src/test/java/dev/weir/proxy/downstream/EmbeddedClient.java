package dev.weir.proxy.downstream;

import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Peer;
import io.netty.channel.embedded.EmbeddedChannel;

/** Lets connections in that no socket has accepted. */
public final class EmbeddedClient {
  private EmbeddedClient() {}

  /** Connects, and says nothing. */
  public static void connect(ClientLoop loop, EmbeddedChannel channel, Peer peer) {
    connect(loop, channel, peer, null);
  }

  /**
   * Connects, and says nothing.
   *
   * @param client whom the connection is counted for; null if many may stand there.
   */
  public static void connect(ClientLoop loop, EmbeddedChannel channel, Peer peer, Object client) {
    ClientShares.Share memory = loop.memory.of(client);
    memory.take(ClientLoop.CONNECTION_BYTES);
    channel.closeFuture().addListener(closed -> memory.give(ClientLoop.CONNECTION_BYTES));
    channel.pipeline().addLast(new ProtocolChoice(loop, channel, peer, memory));
    channel.pipeline().fireChannelActive();
  }
}
