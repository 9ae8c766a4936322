package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.request.Peer;
import io.netty.channel.embedded.EmbeddedChannel;

/** Lets connections in that no socket has accepted. */
public final class EmbeddedClient {
  private EmbeddedClient() {}

  /** Connects, and says nothing. */
  public static void connect(ClientProtocols protocols, EmbeddedChannel channel, Peer peer) {
    connect(protocols, channel, peer, (Object) null);
  }

  /**
   * Connects, and says nothing.
   *
   * @param client whom the connection is counted for; null if many may stand there.
   */
  public static void connect(
      ClientProtocols protocols, EmbeddedChannel channel, Peer peer, Object client) {
    ClientShares.Share memory = protocols.clients.memory.of(client);
    memory.take(ClientLoop.CONNECTION_BYTES);
    channel.closeFuture().addListener(closed -> memory.give(ClientLoop.CONNECTION_BYTES));
    connect(protocols, channel, peer, memory);
  }

  /**
   * Connects, and says nothing.
   *
   * @param memory of its client, which has paid for the connection.
   */
  public static void connect(
      ClientProtocols protocols, EmbeddedChannel channel, Peer peer, ClientShares.Share memory) {
    channel.pipeline().addLast(new ProtocolChoice(protocols, channel, peer, memory));
    channel.pipeline().fireChannelActive();
  }
}
