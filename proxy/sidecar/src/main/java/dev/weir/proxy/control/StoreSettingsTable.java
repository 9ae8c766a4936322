package dev.weir.proxy.control;

import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;

/** The settings of the store, below {@code redis}: their rows, and how they become records. */
final class StoreSettingsTable {
  /** The variable that holds the password, unless a file is named. */
  static final String PASSWORD_VARIABLE = "WEIR_REDIS_PASSWORD";

  static final String SENTINEL_PASSWORD_VARIABLE = "WEIR_REDIS_SENTINEL_PASSWORD";

  /** The variable that holds the key of the hash, unless a file is named. */
  static final String HASH_KEY_VARIABLE = "WEIR_REDIS_HASH_KEY";

  private static final String NODES = "redis.nodes";
  private static final String MASTER = "redis.sentinel-master";
  private static final String SENTINEL_USER = "redis.sentinel-username";
  private static final String SENTINEL_PASSWORD = "redis.sentinel-password-file";
  private static final String HASHED = "redis.hash-sources";

  /** A row each; a list's text has its items between commas. */
  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.of(
              NODES,
              SettingKind.ADDRESSES,
              null,
              "The store: host:port or unix:/path, and so on.",
              StoreSettingsTable::addNodes),
          SettingRow.word(
              "redis.topology",
              "standalone",
              "%s (default), sentinel (the nodes are sentinels), cluster or sharded.",
              Topology.values()),
          name(MASTER, "By which the sentinels know the server."),
          name(SENTINEL_USER, "Of an ACL of the sentinels."),
          secretFile(
              SENTINEL_PASSWORD,
              "Its first line is the sentinels' password; else $"
                  + SENTINEL_PASSWORD_VARIABLE
                  + " is."),
          name("redis.username", "Of an ACL."),
          secretFile(
              "redis.password-file",
              "Its first line; else $" + PASSWORD_VARIABLE + " is the password."),
          SettingRow.value(
              "redis.database",
              SettingKind.NUMBER,
              "0",
              "Of a single server (default %s).",
              text -> Texts.parseInt(text, 0, 1_000_000)),
          SettingRow.toggle("redis.tls", "Speak TLS to the store."),
          SettingRow.value(
              "redis.tls-ca",
              SettingKind.FILE,
              null,
              "Whom to trust, PEM (default the JDK's authorities).",
              StoreSettingsTable::readable),
          SettingRow.value(
              "redis.deadline",
              SettingKind.TIME,
              "5ms",
              "For a decision of the store (default %s).",
              text -> Texts.parseNs(text, 1_000_000, 1_000_000_000, "1ms to 1s")),
          SettingRow.toggle(
              "redis.hash-identities",
              "Let nobody read any identity in the store, not only no secrets."),
          SettingRow.of(
              HASHED,
              SettingKind.SOURCES,
              null,
              "What is secret too, such as header:x-user-id; beside cookies, API keys and such.",
              StoreSettingsTable::addHashed),
          secretFile(
              "redis.hash-key-file",
              "The key of that hash, the same in a fleet; else $" + HASH_KEY_VARIABLE + " is."));

  private StoreSettingsTable() {}

  private static SettingRow<SettingValues> name(String name, String text) {
    return SettingRow.value(name, SettingKind.NAME, null, text, StoreSettingsTable::word);
  }

  private static SettingRow<SettingValues> secretFile(String name, String text) {
    return SettingRow.value(name, SettingKind.FILE, null, text, StoreSettingsTable::firstLine);
  }

  private static void addNodes(SettingValues values, String text) {
    for (String item : text.split(",", -1)) {
      String node = item.strip();
      int star = node.lastIndexOf('*');
      int weight = star < 0 ? 1 : weight(node, node.substring(star + 1));
      StoreNode read =
          new StoreNode(AddressText.parseServer(star < 0 ? node : node.substring(0, star)), weight);
      if (nodes(values).stream().anyMatch(other -> other.address().equals(read.address()))) {
        throw new BadValueException(node, "each node once");
      }
      values.add(NODES, read);
    }
  }

  private static List<StoreNode> nodes(SettingValues values) {
    return values.list(NODES, StoreNode.class);
  }

  private static void addHashed(SettingValues values, String text) {
    for (String item : text.split(",", -1)) {
      KeyPart part = KeyPart.parse(item.strip());
      if (values.list(HASHED, KeyPart.class).contains(part)) {
        throw new BadValueException(item, "each source once");
      }
      values.add(HASHED, part);
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
    ByteBuffer content;
    try {
      content = ByteBuffer.wrap(SmallFile.read(readable(text), "a file"));
    } catch (IOException unreadable) {
      throw new BadValueException(text, "a file of at most 1MiB that can be read");
    }
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(content)
          .toString()
          .lines()
          .findFirst()
          .filter(line -> !line.isEmpty())
          .orElseThrow(() -> new BadValueException(text, "a file with a secret on its first line"));
    } catch (CharacterCodingException binary) {
      throw new BadValueException(text, "a file in UTF-8 that can be read");
    }
  }

  private static Topology topology(SettingValues values) {
    return values.get("redis.topology", Topology.class);
  }

  /** Reports what does not go together. */
  static void check(SettingValues values, Misfits misfits) {
    Topology topology = topology(values);
    String nothing = "nothing, as redis.topology is " + topology;
    List<StoreNode> nodes = nodes(values);
    if (topology == Topology.STANDALONE && nodes.size() > 1) {
      misfits.add(NODES, nodes.toString(), "one, or redis.topology: sharded or cluster");
    }
    boolean isSentinel = topology == Topology.SENTINEL;
    if (isSentinel && !values.isGiven(MASTER)) {
      misfits.add(MASTER, "missing", "the name by which the sentinels know the server");
    }
    if (!isSentinel && values.isGiven(MASTER)) {
      misfits.add(MASTER, values.text(MASTER), nothing);
    }
    if (!isSentinel && values.isGiven(SENTINEL_PASSWORD)) {
      misfits.add(SENTINEL_PASSWORD, "given", nothing);
    } else if (!isSentinel && values.isGiven(SENTINEL_USER)) {
      misfits.add(SENTINEL_USER, "given", nothing);
    }
    int database = values.count("redis.database");
    if (database != 0 && topology != Topology.STANDALONE && !isSentinel) {
      misfits.add("redis.database", Integer.toString(database), nothing);
    }
    if (values.isGiven("redis.tls-ca") && !values.isOn("redis.tls")) {
      String file = values.file("redis.tls-ca").toString();
      misfits.add("redis.tls-ca", file, "nothing, unless redis.tls");
    }
    for (StoreNode node : nodes) {
      if (node.weight() != 1 && topology != Topology.SHARDED) {
        misfits.add(NODES, node + "*" + node.weight(), "no weight, unless sharded");
      }
      if (node.address() instanceof UnixDomainSocketAddress
          && topology != Topology.STANDALONE
          && topology != Topology.SHARDED) {
        misfits.add(NODES, node.toString(), "host:port, as redis.topology is " + topology);
      }
    }
  }

  static StoreSettings build(SettingValues values) {
    return new StoreSettings(
        nodes(values),
        topology(values),
        values.text(MASTER),
        new StoreLogin(
            values.text("redis.username"),
            secret(values.text("redis.password-file"), System.getenv(PASSWORD_VARIABLE))),
        new StoreLogin(
            values.text(SENTINEL_USER),
            secret(values.text(SENTINEL_PASSWORD), System.getenv(SENTINEL_PASSWORD_VARIABLE))),
        values.count("redis.database"),
        values.isOn("redis.tls"),
        values.file("redis.tls-ca"),
        values.ns("redis.deadline"));
  }

  /** How budgets are named in the store. */
  static StoreNames names(SettingValues values) {
    return new StoreNames(
        values.isGiven("service") ? values.text("service") : "",
        values.isOn("redis.hash-identities"),
        new LinkedHashSet<>(values.list(HASHED, KeyPart.class)),
        secret(values.text("redis.hash-key-file"), System.getenv(HASH_KEY_VARIABLE)));
  }

  /** A secret from a file, else from the environment; empty if neither has one. */
  private static String secret(String fromFile, String fromEnvironment) {
    return fromFile != null ? fromFile : fromEnvironment == null ? "" : fromEnvironment;
  }
}
