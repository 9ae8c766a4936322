package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.tls.UpstreamTls;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.ChannelOption;
import io.netty.channel.ReflectiveChannelFactory;
import java.net.SocketAddress;

/**
 * The service, for connections in one protocol.
 *
 * @param channels makes the channel of each connection.
 * @param silentHostMs the channels' option that {@link Transport#silentHostMs} describes; null if
 *     they have none.
 * @param authority for Host or {@code :authority}, if a client gave none.
 * @param tls to the service; null for plain connections.
 */
public record UpstreamEndpoint(
    ChannelFactory<? extends Channel> channels,
    ChannelOption<Integer> silentHostMs,
    String authority,
    UpstreamTls tls) {

  /** The service at an address, over sockets. */
  public UpstreamEndpoint(
      Transport transport, SocketAddress address, String authority, UpstreamTls tls) {
    this(
        new ReflectiveChannelFactory<>(transport.clientChannel(address)),
        transport.silentHostMs(),
        authority,
        tls);
  }
}
