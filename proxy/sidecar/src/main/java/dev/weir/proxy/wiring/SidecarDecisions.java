package dev.weir.proxy.wiring;

import dev.weir.proxy.control.Settings;
import dev.weir.proxy.decision.DecisionLoop;
import dev.weir.proxy.decision.DecisionSettings;
import dev.weir.proxy.decision.TokenReload;
import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.v1.RateLimiterLoop;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.tls.ServerTls;
import dev.weir.proxy.watch.Reloads;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.SocketAddress;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;

/** The decision API of one sidecar: its part of each event loop, and where programs connect. */
public final class SidecarDecisions implements AutoCloseable {
  private final Settings settings;
  private final ClientSettings clientSettings;
  private final TokenReload tokens;
  private final Map<EventLoop, DecisionLoop> loops = new IdentityHashMap<>();
  private Listeners listeners;

  /**
   * Reads the files; nothing listens yet.
   *
   * @throws IOException if a file cannot be used; its message names the file and the reason.
   */
  SidecarDecisions(Settings settings) throws IOException {
    this.settings = settings;
    ClientSettings clients = settings.client();
    clientSettings =
        new ClientSettings(
            settings.decision().listeners(), clients.timeouts(), clients.caps(), clients.answers());
    tokens = new TokenReload(settings.decision());
  }

  /** The faults that a start would find in the file of tokens; none if it can be used now. */
  public static List<String> faults(DecisionSettings settings) {
    try {
      new TokenReload(settings).close();
      return List.of();
    } catch (IOException fault) {
      return List.of(fault.getMessage());
    }
  }

  /**
   * Makes its part of an event loop, whose other parts are there.
   *
   * @param rateLimits of Envoy, which it answers too.
   */
  void join(LoopParts parts, Admission admission, SidecarRateLimits.Loop rateLimits) {
    if (!settings.decision().isConfigured()) {
      return;
    }
    LoopMetrics metrics = parts.metrics();
    RateLimiterLoop rateLimiter =
        new RateLimiterLoop(admission, parts.clock(), metrics.decisions());
    List<GrpcMethod> methods = new ArrayList<>(rateLimiter.methods());
    methods.addAll(rateLimits.methods());
    List<HttpEndpoint> endpoints = new ArrayList<>(rateLimiter.endpoints(clientSettings.answers()));
    endpoints.addAll(rateLimits.endpoints());
    loops.put(
        parts.eventLoop(),
        new DecisionLoop(
            clientSettings,
            parts.clock(),
            parts.deadlines(),
            parts.memory(),
            parts.http1(),
            parts.http2(),
            methods,
            endpoints,
            tokens.tokens(),
            metrics.decisions(),
            metrics.decisions(),
            metrics.http2Decisions()));
  }

  /**
   * Starts listening.
   *
   * @throws IOException if an address cannot be listened on; its message names the address and the
   *     reason.
   */
  void listen(Function<ListenerSettings, ServerTls> tls, Transport transport, EventLoopGroup group)
      throws IOException {
    CidrSet trusted = settings.identity().trustedProxies();
    listeners =
        new Listeners(
            clientSettings,
            tls,
            transport,
            group,
            (IpAddress peer) -> trusted.contains(peer.high(), peer.low()),
            settings.identity().ipv6Prefix(),
            this::clients);
  }

  /** The clients of an event loop. */
  ClientProtocols clients(EventLoop eventLoop) {
    return loops.get(eventLoop).clients();
  }

  /** Follows the file of tokens from now on, and exposes whether it is in use. */
  void followTokens(Metrics metrics) {
    if (tokens.hasFile()) {
      metrics.counter(
          "weir_decision_token_reloads",
          "Times that a changed file of tokens was taken.",
          tokens.reloads()::takenCount);
      metrics.counter(
          "weir_decision_token_reload_failures",
          "Times that a changed file of tokens could not be used.",
          tokens.reloads()::rejectedCount);
      new SidecarFigures(metrics).expose("weir_decision_token", "tokens", tokens.reloads());
      tokens.start();
    }
  }

  boolean hasTokens() {
    return tokens.hasFile();
  }

  Reloads reloads() {
    return tokens.reloads();
  }

  /** Reads the tokens again, changed or not. Any thread. */
  void reloadTokens() {
    tokens.reload();
  }

  @Override
  public void close() {
    tokens.close();
  }

  /** The addresses that programs connect to, in the order of the settings. */
  List<SocketAddress> addresses() {
    return listeners == null ? List.of() : listeners.addresses();
  }

  /** Accepts no more callers. Open connections stay. */
  void stopListening() {
    if (listeners != null) {
      listeners.close();
    }
  }

  /** Whoever asks for the process's health is told that it ends; on that event loop. */
  void stopServing(EventLoop eventLoop) {
    DecisionLoop loop = loops.get(eventLoop);
    if (loop != null) {
      loop.stopServing();
    }
  }

  /** Does something with the clients of an event loop, on it. */
  void with(EventLoop eventLoop, Consumer<ClientLoop> action) {
    DecisionLoop loop = loops.get(eventLoop);
    if (loop != null) {
      action.accept(loop.clients().clients);
    }
  }
}
