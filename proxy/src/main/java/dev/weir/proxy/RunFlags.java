package dev.weir.proxy;

import dev.weir.proxy.control.SettingsFlags;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The flags of {@code weir run} that are settings: as texts, so that all of them are read, and all
 * their faults told, by what reads a file's.
 */
final class RunFlags {
  /**
   * One flag.
   *
   * @param label what stands behind it.
   * @param isSwitch whether it may stand alone, for true.
   */
  record Flag(String name, String label, String help, boolean isSwitch) {}

  /** Stands for what is missing behind a flag. No flag takes it for a value, but for a file's. */
  private static final String NO_TEXT = "(nothing)";

  /** In the order of the help. */
  static final List<Flag> ALL =
      List.of(
          flag("--upstream", "URL", "The service behind: http://host:port or unix:/path."),
          flag("--limit", "RATE", "Requests per time: 100/1s, 10/1m, 1000/1h, 1/1d."),
          flag("--burst", "COUNT", "How many of them at once; by default the whole limit."),
          flag(
              "--key",
              "KEY",
              "Who has a budget: ip (the default), api-key, header:NAME, cookie:NAME, query:NAME;"
                  + " several, separated by commas, together."),
          flag("--listen", "ADDRESS", "host:port or unix:/path (default 127.0.0.1:8000)."),
          flag("--admin", "ADDRESS", "Metrics and health, or off (default 127.0.0.1:9090)."),
          flag("--admin-hosts", "NAMES", "By which it answers, beside localhost and its address."),
          flag("--match.path", "PATTERN", "Limit these paths only, such as /api/**."),
          flag("--cost", "COUNT", "What one request takes from the budget (default 1)."),
          flag(
              "--algorithm",
              "NAME",
              "gcra (default), token-bucket, leaky-bucket, fixed-window, sliding-log,"
                  + " sliding-counter or bucket-ring."),
          flag(
              "--overflow",
              "WHAT",
              "Of a leaky-bucket: reject (default), or queue to hold requests until their turn."),
          flag("--max-wait", "TIME", "In a queue, at most (default 1s)."),
          flag(
              "--align",
              "UNIT",
              "Of a fixed-window: epoch (default), minute, hour, day, week or month."),
          flag("--time-zone", "ZONE", "Whose calendar: Europe/Berlin (default UTC)."),
          flag("--sub-window", "TIME", "Of a bucket-ring (default a tenth of the window)."),
          flag("--action", "NAME", "limit (default), unlimited or deny."),
          flag("--on-missing-key", "WHAT", "ip (default), shared or refuse."),
          onOff("--dry-run", "Decide and count, and let everything pass."),
          flag("--priority", "NUMBER", "Among rules of one path; of use in files."),
          flag(
              "--mode",
              "WHO",
              "Decides: local (default), this node; exact, the store, for the whole fleet."),
          flag(
              "--share",
              "WHAT",
              "Of mode local: none (default), or auto to divide the limit by the sidecars that"
                  + " share the store."),
          flag(
              "--on-store-failure",
              "WHAT",
              "While the store does not decide: local-share (default), open or closed."),
          flag("--service", "NAME", "Whose rules these are: a part of the names in the store."),
          flag("--redis.nodes", "ADDRESSES", "The store: host:port or unix:/path, and so on."),
          flag(
              "--redis.topology",
              "NAME",
              "standalone (default), sentinel (the nodes are sentinels), cluster or sharded."),
          flag("--redis.sentinel-master", "NAME", "By which the sentinels know the server."),
          flag("--redis.sentinel-username", "NAME", "Of an ACL of the sentinels."),
          flag(
              "--redis.sentinel-password-file",
              "FILE",
              "Its first line is the sentinels' password; else $WEIR_REDIS_SENTINEL_PASSWORD is."),
          flag("--redis.username", "NAME", "Of an ACL."),
          flag(
              "--redis.password-file",
              "FILE",
              "Its first line; else $WEIR_REDIS_PASSWORD is the password."),
          flag("--redis.database", "NUMBER", "Of a single server (default 0)."),
          onOff("--redis.tls", "Speak TLS to the store."),
          flag("--redis.tls-ca", "FILE", "Whom to trust, PEM (default the JDK's authorities)."),
          flag("--redis.deadline", "TIME", "For a decision of the store (default 5ms)."),
          onOff(
              "--redis.hash-identities",
              "Let nobody read any identity in the store, not only no secrets."),
          flag(
              "--redis.hash-sources",
              "SOURCES",
              "What is secret too, such as header:x-user-id; beside cookies, API keys and such."),
          flag(
              "--redis.hash-key-file",
              "FILE",
              "The key of that hash, the same in a fleet; else $WEIR_REDIS_HASH_KEY is."),
          flag("--trusted-proxies", "RANGE", "Peers believed when they say who the client is."),
          flag("--client-ip-header", "NAME", "x-forwarded-for (default) or forwarded."),
          flag("--ipv6-prefix", "BITS", "What counts as one IPv6 client (default 64)."),
          onOff("--paths.ignore-case", "For services that do not tell /A from /a."),
          flag("--event-loops", "COUNT", "By default one per core."),
          flag("--transport", "NAME", "auto (default), io_uring, epoll or nio."),
          flag("--latency-log", "FILE", "An interval log of latencies, for HdrHistogram's tools."),
          flag("--latency-log-interval", "TIME", "Of its lines (default 1s)."),
          flag("--timeouts.head", "TIME", "For a request's head (default 10s)."),
          flag("--timeouts.body", "TIME", "Between two reads of its body (default 30s)."),
          flag("--timeouts.idle", "TIME", "Between two requests (default 60s)."),
          flag("--timeouts.write", "TIME", "While a client takes nothing (default 30s)."),
          flag("--timeouts.tunnel-idle", "TIME", "Of an upgraded connection (default 1h)."),
          flag("--timeouts.connect", "TIME", "To the service (default 1s)."),
          flag("--timeouts.response", "TIME", "Of the service (default 60s)."),
          flag("--timeouts.upstream-idle", "TIME", "Of unused connections to it (default 4s)."),
          flag("--timeouts.upstream-queue", "TIME", "For a connection to it (default 1s)."),
          flag(
              "--timeouts.drain-grace",
              "TIME",
              "At the end, for others to see that /readyz says 503 (default 0s)."),
          flag("--timeouts.drain", "TIME", "For requests in flight after that (default 30s)."),
          flag("--caps.head-bytes", "SIZE", "Of a request's head (default 32KiB)."),
          flag("--caps.fields", "COUNT", "Fields in it (default 100)."),
          flag("--caps.target-bytes", "SIZE", "Of its target (default 8KiB)."),
          flag("--caps.connections", "COUNT", "Of clients, in all (default 10000)."),
          flag("--caps.connections-per-address", "COUNT", "Of one client (default 2500)."),
          flag("--caps.upstream-connections", "COUNT", "Per event loop (default 256)."),
          flag(
              "--caps.upstream-streams",
              "COUNT",
              "Beside them, for tunnels and long exchanges (default 4096)."),
          flag(
              "--caps.upstream-queue",
              "COUNT",
              "Requests that wait for a connection (default 1024)."),
          flag("--answers.rate-limit", "FORM", "RateLimit fields: draft11 (default) or off."),
          onOff("--answers.x-rate-limit", "X-RateLimit-Limit, -Remaining and -Reset too."),
          flag("--table.keys", "COUNT", "Clients in debt at one time (default 1000000)."),
          flag(
              "--table.ring-keys",
              "COUNT",
              "The same for sliding-log and bucket-ring (default 16384)."),
          flag(
              "--table.ring-cells",
              "COUNT",
              "Of each of those: the largest limit, or number of sub-windows."));

