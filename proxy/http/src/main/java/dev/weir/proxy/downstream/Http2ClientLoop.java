package dev.weir.proxy.downstream;

import dev.weir.proxy.grpc.GrpcContentType;
import dev.weir.proxy.http.CurrentDate;
import dev.weir.proxy.http.RequestLoop;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.http2.message.TrailerSection;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.TrafficObserver;
import java.util.ArrayDeque;

/**
 * What the client connections of one event loop that speak HTTP/2 share. Used by that loop only.
 */
final class Http2ClientLoop {
  /** So many exchanges are kept for later requests; what a peak has more of is let go of. */
  static final int MAX_KEPT = 1_000;

  final RequestLoop requests;
  final TrafficObserver observer;
  final RequestHead head;
  final TrailerSection trailers;
  final Http2Answers answers;
  final Http2Observer connectionObserver;
  final StreamRouter router;
  private final Http2Loop connections;
  private final ArrayDeque<Http2Exchange> free = new ArrayDeque<>();

  Http2ClientLoop(
      ClientSettings settings,
      Http2Loop connections,
      Http2Observer connectionObserver,
      RequestLoop requests,
      TrafficObserver observer,
      CurrentDate date,
      StreamRouter router) {
    this.connections = connections;
    this.connectionObserver = connectionObserver;
    this.requests = requests;
    this.observer = observer;
    this.router = router;
    head =
        new RequestHead(
            settings.caps().fieldCount(), settings.caps().targetBytes(), requests.forwards());
    trailers = new TrailerSection(settings.caps().fieldCount());
    answers = new Http2Answers(settings.answers(), date);
  }

  Http2Loop connections() {
    return connections;
  }

  /** As figures tell a request of that type apart. */
  static Protocol protocol(GrpcContentType type) {
    return type == GrpcContentType.NONE ? Protocol.HTTP2 : Protocol.GRPC;
  }

  /** An exchange for a new stream. */
  Http2Exchange take() {
    Http2Exchange exchange = free.pollLast();
    return exchange == null ? new Http2Exchange(this) : exchange;
  }

  /** Takes back one whose stream has been released. */
  void give(Http2Exchange exchange) {
    if (free.size() < MAX_KEPT) {
      free.addLast(exchange);
    } else {
      exchange.leave();
    }
  }
}
