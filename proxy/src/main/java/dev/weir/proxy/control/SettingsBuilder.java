package dev.weir.proxy.control;

import static java.util.concurrent.TimeUnit.HOURS;
import static java.util.concurrent.TimeUnit.MILLISECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.client.AnswerSettings;
import dev.weir.proxy.client.ClientCaps;
import dev.weir.proxy.client.ClientSettings;
import dev.weir.proxy.client.ClientTimeouts;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.BadValueException;
import dev.weir.proxy.rule.Cidr;
import dev.weir.proxy.rule.CidrSet;
import dev.weir.proxy.rule.ClientIpField;
import dev.weir.proxy.rule.DurationText;
import dev.weir.proxy.rule.IdentitySettings;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.upstream.UpstreamTimeouts;
import java.net.SocketAddress;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * Settings on their way from texts to records: the defaults, and for every setting its name and how
 * its text is read. Files and flags both go through it, so that they accept the same texts.
 */
final class SettingsBuilder {
  private static final int MAX_BUFFER_BYTES = 1 << 20;
  private static final long DAY_NS = HOURS.toNanos(24);
  private static final long LEAST_LOG_INTERVAL_NS = MILLISECONDS.toNanos(100);
  private static final long MOST_LOG_INTERVAL_NS = HOURS.toNanos(1);

  private static final Set<String> LISTS = Set.of("admin-hosts", "trusted-proxies");
  private static final Map<String, BiConsumer<SettingsBuilder, String>> SETTERS = setters();

  private SocketAddress upstream;
  private String service = "";
  private SocketAddress listen = AddressText.parseListen("127.0.0.1:8000");
  private SocketAddress admin = AddressText.parseListen("127.0.0.1:9090");
  private final List<String> adminHosts = new ArrayList<>();
  private int eventLoops = Runtime.getRuntime().availableProcessors();
  private TransportKind transport = TransportKind.AUTO;
  private Path latencyLog;
  private long latencyLogIntervalNs = SECONDS.toNanos(1);
  private final List<Cidr> trustedProxies = new ArrayList<>();
  private ClientIpField clientIpField = IdentitySettings.DEFAULT.clientIpField();
  private int ipv6Prefix = IdentitySettings.DEFAULT.ipv6Prefix();
  private boolean ignoreCase;
  private long headNs = SECONDS.toNanos(10);
  private long bodyNs = SECONDS.toNanos(30);
  private long idleNs = SECONDS.toNanos(60);
  private long writeNs = SECONDS.toNanos(30);
  private long tunnelIdleNs = HOURS.toNanos(1);
  private long connectNs = SECONDS.toNanos(1);
  private long responseNs = SECONDS.toNanos(60);
  private long upstreamIdleNs = SECONDS.toNanos(4);
  private long upstreamQueueNs = SECONDS.toNanos(1);
  private long drainGraceNs;
  private long drainNs = SECONDS.toNanos(30);
  private int headBytes = 32 << 10;
  private int fields = 100;
  private int targetBytes = 8 << 10;
  private int connections = 10_000;
  private int connectionsPerAddress = 2_500;
  private int upstreamConnections = 256;
  private int upstreamStreams = 4096;
  private int upstreamQueue = 1024;
  private boolean rateLimit = true;
  private boolean xRateLimit;
  private int tableKeys = 1_000_000;
  private int ringKeys = 16_384;
  private int ringCells;
  private final StoreFields store = new StoreFields();

  private static Map<String, BiConsumer<SettingsBuilder, String>> setters() {
    Map<String, BiConsumer<SettingsBuilder, String>> at = new TreeMap<>();
    at.put("upstream", (b, t) -> b.upstream = AddressText.parseUpstream(t));
    at.put("service", (b, t) -> b.service = service(t));
    at.put("listen", (b, t) -> b.listen = AddressText.parseListen(t));
    at.put("admin", (b, t) -> b.admin = t.equals("off") ? null : AddressText.parseListen(t));
    at.put("admin-hosts", (b, t) -> b.adminHosts.add(AddressText.parseHost(t)));
    at.put("event-loops", (b, t) -> b.eventLoops = Texts.parseInt(t, 1, 1024));
    at.put("transport", (b, t) -> b.transport = Texts.parseOneOf(t, TransportKind.values()));
    at.put("latency-log", (b, t) -> b.latencyLog = file(t));
    at.put("latency-log-interval", (b, t) -> b.latencyLogIntervalNs = logIntervalNs(t));
    at.put("trusted-proxies", (b, t) -> b.trustedProxies.add(Cidr.parse(t)));
    at.put(
        "client-ip-header",
        (b, t) -> b.clientIpField = Texts.parseOneOf(t, ClientIpField.values()));
    at.put("ipv6-prefix", (b, t) -> b.ipv6Prefix = Texts.parseInt(t, 1, 128));
    at.put("paths.ignore-case", (b, t) -> b.ignoreCase = Texts.parseBoolean(t));
    at.put("timeouts.head", (b, t) -> b.headNs = timeoutNs(t));
    at.put("timeouts.body", (b, t) -> b.bodyNs = timeoutNs(t));
    at.put("timeouts.idle", (b, t) -> b.idleNs = timeoutNs(t));
    at.put("timeouts.write", (b, t) -> b.writeNs = timeoutNs(t));
    at.put("timeouts.tunnel-idle", (b, t) -> b.tunnelIdleNs = timeoutNs(t));
    at.put("timeouts.connect", (b, t) -> b.connectNs = timeoutNs(t));
    at.put("timeouts.response", (b, t) -> b.responseNs = timeoutNs(t));
    at.put("timeouts.upstream-idle", (b, t) -> b.upstreamIdleNs = timeoutNs(t));
    at.put("timeouts.upstream-queue", (b, t) -> b.upstreamQueueNs = timeoutNs(t));
    at.put("timeouts.drain-grace", (b, t) -> b.drainGraceNs = graceNs(t));
    at.put("timeouts.drain", (b, t) -> b.drainNs = timeoutNs(t));
    at.put("caps.head-bytes", (b, t) -> b.headBytes = bytes(t));
    at.put("caps.fields", (b, t) -> b.fields = Texts.parseInt(t, 1, 10_000));
    at.put("caps.target-bytes", (b, t) -> b.targetBytes = bytes(t));
    at.put("caps.connections", (b, t) -> b.connections = Texts.parseInt(t, 1, 1_000_000));
    at.put(
        "caps.connections-per-address",
        (b, t) -> b.connectionsPerAddress = Texts.parseInt(t, 1, 1_000_000));
    at.put(
        "caps.upstream-connections",
        (b, t) -> b.upstreamConnections = Texts.parseInt(t, 1, 65_535));
    at.put("caps.upstream-streams", (b, t) -> b.upstreamStreams = Texts.parseInt(t, 0, 1_000_000));
    at.put("caps.upstream-queue", (b, t) -> b.upstreamQueue = Texts.parseInt(t, 0, 65_535));
    at.put("answers.rate-limit", (b, t) -> b.rateLimit = isDraft11(t));
    at.put("answers.x-rate-limit", (b, t) -> b.xRateLimit = Texts.parseBoolean(t));
    at.put("table.keys", (b, t) -> b.tableKeys = Texts.parseInt(t, 1_000, 30_000_000));
    at.put("table.ring-keys", (b, t) -> b.ringKeys = Texts.parseInt(t, 4, 30_000_000));
    at.put("table.ring-cells", (b, t) -> b.ringCells = Texts.parseInt(t, 0, Limit.MAX_CELL_COUNT));
    StoreFields.setters().forEach((name, set) -> at.put(name, (b, t) -> set.accept(b.store, t)));
    return at;
  }

