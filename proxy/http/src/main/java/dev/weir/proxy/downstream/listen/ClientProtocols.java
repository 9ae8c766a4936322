package dev.weir.proxy.downstream.listen;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.h1.Http1ClientLoop;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.Http2ClientLoop;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.request.Http2Observer;

/**
 * The versions of HTTP that clients of one event loop may speak, with what the connections of each
 * share. Used by that loop only.
 */
public final class ClientProtocols {
  public final ClientLoop clients;
  public final Http1ClientLoop http1;
  final Http2ClientLoop http2;

  /**
   * @param memory shared with clients of the event loop's other listeners.
   * @param connections what all HTTP/2 connections share.
   * @param observer of HTTP/2 connections with clients.
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
