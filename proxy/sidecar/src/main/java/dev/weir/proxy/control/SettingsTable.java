package dev.weir.proxy.control;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.rule.identity.ClientIpField;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/**
 * Every setting of the sidecar, a row each, in the order in which files name them; those of rules
 * are in {@link RuleSettingsTable}. Whoever adds a setting adds a row, and has {@link
 * SettingsBuilder} put its value where it is used.
 */
final class SettingsTable {
  private static final int MAX_BUFFER_BYTES = 1 << 20;
  private static final long DAY_NS = TimeUnit.HOURS.toNanos(24);

  /** The value that the address of the service says beside the address. */
  static final String UPSTREAM_PROTOCOL = "protocol of upstream";

  static final List<SettingRow<SettingValues>> ALL = all();

  private SettingsTable() {}

  private static List<SettingRow<SettingValues>> all() {
    List<SettingRow<SettingValues>> rows = new ArrayList<>(ofTheProcess());
    rows.addAll(DecisionTable.ALL);
    rows.addAll(TokenTable.ALL);
    rows.addAll(WhatIfSettings.ROWS);
    rows.addAll(TlsSettingsTable.ALL);
    rows.addAll(UpstreamTlsTable.ALL);
    rows.addAll(timeouts());
    rows.addAll(caps());
    rows.addAll(answersAndTable());
    rows.addAll(StoreSettingsTable.ALL);
    rows.addAll(RecordSettings.ROWS);
    return List.copyOf(rows);
  }

  private static List<SettingRow<SettingValues>> ofTheProcess() {
    return List.of(
        SettingRow.of(
            "upstream",
            SettingKind.URL,
            null,
            "The service behind: " + AddressText.EXPECTED_UPSTREAM + ".",
            SettingsTable::setUpstream),
        SettingRow.value(
            "service",
            SettingKind.NAME,
            null,
            "Whose rules these are: a part of the names in the store.",
            SettingsTable::service),
        SettingRow.value(
            "listen",
            SettingKind.LISTENERS,
            "127.0.0.1:8000",
            "host:port, https://host:port or unix:/path (default %s).",
            text -> ListenerTable.of("listen", text)),
        SettingRow.value(
            "admin",
            SettingKind.ADDRESS,
            "127.0.0.1:9090",
            "Metrics, health and the API: as listen, or off (default %s).",
            text -> text.equals("off") ? null : ListenerTable.of("admin", text)),
        SettingRow.value(
            "admin-hosts",
            SettingKind.NAMES,
            null,
            "By which it answers, beside localhost and its address.",
            AddressText::parseHost),
        SettingRow.file("admin-tokens", "Who may call it: name role sha256 [until] a line."),
        SettingRow.value(
            "monitoring",
            SettingKind.ADDRESS,
            null,
            "Where others than this machine see health and metrics.",
            AddressText::parseListen),
        SettingRow.count("event-loops", null, "By default one per core.", 1, 1024),
        SettingRow.word(
            "transport", "auto", "%s (default), io_uring, epoll or nio.", TransportKind.values()),
        SettingRow.file("latency-log", "An interval log of latencies, for HdrHistogram's tools."),
        SettingRow.value(
            "latency-log-interval",
            SettingKind.TIME,
            "1s",
            "Of its lines (default %s).",
            text -> Texts.parseNs(text, 100_000_000, TimeUnit.HOURS.toNanos(1), "100ms to 1h")),
        SettingRow.value(
            "trusted-proxies",
            SettingKind.RANGE,
            null,
            "Peers believed when they say who the client is.",
            Cidr::parse),
        SettingRow.word(
            "client-ip-header",
            "x-forwarded-for",
            "%s (default) or forwarded.",
            ClientIpField.values()),
        SettingRow.value(
            "ipv6-prefix",
            SettingKind.BITS,
            "64",
            "What counts as one IPv6 client (default %s).",
            text -> Texts.parseInt(text, 1, 128)),
        list("allow", "Clients that pass before any rule."),
        list("block", "Clients that get a 403 before any rule, also if allowed."),
        SettingRow.toggle("paths.ignore-case", "For services that do not tell /A from /a."));
  }

  private static SettingRow<SettingValues> list(String name, String text) {
    return SettingRow.value(
        "lists." + name, SettingKind.LISTED, null, text, AddressListSettings::item);
  }

