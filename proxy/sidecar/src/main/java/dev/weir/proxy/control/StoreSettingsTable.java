package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.ADDRESSES;
import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.NUMBER;
import static dev.weir.proxy.control.SettingKind.SOURCES;
import static dev.weir.proxy.control.SettingKind.SWITCH;
import static dev.weir.proxy.control.SettingKind.TIME;

import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Stream;

/** The settings of the store, below {@code redis}: their rows, and how they become a record. */
final class StoreSettingsTable {
  /** The variable that holds the password, unless a file is named. */
  static final String PASSWORD_VARIABLE = "WEIR_REDIS_PASSWORD";

  static final String SENTINEL_PASSWORD_VARIABLE = "WEIR_REDIS_SENTINEL_PASSWORD";

  /** The variable that holds the key of the hash, unless a file is named. */
  static final String HASH_KEY_VARIABLE = "WEIR_REDIS_HASH_KEY";

  private static final long LEAST_DEADLINE_NS = 1_000_000;
  private static final long MOST_DEADLINE_NS = 1_000_000_000;

  /** A row each; a list's text has its items between commas. */
  static final List<SettingRow<StoreSettingsTable>> ALL =
      List.of(
          row(
              "nodes",
              ADDRESSES,
              null,
              "The store: host:port or unix:/path, and so on.",
              StoreSettingsTable::addNodes),
          row(
              "topology",
              NAME,
              "standalone",
              "%s (default), sentinel (the nodes are sentinels), cluster or sharded.",
              (f, t) -> f.topology = Texts.parseOneOf(t, Topology.values())),
          row(
              "sentinel-master",
              NAME,
              null,
              "By which the sentinels know the server.",
              (f, t) -> f.sentinelMaster = word(t)),
          row(
              "sentinel-username",
              NAME,
              null,
              "Of an ACL of the sentinels.",
              (f, t) -> f.sentinelUsername = word(t)),
          row(
              "sentinel-password-file",
              FILE,
              null,
              "Its first line is the sentinels' password; else $"
                  + SENTINEL_PASSWORD_VARIABLE
                  + " is.",
              (f, t) -> f.sentinelPassword = firstLine(t)),
          row("username", NAME, null, "Of an ACL.", (f, t) -> f.username = word(t)),
          row(
              "password-file",
              FILE,
              null,
              "Its first line; else $" + PASSWORD_VARIABLE + " is the password.",
              (f, t) -> f.password = firstLine(t)),
          row(
              "database",
              NUMBER,
              "0",
              "Of a single server (default %s).",
              (f, t) -> f.database = Texts.parseInt(t, 0, 1_000_000)),
          row(
              "tls",
              SWITCH,
              "false",
              "Speak TLS to the store.",
              (f, t) -> f.tls = Texts.parseBoolean(t)),
          row(
              "tls-ca",
              FILE,
              null,
              "Whom to trust, PEM (default the JDK's authorities).",
              (f, t) -> f.tlsCa = readable(t)),
          row(
              "deadline",
              TIME,
              "5ms",
              "For a decision of the store (default %s).",
              (f, t) -> f.deadlineNs = deadlineNs(t)),
          row(
              "hash-identities",
              SWITCH,
              "false",
              "Let nobody read any identity in the store, not only no secrets.",
              (f, t) -> f.hashesAll = Texts.parseBoolean(t)),
          row(
              "hash-sources",
              SOURCES,
              null,
              "What is secret too, such as header:x-user-id; beside cookies, API keys and such.",
              StoreSettingsTable::addHashed),
          row(
              "hash-key-file",
              FILE,
              null,
              "The key of that hash, the same in a fleet; else $" + HASH_KEY_VARIABLE + " is.",
              (f, t) -> f.hashKey = firstLine(t)));

  private final List<StoreNode> nodes = new ArrayList<>();
  private Topology topology;
  private String sentinelMaster;
  private String username;
  private String password;
  private String sentinelUsername;
  private String sentinelPassword;
  private int database;
  private boolean tls;
  private Path tlsCa;
  private long deadlineNs;
  private boolean hashesAll;
  private final Set<KeyPart> hashed = new LinkedHashSet<>();
  private String hashKey;

  private static SettingRow<StoreSettingsTable> row(
      String name,
      SettingKind kind,
      String standard,
      String help,
      BiConsumer<StoreSettingsTable, String> reader) {
    return SettingRow.of("redis." + name, kind, standard, help, reader);
  }

  private void addNodes(String text) {
    for (String item : text.split(",", -1)) {
      String node = item.strip();
      int star = node.lastIndexOf('*');
      int weight = star < 0 ? 1 : weight(node, node.substring(star + 1));
      StoreNode read =
          new StoreNode(AddressText.parseServer(star < 0 ? node : node.substring(0, star)), weight);
      if (nodes.stream().anyMatch(other -> other.address().equals(read.address()))) {
        throw new BadValueException(node, "each node once");
      }
      nodes.add(read);
    }
  }

