package dev.weir.proxy.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.OneFigure;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.tls.TlsClient;
import dev.weir.proxy.wiring.Sidecar;
import dev.weir.proxy.wiring.StartException;
import dev.weir.scripts.server.Await;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.uring.IoUring;
import io.netty.util.concurrent.EventExecutor;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A sidecar in this process between a {@link RawClient} and a {@link RecordingOrigin}. */
public final class Rig implements AutoCloseable {
  /** A request that is always served, unless its limit is used up. */
  public static final String VALID = "GET /valid HTTP/1.1\r\nHost: a\r\n\r\n";

  /**
   * Of one event loop, so that consecutive requests share what a loop keeps between them. The
   * window is so long that nothing comes back meanwhile.
   */
  private static final Map<String, String> DEFAULTS =
      Map.of(
          "--listen", "127.0.0.1:0",
          "--admin", "off",
          "--event-loops", "1",
          "--table.keys", "1000",
          "--limit", "1000/365d");

  private static final long LONGEST_DEADLINE_NS = TimeUnit.SECONDS.toNanos(1);
  private static final long PATIENT_DEADLINE_NS = TimeUnit.SECONDS.toNanos(5);

  private final long errors = InternalErrors.count();

  public final RecordingOrigin origin;
  public final Sidecar sidecar;

  /**
   * @param flags a flag, its value, and so on.
   */
  public Rig(String transport, String... flags) throws IOException, StartException {
    this(transport, settings -> settings, flags);
  }

  private Rig(String transport, UnaryOperator<Settings> change, String... flags)
      throws IOException, StartException {
    origin = new RecordingOrigin();
    Map<String, String> usual = new HashMap<>(DEFAULTS);
    usual.put("--transport", transport);
    usual.put("--upstream", "http://" + origin.address());
    sidecar = Sidecar.start(change.apply(FlagSettings.of(usual, flags)));
    ChannelTap.join(sidecar);
  }

  /**
   * One to which the longest deadline of the store that can be set is none: on a busy machine a
   * decision may take longer.
   */
  public static Rig patient(String transport, String... flags) throws IOException, StartException {
    return new Rig(transport, Rig::patient, flags);
  }

  /** The same of settings. */
  public static Settings patient(Settings settings) {
    StoreSettings store = settings.store();
    if (store.deadlineNs() < LONGEST_DEADLINE_NS) {
      return settings;
    }
    return new Settings(
        settings.upstream(),
        settings.client(),
        settings.decision(),
        settings.rateLimits(),
        settings.admission(),
        new StoreSettings(
            store.nodes(),
            store.topology(),
            store.sentinelMaster(),
            store.login(),
            store.sentinelLogin(),
            store.database(),
            store.tls(),
            store.tlsCa(),
            PATIENT_DEADLINE_NS),
        settings.names(),
        settings.identity(),
        settings.tokens(),
        settings.whatIf(),
        settings.records(),
        settings.process(),
        settings.rules());
  }

  private Rig(RecordingOrigin origin, Sidecar sidecar) {
    this.origin = origin;
    this.sidecar = sidecar;
    ChannelTap.join(sidecar);
  }

  /**
   * One with a file, as {@link #patient} as those of flags may be.
   *
   * @param yaml all of it but the transport, and the upstream, addresses and table unless it has
   *     some.
   */
  public static Rig ofFile(String transport, String yaml) throws IOException, StartException {
    return ofFile(transport, yaml, LoopClock::timeNs);
  }

  /** One with a file, on another clock than that of the process. */
  public static Rig ofFile(String transport, String yaml, LongSupplier time)
      throws IOException, StartException {
    RecordingOrigin origin = new RecordingOrigin();
    String file =
        (yaml.contains("upstream:") ? "" : "upstream: " + origin.url())
            + (yaml.contains("listen:") ? "" : "\nlisten: 127.0.0.1:0")
            + (yaml.contains("admin:") ? "" : "\nadmin: off")
            + "\nevent-loops: 1\ntransport: "
            + transport
            + (yaml.contains("table:") ? "\n" : "\ntable: {keys: 1000}\n")
            + yaml;
    Faults faults = Faults.ofFile("weir.yaml");
    byte[] content = file.getBytes(StandardCharsets.UTF_8);
    Settings settings = new SettingsFile().read(content, faults);
    if (settings == null) {
      throw new IllegalArgumentException(faults.toString());
    }
    return new Rig(origin, Sidecar.start(patient(settings), time));
  }