  private static List<SettingRow<SettingValues>> timeouts() {
    return List.of(
        timeout("head", "10s", "For a request's head"),
        timeout("body", "30s", "Between two reads of its body"),
        timeout("idle", "60s", "Between two requests"),
        timeout("write", "30s", "While a client takes nothing"),
        timeout("tunnel-idle", "1h", "Of an upgraded connection"),
        timeout("connect", "1s", "To the service"),
        timeout("response", "60s", "Of the service"),
        timeout("upstream-idle", "4s", "Of unused connections to it"),
        timeout("upstream-queue", "1s", "For a connection to it"),
        time(
            "drain-grace",
            "0s",
            "At the end, for others to see that /readyz says 503",
            SettingsTable::graceNs),
        timeout("drain", "30s", "For requests in flight after that"));
  }

  private static SettingRow<SettingValues> timeout(String name, String standard, String text) {
    return time(name, standard, text, SettingsTable::timeoutNs);
  }

  private static SettingRow<SettingValues> time(
      String name, String standard, String text, Function<String, Long> parser) {
    return SettingRow.value(
        "timeouts." + name, SettingKind.TIME, standard, text + " (default %s).", parser);
  }

  private static List<SettingRow<SettingValues>> caps() {
    return List.of(
        size("head-bytes", "32KiB", "Of a request's head"),
        cap("fields", "100", "Fields in it", 1, 10_000),
        size("target-bytes", "8KiB", "Of its target"),
        cap("connections", "10000", "Of clients, in all", 1, 1_000_000),
        cap("connections-per-address", "2500", "Of one client", 1, 1_000_000),
        cap("upstream-connections", "256", "Per event loop", 1, 65_535),
        cap(
            "upstream-streams",
            "4096",
            "Beside them, for tunnels and long exchanges",
            0,
            1_000_000),
        cap("upstream-http2-connections", "4", "To a service of HTTP/2, per event loop", 1, 256),
        cap("upstream-queue", "1024", "Requests that wait for a connection", 0, 65_535));
  }

  private static SettingRow<SettingValues> cap(
      String name, String standard, String text, int least, int most) {
    return SettingRow.count("caps." + name, standard, text + " (default %s).", least, most);
  }

  private static SettingRow<SettingValues> size(String name, String standard, String text) {
    return SettingRow.value(
        "caps." + name,
        SettingKind.SIZE,
        standard,
        text + " (default %s).",
        bytes -> Texts.parseBytes(bytes, 1 << 10, MAX_BUFFER_BYTES));
  }

  private static List<SettingRow<SettingValues>> answersAndTable() {
    return List.of(
        SettingRow.value(
            "answers.rate-limit",
            SettingKind.FORM,
            "draft11",
            "RateLimit fields: %s (default) or off.",
            text -> Texts.parseOneOf(text, new String[] {"draft11", "off"}).equals("draft11")),
        SettingRow.toggle("answers.x-rate-limit", "X-RateLimit-Limit, -Remaining and -Reset too."),
        SettingRow.count(
            "table.keys",
            "1000000",
            "Clients in debt at one time (default %s).",
            1_000,
            30_000_000),
        SettingRow.count(
            "table.ring-keys",
            "16384",
            "The same for sliding-log and bucket-ring (default %s).",
            4,
            30_000_000),
        SettingRow.count(
            "table.ring-cells",
            "0",
            "Of each of those: the largest limit, or number of sub-windows.",
            0,
            Limit.MAX_CELL_COUNT));
  }

  private static void setUpstream(SettingValues values, String text) {
    values.set("upstream", AddressText.parseUpstream(text));
    values.set(UPSTREAM_PROTOCOL, AddressText.protocol(text));
  }

  private static long timeoutNs(String text) {
    return Texts.parseNs(text, 1, DAY_NS, "at most 1d");
  }

  private static long graceNs(String text) {
    return text.matches("0(ms|s|m|h|d)") ? 0 : timeoutNs(text);
  }

  /** A service's name: of characters that names in the store and in metrics take as they are. */
  private static String service(String text) {
    if (!text.matches("[A-Za-z0-9][A-Za-z0-9._-]{0,63}")) {
      throw new BadValueException(text, "1 to 64 letters, digits, dots, dashes and underscores");
    }
    return text;
  }
}