  private static long timeoutNs(String text) {
    long timeoutNs = DurationText.parseNs(text);
    if (timeoutNs > DAY_NS) {
      throw new BadValueException(text, "at most 1d");
    }
    return timeoutNs;
  }

  private static long graceNs(String text) {
    return text.matches("0(ms|s|m|h|d)") ? 0 : timeoutNs(text);
  }

  private static long logIntervalNs(String text) {
    long intervalNs = DurationText.parseNs(text);
    if (intervalNs < LEAST_LOG_INTERVAL_NS || intervalNs > MOST_LOG_INTERVAL_NS) {
      throw new BadValueException(text, "100ms to 1h");
    }
    return intervalNs;
  }

  /** Whether it can be written is seen when it is opened. */
  private static Path file(String text) {
    try {
      Path path = Path.of(text);
      if (path.getFileName() != null && !text.isBlank()) {
        return path;
      }
    } catch (InvalidPathException invalid) {
      throw new BadValueException(text, "a file's path");
    }
    throw new BadValueException(text, "a file's path");
  }

  private static int bytes(String text) {
    return SizeText.parseBytes(text, 1 << 10, MAX_BUFFER_BYTES);
  }

  private static boolean isDraft11(String text) {
    return Texts.parseOneOf(text, new String[] {"draft11", "off"}).equals("draft11");
  }

  /** Whether a setting takes several texts, one by one. */
  static boolean isList(String name) {
    return LISTS.contains(name);
  }

  /** The names of all settings that are a text or a list of texts. */
  static Set<String> names() {
    return SETTERS.keySet();
  }

  /**
   * Reads one setting; of a list, one item.
   *
   * @throws BadValueException if the text is not one for it.
   */
  void set(String name, String text) {
    SETTERS.get(name).accept(this, text);
  }

  SocketAddress upstream() {
    return upstream;
  }

  SocketAddress listen() {
    return listen;
  }

  SocketAddress admin() {
    return admin;
  }

  int headBytes() {
    return headBytes;
  }

  int targetBytes() {
    return targetBytes;
  }

  boolean ignoreCase() {
    return ignoreCase;
  }

  /** Letters that names in the store and in metrics take as they are. */
  private static String service(String text) {
    if (!text.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw new BadValueException(text, "1 to 64 letters, digits, dots, dashes and underscores");
    }
    return text;
  }

  StoreNames storeNames() {
    return store.names(service);
  }

  StoreFields store() {
    return store;
  }

  AdmissionSettings admission() {
    return new AdmissionSettings(tableKeys, ringKeys, ringCells);
  }

  Settings build(List<RuleSpec> rules) {
    return new Settings(
        new UpstreamSettings(
            upstream,
            new UpstreamTimeouts(connectNs, responseNs, upstreamIdleNs, upstreamQueueNs),
            new UpstreamCaps(upstreamConnections, upstreamStreams, upstreamQueue)),
        new ClientSettings(
            listen,
            new ClientTimeouts(headNs, bodyNs, idleNs, writeNs, tunnelIdleNs),
            new ClientCaps(headBytes, fields, targetBytes, connections, connectionsPerAddress),
            new AnswerSettings(rateLimit, xRateLimit)),
        admission(),
        store.build(),
        storeNames(),
        new IdentitySettings(CidrSet.of(trustedProxies), clientIpField, ipv6Prefix),
        new ProcessSettings(
            admin,
            adminHosts,
            eventLoops,
            transport,
            drainGraceNs,
            drainNs,
            latencyLog,
            latencyLogIntervalNs),
        new RuleSource(rules, ignoreCase));
  }
}
