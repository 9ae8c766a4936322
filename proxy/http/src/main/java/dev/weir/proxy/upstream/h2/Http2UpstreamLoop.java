package dev.weir.proxy.upstream.h2;

import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.upstream.UpstreamLoop;

/** The parts that both pools of one event loop for a service of HTTP/2 share. */
final class Http2UpstreamLoop {
  final UpstreamLoop upstream;

  /** Shared with the connections of clients. */
  final Http2Loop connections;

  final Http2Observer observer;
  final Http2Messages messages;

  /** Resets of their clients' streams. */
  final ClientResets resets = new ClientResets();

  final UpstreamTurn turn;

  /** Takes over connections on which HTTP/1.1 was agreed on; null if all speak HTTP/2. */
  AlpnOrigin alpn;

  Http2UpstreamLoop(
      UpstreamLoop upstream,
      Http2Loop connections,
      Http2Observer observer,
      Http2Messages messages) {
    this.upstream = upstream;
    this.connections = connections;
    this.observer = observer;
    this.messages = messages;
    turn = new UpstreamTurn(connections.turnEnd());
  }

  long nowNs() {
    return upstream.clock().nowNs();
  }
}
