package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.loop.ChannelIo;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;

/** Lets clients in as the first listener of some settings does, but for the socket. */
public final class AcceptedClients {
  private final AcceptedConnections connections;
  private final ConnectionCaps caps;

  public AcceptedClients(ClientSettings settings, int ipv6Prefix) {
    caps = new ConnectionCaps(settings.caps(), ipv6Prefix);
    connections =
        new AcceptedConnections(
            settings.listeners().get(0),
            null,
            address -> false,
            caps,
            AcceptedConnections.handshakes(settings.caps(), ipv6Prefix));
  }

  /** Takes a channel that was accepted; within its registration. */
  public void accepted(ClientProtocols protocols, Channel channel) {
    channel.config().setOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ChannelIo.WATER_MARK);
    channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    connections.accepted(protocols, channel);
  }
}
