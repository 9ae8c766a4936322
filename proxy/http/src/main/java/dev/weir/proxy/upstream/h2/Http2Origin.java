package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.exchange.ServiceSide;
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
 * A service of HTTP/2, as an event loop's exchanges find it: in two pools, so that clients whose
 * streams are often reset have connections of their own. A service that counts resets ends the
 * connection that they come on, with all who share it.
 */
public final class Http2Origin implements Origin {
  private final UpstreamLoop loop;
  private final ClientResets resets = new ClientResets();
  private final Http2Pool shared;
  private final Http2Pool apart;
  private Http2Pool opener;

  public Http2Origin(
      UpstreamLoop loop, UpstreamEndpoint endpoint, Http2Loop http2, Http2Observer observer) {
    this(
        loop,
        http2,
        observer,
        new Http2Messages(endpoint.authority(), endpoint.tls() != null),
        handlers -> new UpstreamConnector(loop, endpoint, handlers)::connect);
  }

  /**
   * @param connector gives, for what makes the handlers of channels, who makes connections.
   */
  Http2Origin(
      UpstreamLoop loop,
      Http2Loop http2,
      Http2Observer observer,
      Http2Messages messages,
      Function<Function<Channel, ChannelHandler>, Consumer<UpstreamConnector.Attempt>> connector) {
    this.loop = loop;
    Http2UpstreamLoop ofBoth = new Http2UpstreamLoop(loop, http2, observer, messages, resets);
    shared = new Http2Pool(ofBoth, connector);
    apart = new Http2Pool(ofBoth, connector);
    opener = shared;
  }

  private Http2Pool of(long client) {
    return resets.areMany(client, loop.clock().nowNs()) ? apart : shared;
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return of(client).isFull(client, upgrade);
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
    shared.encode(incoming, out);
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    opener = of(client);
    return opener.open(request, client);
  }

  @Override
  public ServiceSide opened() {
    return opener.opened();
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

  /** Names who takes connections over which HTTP/1.1 was agreed on. */
  void onHttp1(Http2Connections.OtherPool pool) {
    shared.onHttp1(pool);
    apart.onHttp1(pool);
  }

  /** Whether there is a connection, so that the service is known to speak HTTP/2. */
  boolean isSettled() {
    return shared.isSettled() || apart.isSettled();
  }

  /** Hands all requests over that wait. */
  void handOver(Http2Pool.Taker taker) {
    shared.handOver(taker);
    apart.handOver(taker);
  }
}
