package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamEndpoint;
import dev.weir.proxy.upstream.UpstreamLoop;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * A service of HTTP/2, for the exchanges of one event loop: two pools, so that clients whose
 * streams are often reset have separate connections. A service that counts resets would end the
 * connection for all who share it.
 */
public final class Http2Origin implements Origin {
  private final Http2UpstreamLoop http2Loop;
  private final Http2Pool shared;
  private final Http2Pool apart;

  public Http2Origin(
      UpstreamLoop loop, UpstreamEndpoint endpoint, Http2Loop http2Loop, Http2Observer observer) {
    this(
        loop,
        http2Loop,
        observer,
        new Http2Messages(endpoint.authority(), endpoint.tls() != null),
        handlers -> new UpstreamConnector(loop, endpoint, handlers)::connect);
  }

  /**
   * @param connector makes the connector from the maker of handlers.
   */
  Http2Origin(
      UpstreamLoop loop,
      Http2Loop connections,
      Http2Observer observer,
      Http2Messages messages,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    http2Loop = new Http2UpstreamLoop(loop, connections, observer, messages);
    shared = new Http2Pool(http2Loop, connector);
    apart = new Http2Pool(http2Loop, connector);
  }

  private Http2Pool of(long client) {
    return http2Loop.resets.areMany(client, http2Loop.nowNs()) ? apart : shared;
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return of(client).isFull(client);
  }

  @Override
  public boolean multiplexes() {
    return true;
  }

  @Override
  public boolean isScarce() {
    return shared.isScarce();
  }

  @Override
  public void encode(IncomingRequest incoming, EncodedHead out) {
    http2Loop.messages.encode(incoming, out);
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    return of(client).open(request, client);
  }

  @Override
  public void forget(ProxiedRequest request) {
    shared.forget(request);
    apart.forget(request);
  }

  @Override
  public void closeIdle() {
    shared.closeIdle();
    apart.closeIdle();
  }

  /** Sets who takes over connections on which HTTP/1.1 is agreed on. */
  void mayBeHttp1(AlpnOrigin alpn) {
    http2Loop.alpn = alpn;
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return shared.isSettled() || apart.isSettled();
  }

  /** Passes all waiting requests to the pool of HTTP/1.1. */
  void handOver() {
    shared.handOver();
    apart.handOver();
  }
}
