package dev.weir.proxy.downstream.h2;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.exchange.RequestLoop;
import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.http2.message.TrailerSection;
import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.TrafficObserver;

/** The parts that HTTP/2 connections of one event loop's clients share. Used by that loop only. */
public final class Http2ClientLoop {
  /** The most unused exchanges that are kept for later requests. */
  static final int MAX_KEPT = 1_000;

  final ClientLoop clients;
  final RequestLoop requests;
  final TrafficObserver observer;
  final RequestHead head;
  final TrailerSection trailers;
  final Http2Answers answers;
  final Http2Observer connectionObserver;
  final StreamRouter router;
  private final Http2Loop connections;
  private final FreeList<Http2Exchange> free =
      new FreeList<>(MAX_KEPT, () -> new Http2Exchange(this));

  /**
   * @param connections what all HTTP/2 connections share.
   * @param connectionObserver of those with clients.
   * @param router of their streams.
   */
  public Http2ClientLoop(
      ClientLoop clients,
      Http2Loop connections,
      Http2Observer connectionObserver,
      StreamRouter router) {
    this.clients = clients;
    this.connections = connections;
    this.connectionObserver = connectionObserver;
    this.requests = clients.requests;
    this.observer = clients.observer;
    this.router = router;
    ClientCaps caps = clients.settings.caps();
    head = new RequestHead(caps.fieldCount(), caps.targetBytes(), requests.forwards());
    trailers = new TrailerSection(caps.fieldCount());
    answers = new Http2Answers(clients.settings.answers(), clients.date);
  }

  Http2Loop connections() {
    return connections;
  }

  /** The protocol label of a request with that content type. */
  static Protocol protocol(GrpcContentType type) {
    return type == GrpcContentType.NONE ? Protocol.HTTP2 : Protocol.GRPC;
  }

  /** An exchange for a new stream. */
  Http2Exchange take() {
    return free.take();
  }

  /** Takes back an exchange whose stream has been released. */
  void give(Http2Exchange exchange) {
    if (!free.give(exchange)) {
      exchange.leave();
    }
  }
}
