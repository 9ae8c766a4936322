package dev.weir.proxy.wiring;

import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.loop.LoopBroadcast;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.tls.CertificateReload;
import dev.weir.proxy.tls.ReloadedFiles;
import dev.weir.proxy.tls.ServerTls;
import dev.weir.proxy.tls.TlsFault;
import dev.weir.proxy.tls.UpstreamTls;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.watch.Reloads;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** TLS of one sidecar: what its listeners show, and what follows the files of it. */
public final class SidecarTls implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SidecarTls.class);

  /** The protocols that a client is offered, in order of preference. */
  private static final List<String> PROTOCOLS = List.of("h2", "http/1.1");

  private static final String HTTP1 = "http/1.1";

  /** The protocols that an operator is offered. */
  private static final List<String> ADMIN_PROTOCOLS = List.of(HTTP1);

  private final Map<ListenerSettings, ServerTls> servers = new HashMap<>();
  private final LoopBroadcast<EventLoop> loops = new LoopBroadcast<>();
  private UpstreamTls service;
  private UpstreamTls http1Service;
  private final CertificateReload reload;

  /**
   * Reads all files.
   *
   * @param admin null for none.
   * @throws IOException if one cannot be used; its message tells all that cannot.
   */
  SidecarTls(List<ListenerSettings> listeners, ListenerSettings admin, UpstreamSettings upstream)
      throws IOException {
    List<String> faults = new ArrayList<>();
    List<ReloadedFiles> files = new ArrayList<>();
    listeners.forEach(listener -> read(listener, PROTOCOLS, files, faults));
    if (admin != null) {
      read(admin, ADMIN_PROTOCOLS, files, faults);
    }
    if (upstream.protocol() == UpstreamProtocol.HTTPS) {
      try {
        service = ofService(upstream, List.of("h2", HTTP1));
        http1Service = ofService(upstream, List.of(HTTP1));
        files.add(service);
        files.add(http1Service);
      } catch (TlsFault fault) {
        faults.add(fault.getMessage());
      }
    }
    if (!faults.isEmpty()) {
      close();
      throw new IOException("tls: " + String.join("\n", faults).replace("\n", "\nweir: tls: "));
    }
    reload = new CertificateReload(files);
  }

  private void read(
      ListenerSettings listener,
      List<String> protocols,
      List<ReloadedFiles> files,
      List<String> faults) {
    if (listener.tls() != null) {
      try {
        ServerTls tls = new ServerTls(listener.tls(), protocols, this::afterEveryLoop);
        servers.put(listener, tls);
        files.add(tls);
      } catch (TlsFault fault) {
        faults.add(fault.getMessage());
      }
    }
  }

  /** The faults that a start would find in the files, a text each; none if all can be used now. */
  public static List<String> faults(
      List<ListenerSettings> listeners, ListenerSettings admin, UpstreamSettings upstream) {
    try {
      new SidecarTls(listeners, admin, upstream).close();
      return List.of();
    } catch (IOException faults) {
      return List.of(faults.getMessage().split("\nweir: "));
    }
  }

  private UpstreamTls ofService(UpstreamSettings upstream, List<String> protocols) throws TlsFault {
    InetSocketAddress address = (InetSocketAddress) upstream.address();
    return new UpstreamTls(
        upstream.tls(),
        address.getHostString(),
        address.getPort(),
        protocols,
        this::afterEveryLoop);
  }

  /**
   * TLS with the service, which is asked for HTTP/2 first; null if it is spoken to in the clear.
   */
  UpstreamTls ofService() {
    return service;
  }

  /** TLS with a service of HTTP/1.1; null if it is spoken to in the clear. */
  UpstreamTls ofHttp1Service() {
    return http1Service;
  }

  /** Adds an event loop, before connections come. */
  void join(EventLoop eventLoop) {
    loops.add(eventLoop, eventLoop);
  }

  private void afterEveryLoop(Runnable task) {
    loops.tell(loop -> {}, task);
  }

  /** TLS of a listener; null if it speaks in the clear. */
  ServerTls of(ListenerSettings listener) {
    return servers.get(listener);
  }

  /** Whether there is a file to follow. */
  boolean hasFiles() {
    return reload.hasFiles();
  }

  /** Follows the files from now on, and exposes whether they are in use. */
  void start(Metrics metrics) {
    if (!hasFiles()) {
      return;
    }
    metrics.counter(
        "weir_tls_reloads",
        "Times that changed files of certificates were taken.",
        reload.reloads()::takenCount);
    metrics.counter(
        "weir_tls_reload_failures",
        "Times that changed files of certificates could not be used.",
        reload.reloads()::rejectedCount);
    new SidecarFigures(metrics).expose("weir_tls", "certificates", reload.reloads());
    reload.start();
    if (servers.isEmpty()) {
      return;
    }
    servers.values().forEach(tls -> LOG.info("tls: by {}: {}", ServerTls.provider(), tls));
    metrics.gauge(
        "weir_tls_certificate_days_left",
        "Days until the first of the certificates that clients are shown expires.",
        this::daysLeft);
  }

  private long daysLeft() {
    Instant now = Instant.now();
    long least = Long.MAX_VALUE;
    for (ServerTls tls : servers.values()) {
      least = Math.min(least, Duration.between(now, tls.expiry()).toDays());
    }
    return least;
  }

  /** Reads all files now, changed or not. Any thread. */
  void reload() {
    reload.reload();
  }

  Reloads reloads() {
    return reload.reloads();
  }

  /** Once no connections come any more. */
  @Override
  public void close() {
    if (reload != null) {
      reload.close();
    }
    servers.values().forEach(ServerTls::close);
    if (http1Service != null) {
      service.close();
      http1Service.close();
    }
  }
}
