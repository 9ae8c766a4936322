package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.ADDRESS;
import static dev.weir.proxy.control.SettingKind.BITS;
import static dev.weir.proxy.control.SettingKind.COUNT;
import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.FORM;
import static dev.weir.proxy.control.SettingKind.LISTENERS;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.NAMES;
import static dev.weir.proxy.control.SettingKind.RANGE;
import static dev.weir.proxy.control.SettingKind.SIZE;
import static dev.weir.proxy.control.SettingKind.SWITCH;
import static dev.weir.proxy.control.SettingKind.TIME;
import static dev.weir.proxy.control.SettingKind.URL;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.identity.Cidr;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/**
 * Every setting of the sidecar, a row each, in the order in which files name them; those of rules
 * are in {@link RuleSettingsTable}. Whoever adds a setting adds a row, and a field of {@link
 * SettingsBuilder} that its reader sets.
 */
final class SettingsTable {
  private static final int MAX_BUFFER_BYTES = 1 << 20;
  private static final long DAY_NS = TimeUnit.HOURS.toNanos(24);
  private static final long LEAST_LOG_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final long MOST_LOG_INTERVAL_NS = TimeUnit.HOURS.toNanos(1);

  static final List<SettingRow<SettingsBuilder>> ALL = all();

  private SettingsTable() {}

  private static List<SettingRow<SettingsBuilder>> all() {
    List<SettingRow<SettingsBuilder>> rows = new ArrayList<>(ofTheProcess());
    DecisionTable.ALL.forEach(row -> rows.add(row.within(builder -> builder.decision)));
    TlsSettingsTable.ALL.forEach(row -> rows.add(row.within(builder -> builder.tls)));
    UpstreamTlsTable.ALL.forEach(row -> rows.add(row.within(builder -> builder.upstreamTls)));
    rows.addAll(timeouts());
    rows.addAll(caps());
    rows.addAll(answersAndTable());
    StoreSettingsTable.ALL.forEach(row -> rows.add(row.within(builder -> builder.store)));
    return List.copyOf(rows);
  }

  private static SettingRow<SettingsBuilder> row(
      String name,
      SettingKind kind,
      String standard,
      String help,
      BiConsumer<SettingsBuilder, String> reader) {
    return SettingRow.of(name, kind, standard, help, reader);
  }

  private static List<SettingRow<SettingsBuilder>> ofTheProcess() {
    return List.of(
        row(
            "upstream",
            URL,
            null,
            "The service behind: " + AddressText.EXPECTED_UPSTREAM + ".",
            (b, t) -> {
              b.upstream = AddressText.parseUpstream(t);
              b.upstreamProtocol = AddressText.protocol(t);
            }),
        row(
            "service",
            NAME,
            null,
            "Whose rules these are: a part of the names in the store.",
            (b, t) -> b.service = service(t)),
        row(
            "listen",
            LISTENERS,
            "127.0.0.1:8000",
            "host:port, https://host:port or unix:/path (default %s).",
            (b, t) -> b.addListener(ListenerTable.of("listen", t))),
        row(
            "admin",
            ADDRESS,
            "127.0.0.1:9090",
            "Metrics and health, or off (default %s).",
            (b, t) -> b.admin = t.equals("off") ? null : AddressText.parseListen(t)),
        row(
            "admin-hosts",
            NAMES,
            null,
            "By which it answers, beside localhost and its address.",
            (b, t) -> b.adminHosts.add(AddressText.parseHost(t))),
        row(
            "monitoring",
            ADDRESS,
            null,
            "Where others than this machine see health and metrics.",
            (b, t) -> b.monitoring = AddressText.parseListen(t)),
        row(
            "event-loops",
            COUNT,
            null,
            "By default one per core.",
            (b, t) -> b.eventLoops = Texts.parseInt(t, 1, 1024)),
        row(
            "transport",
            NAME,
            "auto",
            "%s (default), io_uring, epoll or nio.",
            (b, t) -> b.transport = Texts.parseOneOf(t, TransportKind.values())),
        row(
            "latency-log",
            FILE,
            null,
            "An interval log of latencies, for HdrHistogram's tools.",
            (b, t) -> b.latencyLog = Texts.parseFile(t)),
        row(
            "latency-log-interval",
            TIME,
            "1s",
            "Of its lines (default %s).",
            (b, t) -> b.latencyLogIntervalNs = logIntervalNs(t)),
        row(
            "trusted-proxies",
            RANGE,
            null,
            "Peers believed when they say who the client is.",
            (b, t) -> b.trustedProxies.add(Cidr.parse(t))),
        row(
            "client-ip-header",
            NAME,
            "x-forwarded-for",
            "%s (default) or forwarded.",
            (b, t) -> b.clientIpField = Texts.parseOneOf(t, ClientIpField.values())),
        row(
            "ipv6-prefix",
            BITS,
            "64",
            "What counts as one IPv6 client (default %s).",
            (b, t) -> b.ipv6Prefix = Texts.parseInt(t, 1, 128)),
        row(
            "paths.ignore-case",
            SWITCH,
            "false",
            "For services that do not tell /A from /a.",
            (b, t) -> b.ignoreCase = Texts.parseBoolean(t)));
  }

