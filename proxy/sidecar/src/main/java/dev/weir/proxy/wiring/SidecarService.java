package dev.weir.proxy.wiring;

import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.loop.Addresses;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.tls.UpstreamTls;
import dev.weir.proxy.upstream.UpstreamAddresses;
import dev.weir.proxy.upstream.UpstreamEndpoint;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.UpstreamPool;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.upstream.h2.AlpnOrigin;
import dev.weir.proxy.upstream.h2.Http2Origin;
import java.io.IOException;
import java.net.InetSocketAddress;

/** The service that a sidecar stands in front of: where it is, and its side of each event loop. */
public final class SidecarService implements AutoCloseable {
  private final UpstreamSettings settings;
  private final Transport transport;
  private final SidecarTls tls;
  private final UpstreamAddresses addresses;

  /**
   * Resolves the service's address.
   *
   * @throws IOException if that fails.
   */
  SidecarService(UpstreamSettings settings, Transport transport, SidecarTls tls)
      throws IOException {
    this.settings = settings;
    this.transport = transport;
    this.tls = tls;
    addresses = new UpstreamAddresses(settings.address(), transport);
  }

  /** Makes its side of an event loop, in the protocol that it is spoken to in. */
  Origin origin(LoopParts parts) {
    UpstreamLoop loop =
        new UpstreamLoop(
            settings,
            addresses,
            parts.eventLoop(),
            parts.clock(),
            parts.deadlines(),
            parts.metrics());
    return switch (settings.protocol()) {
      case HTTP1 -> http1(loop);
      case H2C -> http2(loop, parts);
      case HTTPS -> new AlpnOrigin(http2(loop, parts), http1(loop));
    };
  }

  private UpstreamPool http1(UpstreamLoop loop) {
    return new UpstreamPool(loop, endpoint(tls.ofHttp1Service()));
  }

  private Http2Origin http2(UpstreamLoop loop, LoopParts parts) {
    return new Http2Origin(
        loop, endpoint(tls.ofService()), parts.http2(), parts.metrics().http2Services());
  }

  private UpstreamEndpoint endpoint(UpstreamTls serviceTls) {
    return new UpstreamEndpoint(transport, settings.address(), authority(), serviceTls);
  }

  /** The Host of requests whose clients gave none. */
  private String authority() {
    return settings.address() instanceof InetSocketAddress inet
        ? Addresses.text(inet)
        : "localhost";
  }

  /** Looks its address up no more. */
  @Override
  public void close() {
    addresses.close();
  }
}