  private void addHashed(String text) {
    for (String item : text.split(",", -1)) {
      KeyPart part = KeyPart.parse(item.strip());
      if (!hashed.add(part)) {
        throw new BadValueException(item, "each source once");
      }
    }
  }

  private static int weight(String node, String text) {
    try {
      return Texts.parseInt(text, 1, StoreNode.MAX_WEIGHT);
    } catch (BadValueException bad) {
      throw new BadValueException(node, "a weight from 1 to " + StoreNode.MAX_WEIGHT);
    }
  }

  private static String word(String text) {
    if (!text.matches("[!-~]{1,255}")) {
      throw new BadValueException(text, "1 to 255 ASCII characters without blanks");
    }
    return text;
  }

  private static long deadlineNs(String text) {
    long deadlineNs = DurationText.parseNs(text);
    if (deadlineNs < LEAST_DEADLINE_NS || deadlineNs > MOST_DEADLINE_NS) {
      throw new BadValueException(text, "1ms to 1s");
    }
    return deadlineNs;
  }

  private static Path readable(String text) {
    try {
      Path path = Path.of(text);
      if (Files.isRegularFile(path) && Files.isReadable(path)) {
        return path;
      }
    } catch (InvalidPathException invalid) {
      throw new BadValueException(text, "a file that can be read");
    }
    throw new BadValueException(text, "a file that can be read");
  }

  /** A secret: of the file's content nothing may show in a message. */
  private static String firstLine(String text) {
    try (Stream<String> lines = Files.lines(readable(text))) {
      return lines
          .findFirst()
          .filter(line -> !line.isEmpty())
          .orElseThrow(() -> new BadValueException(text, "a file with a secret on its first line"));
    } catch (IOException | UncheckedIOException unreadable) {
      throw new BadValueException(text, "a file in UTF-8 that can be read");
    }
  }

  /** Reports what does not go together. */
  void check(Misfits misfits) {
    String named = topology.toString();
    if (topology == Topology.STANDALONE && nodes.size() > 1) {
      misfits.add("redis.nodes", nodes.toString(), "one, or redis.topology: sharded or cluster");
    }
    if (topology == Topology.SENTINEL && sentinelMaster == null) {
      misfits.add(
          "redis.sentinel-master", "missing", "the name by which the sentinels know the server");
    }
    if (topology != Topology.SENTINEL && sentinelMaster != null) {
      misfits.add(
          "redis.sentinel-master", sentinelMaster, "nothing, as redis.topology is " + named);
    }
    if (topology != Topology.SENTINEL && (sentinelUsername != null || sentinelPassword != null)) {
      misfits.add(
          sentinelPassword != null ? "redis.sentinel-password-file" : "redis.sentinel-username",
          "given",
          "nothing, as redis.topology is " + named);
    }
    boolean isOne = topology == Topology.STANDALONE || topology == Topology.SENTINEL;
    if (database != 0 && !isOne) {
      misfits.add(
          "redis.database", Integer.toString(database), "nothing, as redis.topology is " + named);
    }
    if (tlsCa != null && !tls) {
      misfits.add("redis.tls-ca", tlsCa.toString(), "nothing, unless redis.tls");
    }
    for (StoreNode node : nodes) {
      if (node.weight() != 1 && topology != Topology.SHARDED) {
        misfits.add("redis.nodes", node + "*" + node.weight(), "no weight, unless sharded");
      }
      if (node.address() instanceof UnixDomainSocketAddress
          && topology != Topology.STANDALONE
          && topology != Topology.SHARDED) {
        misfits.add("redis.nodes", node.toString(), "host:port, as redis.topology is " + named);
      }
    }
  }

  StoreSettings build() {
    return new StoreSettings(
        nodes,
        topology,
        sentinelMaster,
        new StoreLogin(username, secret(password, PASSWORD_VARIABLE)),
        new StoreLogin(sentinelUsername, secret(sentinelPassword, SENTINEL_PASSWORD_VARIABLE)),
        database,
        tls,
        tlsCa,
        deadlineNs);
  }

  /**
   * How budgets are named in the store.
   *
   * @param service empty if it is not said.
   */
  StoreNames names(String service) {
    return new StoreNames(service, hashesAll, hashed, secret(hashKey, HASH_KEY_VARIABLE));
  }

  /** A secret from a file, else from the environment; empty if neither has one. */
  private static String secret(String fromFile, String variable) {
    String fromEnvironment = System.getenv(variable);
    return fromFile != null ? fromFile : fromEnvironment == null ? "" : fromEnvironment;
  }
}