  private static List<SettingRow<SettingsBuilder>> timeouts() {
    return List.of(
        timeout("head", "10s", "For a request's head", (b, t) -> b.headNs = timeoutNs(t)),
        timeout("body", "30s", "Between two reads of its body", (b, t) -> b.bodyNs = timeoutNs(t)),
        timeout("idle", "60s", "Between two requests", (b, t) -> b.idleNs = timeoutNs(t)),
        timeout("write", "30s", "While a client takes nothing", (b, t) -> b.writeNs = timeoutNs(t)),
        timeout(
            "tunnel-idle",
            "1h",
            "Of an upgraded connection",
            (b, t) -> b.tunnelIdleNs = timeoutNs(t)),
        timeout("connect", "1s", "To the service", (b, t) -> b.connectNs = timeoutNs(t)),
        timeout("response", "60s", "Of the service", (b, t) -> b.responseNs = timeoutNs(t)),
        timeout(
            "upstream-idle",
            "4s",
            "Of unused connections to it",
            (b, t) -> b.upstreamIdleNs = timeoutNs(t)),
        timeout(
            "upstream-queue",
            "1s",
            "For a connection to it",
            (b, t) -> b.upstreamQueueNs = timeoutNs(t)),
        timeout(
            "drain-grace",
            "0s",
            "At the end, for others to see that /readyz says 503",
            (b, t) -> b.drainGraceNs = graceNs(t)),
        timeout(
            "drain",
            "30s",
            "For requests in flight after that",
            (b, t) -> b.drainNs = timeoutNs(t)));
  }

  private static SettingRow<SettingsBuilder> timeout(
      String name, String standard, String help, BiConsumer<SettingsBuilder, String> reader) {
    return row("timeouts." + name, TIME, standard, help + " (default %s).", reader);
  }

  private static List<SettingRow<SettingsBuilder>> caps() {
    return List.of(
        cap("head-bytes", SIZE, "32KiB", "Of a request's head", (b, t) -> b.headBytes = bytes(t)),
        cap(
            "fields",
            COUNT,
            "100",
            "Fields in it",
            (b, t) -> b.fields = Texts.parseInt(t, 1, 10_000)),
        cap("target-bytes", SIZE, "8KiB", "Of its target", (b, t) -> b.targetBytes = bytes(t)),
        cap(
            "connections",
            COUNT,
            "10000",
            "Of clients, in all",
            (b, t) -> b.connections = Texts.parseInt(t, 1, 1_000_000)),
        cap(
            "connections-per-address",
            COUNT,
            "2500",
            "Of one client",
            (b, t) -> b.connectionsPerAddress = Texts.parseInt(t, 1, 1_000_000)),
        cap(
            "upstream-connections",
            COUNT,
            "256",
            "Per event loop",
            (b, t) -> b.upstreamConnections = Texts.parseInt(t, 1, 65_535)),
        cap(
            "upstream-streams",
            COUNT,
            "4096",
            "Beside them, for tunnels and long exchanges",
            (b, t) -> b.upstreamStreams = Texts.parseInt(t, 0, 1_000_000)),
        cap(
            "upstream-http2-connections",
            COUNT,
            "4",
            "To a service of HTTP/2, per event loop",
            (b, t) -> b.upstreamHttp2Connections = Texts.parseInt(t, 1, 256)),
        cap(
            "upstream-queue",
            COUNT,
            "1024",
            "Requests that wait for a connection",
            (b, t) -> b.upstreamQueue = Texts.parseInt(t, 0, 65_535)));
  }

  private static SettingRow<SettingsBuilder> cap(
      String name,
      SettingKind kind,
      String standard,
      String help,
      BiConsumer<SettingsBuilder, String> reader) {
    return row("caps." + name, kind, standard, help + " (default %s).", reader);
  }

  private static List<SettingRow<SettingsBuilder>> answersAndTable() {
    return List.of(
        row(
            "answers.rate-limit",
            FORM,
            "draft11",
            "RateLimit fields: %s (default) or off.",
            (b, t) -> b.rateLimit = isDraft11(t)),
        row(
            "answers.x-rate-limit",
            SWITCH,
            "false",
            "X-RateLimit-Limit, -Remaining and -Reset too.",
            (b, t) -> b.xRateLimit = Texts.parseBoolean(t)),
        row(
            "table.keys",
            COUNT,
            "1000000",
            "Clients in debt at one time (default %s).",
            (b, t) -> b.tableKeys = Texts.parseInt(t, 1_000, 30_000_000)),
        row(
            "table.ring-keys",
            COUNT,
            "16384",
            "The same for sliding-log and bucket-ring (default %s).",
            (b, t) -> b.ringKeys = Texts.parseInt(t, 4, 30_000_000)),
        row(
            "table.ring-cells",
            COUNT,
            "0",
            "Of each of those: the largest limit, or number of sub-windows.",
            (b, t) -> b.ringCells = Texts.parseInt(t, 0, Limit.MAX_CELL_COUNT)));
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

  private static int bytes(String text) {
    return SizeText.parseBytes(text, 1 << 10, MAX_BUFFER_BYTES);
  }

  private static boolean isDraft11(String text) {
    return Texts.parseOneOf(text, new String[] {"draft11", "off"}).equals("draft11");
  }

  /** A service's name: of characters that names in the store and in metrics take as they are. */
  private static String service(String text) {
    if (!text.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw new BadValueException(text, "1 to 64 letters, digits, dots, dashes and underscores");
    }
    return text;
  }
}
