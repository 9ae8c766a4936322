package dev.weir.proxy.decision;

import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.request.Http2Observer;
import dev.weir.proxy.request.TrafficObserver;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The decision API on one event loop: its methods, its endpoints, and its clients' connections. */
public final class DecisionLoop {
  /** What the services look like: made by the build, ours of the source of the client's classes. */
  private static final Descriptors DESCRIPTORS =
      Descriptors.ofResources("/weir/v1/rate_limiter.binpb", "services.binpb");

  private final Health health;
  private final ClientProtocols clients;

  /**
   * @param memory bytes of the heap that clients may take.
   * @param methods of gRPC, each with a path of its own; health and reflection are not among them.
   * @param endpoints of HTTP, of which the first counts that takes a request.
   * @param traffic is told of connections.
   */
  public DecisionLoop(
      ClientSettings settings,
      LoopClock clock,
      Deadlines deadlines,
      ClientShares memory,
      Http2Loop http2,
      List<GrpcMethod> methods,
      List<HttpEndpoint> endpoints,
      Tokens tokens,
      DecisionObserver observer,
      TrafficObserver traffic,
      Http2Observer http2Observer) {
    health = new Health(healthNames(methods));
    List<GrpcMethod> all = new ArrayList<>(methods);
    all.addAll(health.methods());
    all.addAll(Reflection.methods(DESCRIPTORS, services(all)));
    GrpcMethods byPath = new GrpcMethods(all);
    EndpointOrigin origin =
        new EndpointOrigin(
            endpoints,
            byPath,
            tokens,
            observer,
            clock,
            http2.turnEnd(),
            settings.caps().fieldCount());
    GrpcCalls calls =
        new GrpcCalls(
            byPath,
            origin,
            tokens,
            observer,
            clock,
            deadlines,
            http2.turnEnd(),
            settings.timeouts().bodyIdleNs());
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
            http2,
            http2Observer,
            calls);
  }

  /** The services that methods belong to, by their full names. */
  private static Set<String> services(List<GrpcMethod> methods) {
    return methods.stream()
        .map(method -> method.path().substring(1, method.path().lastIndexOf('/')))
        .collect(Collectors.toSet());
  }

  /** What health checks may ask for: services, and other names of them. */
  private static Set<String> healthNames(List<GrpcMethod> methods) {
    Set<String> names = new HashSet<>(services(methods));
    methods.forEach(method -> names.addAll(method.healthNames()));
    return names;
  }

  /** The process is about to end: whoever asks for its health is told. */
  public void stopServing() {
    health.stop();
  }

  /** Its clients. */
  public ClientProtocols clients() {
    return clients;
  }
}
