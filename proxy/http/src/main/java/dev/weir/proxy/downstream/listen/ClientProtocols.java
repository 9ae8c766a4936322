package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.h1.Http1ClientLoop;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.Http2ClientLoop;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.request.Http2Observer;

/**
 * The versions of HTTP that the clients of one event loop may speak, each with what its connections
 * share. Used by that loop only.
 */
public final class ClientProtocols {
  public final ClientLoop clients;
  public final Http1ClientLoop http1;
  final Http2ClientLoop http2;

  /**
   * @param memory which the clients of other listeners of the event loop share.
   * @param connections what all connections of HTTP/2 share.
   * @param observer is told of those with clients.
   * @param router of their streams.
   */
  public ClientProtocols(
      ClientLoop clients,
      Http1Memory memory,
      Http2Loop connections,
      Http2Observer observer,
      StreamRouter router) {
    this.clients = clients;
    http1 = new Http1ClientLoop(clients, memory);
    http2 = new Http2ClientLoop(clients, connections, observer, router);
  }
}
