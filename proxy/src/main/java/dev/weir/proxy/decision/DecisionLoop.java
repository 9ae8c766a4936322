package dev.weir.proxy.decision;

import dev.weir.proxy.client.ClientLoop;
import dev.weir.proxy.client.ClientSettings;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.Http2Observer;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.request.TrafficObserver;
import java.util.List;

/** The decision API on one event loop: its methods, its endpoints, and its clients' connections. */
public final class DecisionLoop {
  private final ClientLoop clients;

  /**
   * @param methods of gRPC, each with a path of its own.
   * @param endpoints of HTTP, of which the first counts that takes a request.
   * @param traffic is told of connections.
   */
  public DecisionLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      Http2Loop http2,
      List<GrpcMethod> methods,
      List<HttpEndpoint> endpoints,
      Tokens tokens,
      DecisionObserver observer,
      TrafficObserver traffic,
      Http2Observer http2Observer) {
    GrpcMethods byPath = new GrpcMethods(methods);
    GrpcCalls calls =
        new GrpcCalls(
            byPath,
            tokens,
            observer,
            clock,
            deadlines,
            http2.turnEnd(),
            settings.timeouts().bodyIdleNs());
    EndpointOrigin origin =
        new EndpointOrigin(
            endpoints,
            byPath,
            tokens,
            observer,
            clock,
            http2.turnEnd(),
            settings.caps().fieldCount());
    clients =
        new ClientLoop(
            settings,
            clock,
            deadlines,
            new Unlimited(),
            origin,
            request -> ClientKey.NONE,
            traffic,
            http2,
            http2Observer,
            calls);
  }

  /** Its clients. */
  public ClientLoop clients() {
    return clients;
  }
}