  private RunFlags() {}

  private static Flag flag(String name, String label, String help) {
    return new Flag(name, label, help, false);
  }

  private static Flag onOff(String name, String help) {
    return new Flag(name, "true|false", help, true);
  }

  static void addTo(CommandSpec command) {
    for (Flag flag : ALL) {
      // Texts of any number, as what is missing or given twice is told with the other faults.
      command.addOption(
          OptionSpec.builder(flag.name())
              .type(List.class)
              .auxiliaryTypes(String.class)
              .arity("0..1")
              .fallbackValue(flag.isSwitch() ? "true" : NO_TEXT)
              .paramLabel(flag.label())
              .hideParamSyntax(true)
              .description(flag.help())
              .build());
    }
  }

  /**
   * The flags that were given, in the order of the help.
   *
   * @param problems takes those given twice, where only one text is wanted.
   */
  static Map<String, String> given(ParseResult parsed, List<String> problems) {
    Map<String, String> given = new LinkedHashMap<>();
    for (Flag flag : ALL) {
      List<String> texts = parsed.matchedOptionValue(flag.name(), List.of());
      boolean isList = flag.name().equals("--key") || SettingsFlags.isList(flag.name());
      if (texts.size() > 1 && !isList) {
        problems.add(flag.name() + ": given " + texts.size() + " times (expected: once)");
      }
      if (flag.label().equals("FILE") && texts.contains(NO_TEXT)) {
        problems.add(flag.name() + ": " + NO_TEXT + " (expected: a file's path)");
      } else if (!texts.isEmpty()) {
        given.put(flag.name(), isList ? String.join(",", texts) : texts.get(0));
      }
    }
    return given;
  }

  /** The known flag that an unknown one is nearest to; null if none is near. */
  static String nearest(String unknown) {
    String name = unknown.replaceFirst("=.*", "");
    List<String> known = new ArrayList<>(SettingsFlags.names());
    known.add("--config");
    known.add("--help");
    for (String candidate : known) {
      if (name.length() > 2 && candidate.endsWith("." + name.substring(2))) {
        return candidate;
      }
    }
    String best = Collections.min(known, Comparator.comparingInt(flag -> distance(name, flag)));
    return distance(name, best) <= name.length() / 3 ? best : null;
  }

  /** Levenshtein's. */
  private static int distance(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j < row.length; j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
