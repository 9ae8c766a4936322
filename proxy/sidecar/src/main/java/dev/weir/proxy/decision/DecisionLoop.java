package dev.weir.proxy.decision;

import dev.weir.proxy.decision.grpc.GrpcCalls;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.grpc.GrpcMethods;
import dev.weir.proxy.decision.http.DecisionParts;
import dev.weir.proxy.decision.http.EndpointOrigin;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TrafficObserver;
import java.util.List;

/**
 * The decision API on one event loop: its gRPC methods, its HTTP endpoints, and its clients'
 * connections.
 */
public final class DecisionLoop {
  private final GrpcMethods methods;
  private final ClientProtocols clients;

  /**
   * @param memory bytes of the heap that clients may take.
   * @param methods of gRPC, each with a path of its own, without health and reflection.
   * @param endpoints of HTTP; the first one that matches takes a request.
   * @param traffic observes connections.
   */
  public DecisionLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      ClientShares memory,
      Http1Memory http1,
      Http2Loop http2,
      List<GrpcMethod> methods,
      List<HttpEndpoint> endpoints,
      Tokens tokens,
      DecisionObserver observer,
      TrafficObserver traffic,
      Http2Observer http2Observer) {
    this.methods = new GrpcMethods(methods);
    DecisionParts parts = new DecisionParts(tokens, observer, clock, deadlines, http2.turnEnd());
    EndpointOrigin origin =
        new EndpointOrigin(endpoints, this::isGrpcMethod, parts, settings.caps().fieldCount());
    GrpcCalls calls = new GrpcCalls(this.methods, origin, parts, settings.timeouts().bodyIdleNs());
    clients =
        new ClientProtocols(
            new ClientLoop(
                settings,
                clock,
                deadlines,
                memory,
                new Unlimited(),
                origin,
                request -> ClientKey.NONE,
                traffic),
            http1,
            http2,
            http2Observer,
            calls);
  }

  private boolean isGrpcMethod(RequestView request) {
    return methods.find(request.bytes(), request.pathOffset(), request.pathLength()) != null;
  }

  /** Reports to health checks and watches that the process is about to end. */
  public void stopServing() {
    methods.stopServing();
  }

  /** Its clients. */
  public ClientProtocols clients() {
    return clients;
  }
}
