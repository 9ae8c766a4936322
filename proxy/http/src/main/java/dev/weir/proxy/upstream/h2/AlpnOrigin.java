package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.exchange.EncodedHead;
import dev.weir.proxy.exchange.IncomingRequest;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.ProxiedRequest;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.upstream.UpstreamPool;
import io.netty.channel.Channel;
import java.net.SocketAddress;

/**
 * A service over TLS, which says in the handshake whether it speaks HTTP/2. The pool of HTTP/2
 * opens the first connection. If HTTP/1.1 is agreed on, the pool of HTTP/1.1 takes that connection
 * and all requests, as long as it has a connection; after that HTTP/2 is tried again.
 *
 * <p>Until the protocol is known, a head is encoded for both, and the body comes as content alone,
 * which both can frame.
 */
public final class AlpnOrigin implements Origin {
  /** The protocol of HTTP/2 over TLS, as ALPN names it. */
  static final String HTTP2 = "h2";

  private final Http2Origin http2;
  private final UpstreamPool http1;
  private boolean isHttp1;

  /** Chooses between two pools for one service. */
  public AlpnOrigin(Http2Origin http2, UpstreamPool http1) {
    this.http2 = http2;
    this.http1 = http1;
    http2.mayBeHttp1(this);
  }

  /** HTTP/1.1 was agreed on for a connection of the HTTP/2 pool. */
  void agreedOnHttp1(Channel channel, SocketAddress[] targets) {
    isHttp1 = true;
    http1.adopt(channel, targets);
    http2.handOver();
  }

  /** A request has waited for an HTTP/2 connection in vain. */
  void openHttp1(ProxiedRequest request, long client) {
    Opening opening = http1.open(request, client);
    if (opening.side() != null) {
      request.opened(opening.side());
    } else if (opening == Pending.BUSY) {
      request.serviceReset(RefusalReason.UPSTREAM_BUSY);
    }
  }

  private Origin current() {
    return isHttp1 ? http1 : http2;
  }

  @Override
  public boolean isFull(long client, boolean upgrade) {
    return current().isFull(client, upgrade);
  }

  @Override
  public boolean multiplexes() {
    return current().multiplexes();
  }

  @Override
  public boolean isScarce() {
    return current().isScarce();
  }

  @Override
  public void encode(IncomingRequest head, EncodedHead out) {
    if (isHttp1 && http1.isUnused()) {
      isHttp1 = false; // it may speak HTTP/2 by now
    }
    current().encode(head, out);
    if (!isHttp1 && !http2.isSettled()) {
      http1.encodeOther(head, out);
    }
  }

  @Override
  public Opening open(ProxiedRequest request, long client) {
    Origin origin = request.encoded().isBlock() ? current() : http1;
    return origin.open(request, client);
  }

  @Override
  public void forget(ProxiedRequest request) {
    http2.forget(request);
    http1.forget(request);
  }

  @Override
  public void closeIdle() {
    http2.closeIdle();
    http1.closeIdle();
  }
}