  /** The transports that this machine gives. */
  public static List<String> transports() {
    List<String> transports = new ArrayList<>(List.of("nio"));
    if (Epoll.isAvailable()) {
      transports.add("epoll");
    }
    if (IoUring.isAvailable()) {
      transports.add("io_uring");
    }
    return transports;
  }

  /** The transport for claims that are about none: what a sidecar chooses on this machine. */
  public static String preferredTransport() {
    List<String> transports = transports();
    return transports.get(transports.size() - 1);
  }

  /** The next noon of UTC, for a clock: no window of the clock ends by itself. */
  public static long nextNoonNs() {
    long dayNs = TimeUnit.DAYS.toNanos(1);
    long unixNs = LoopClock.timeNs() - LoopClock.unixEpochNs();
    return LoopClock.unixEpochNs() + (unixNs / dayNs + 1) * dayNs + dayNs / 2;
  }

  /** Where it proxies. */
  public int port() {
    return ((InetSocketAddress) sidecar.listenAddress()).getPort();
  }

  /** Where it decides for others, by {@code --decision 127.0.0.1:0}. */
  public int decisionPort() {
    return ((InetSocketAddress) sidecar.decisionAddresses().get(0)).getPort();
  }

  /** Where it has its pages, by {@code --admin 127.0.0.1:0}. */
  public int adminPort() {
    return ((InetSocketAddress) sidecar.adminAddress()).getPort();
  }

  public RawClient connect() throws IOException {
    return new RawClient(sidecar.listenAddress());
  }

  /** Sends a request that must be served, and returns its response. */
  public RawClient.Response serve() throws IOException, InterruptedException {
    try (RawClient client = connect()) {
      RawClient.Response response = client.send(VALID).read();
      assertEquals(200, response.status(), response.head());
      assertEquals(RecordingOrigin.BODY, response.body());
      assertTrue(origin.nextRequest().startsWith("GET /valid "));
      return response;
    }
  }

  /** Sends a request over TLS that must be served. */
  public void serveOver(TlsClient tls) throws IOException {
    try (RawClient client = new RawClient(tls.connect(sidecar.listenAddress()))) {
      assertEquals(200, client.send(VALID).read().status());
    }
  }

  /** What a counter or gauge says; 0 if it is not there. */
  public double metric(String nameAndLabels) {
    return OneFigure.of(sidecar.metrics(), nameAndLabels)
        .orElseGet(() -> metric(metrics(), nameAndLabels));
  }

  /** What a counter or gauge says in a text of all. */
  public static double metric(String metrics, String nameAndLabels) {
    Matcher value =
        Pattern.compile("(?m)^" + Pattern.quote(nameAndLabels) + " (\\S+)$").matcher(metrics);
    return value.find() ? Double.parseDouble(value.group(1)) : 0;
  }

  /** All figures as text: it takes milliseconds, as it goes through every histogram. */
  public String metrics() {
    return new String(sidecar.metrics().expose(null).body(), StandardCharsets.UTF_8);
  }

  /** Waits until a figure has the value that it must come to. */
  public void await(String nameAndLabels, double wanted) {
    Await.until(
        nameAndLabels + ' ' + wanted,
        () -> "it is " + metric(nameAndLabels),
        () -> metric(nameAndLabels) == wanted);
  }

  /**
   * Has the sidecar decide by the rules of a file, and waits until every event loop does.
   *
   * @param yaml all of it but the upstream.
   */
  public void publish(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    byte[] content = ("upstream: http://127.0.0.1:1\n" + yaml).getBytes(StandardCharsets.UTF_8);
    Settings settings = new SettingsFile().read(content, faults);
    assertTrue(faults.isEmpty(), faults::toString);
    sidecar.publish(settings.rules().compile(sidecar.rules()));
    sidecar.use(settings.rules().lists());
    awaitLoops();
  }

  /**
   * Waits until every event loop has done what it was told before. A reload is in use after that: a
   * request that follows it at once may still meet what was before.
   */
  public void awaitLoops() {
    for (EventExecutor loop : (EventLoopGroup) ChannelTap.field(sidecar, "group")) {
      loop.submit(() -> {}).syncUninterruptibly();
    }
  }

  @Override
  public void close() throws IOException {
    sidecar.close();
    origin.close();
    // An assertion that fails on an event loop ends one request, and would go unnoticed.
    assertEquals(errors, InternalErrors.count(), "internal errors, see the log");
  }
}
