package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The settings below {@code redis}, from a file and from flags. */
class StoreSettingsTableTest {
  private static final String SECRET = "s3cret-of-the-store";

  @TempDir Path folder;

  private static Map<String, String> flags(String... pairs) {
    Map<String, String> flags = new LinkedHashMap<>();
    flags.put("--upstream", "http://127.0.0.1:8080");
    for (int i = 0; i < pairs.length; i += 2) {
      flags.put(pairs[i], pairs[i + 1]);
    }
    return flags;
  }

  private static StoreSettings accept(String... pairs) {
    return settings(pairs).store();
  }

  private static Settings settings(String... pairs) {
    Faults faults = Faults.ofFlags();
    Settings settings = SettingsFlags.read(flags(pairs), faults);
    assertNotNull(settings, faults.toString());
    return settings;
  }

  private static String faults(String... pairs) {
    Faults faults = Faults.ofFlags();
    assertNull(SettingsFlags.read(flags(pairs), faults));
    return faults.toString();
  }

  private String file(String name, String content) throws IOException {
    return Files.writeString(folder.resolve(name), content).toString();
  }

  @Test
  void readsEverySettingAlikeFromAFileAndFromFlags() throws IOException {
    String password = file("password", SECRET + "\nnot this line\n");
    String hashKey = file("hash-key", "key of all\n");
    String ca = file("ca.pem", "");
    Settings flags =
        settings(
            "--service", "shop",
            "--redis.nodes", "localhost:6379*3, [::1]:6380,unix:/run/redis.sock",
            "--redis.topology", "sharded",
            "--redis.username", "weir",
            "--redis.password-file", password,
            "--redis.tls", "true",
            "--redis.tls-ca", ca,
            "--redis.deadline", "20ms",
            "--redis.hash-identities", "true",
            "--redis.hash-sources", "header:X-User-Id, query:card",
            "--redis.hash-key-file", hashKey);
    String yaml =
        """
        upstream: http://127.0.0.1:8080
        service: shop
        redis:
          nodes: ["localhost:6379*3", "[::1]:6380", "unix:/run/redis.sock"]
          topology: sharded
          username: weir
          password-file: %s
          tls: true
          tls-ca: %s
          deadline: 20ms
          hash-identities: true
          hash-sources: ["header:x-user-id", "query:card"]
          hash-key-file: %s
        """
            .formatted(password, ca, hashKey);
    Faults faults = Faults.ofFile("weir.yaml");
    Settings fromFile = new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), faults);
    assertNotNull(fromFile, faults.toString());
    StoreSettings fromFlags = flags.store();
    assertEquals(fromFlags, fromFile.store());
    assertEquals(flags.names(), fromFile.names());
    assertEquals(
        InetSocketAddress.createUnresolved("localhost", 6379), fromFlags.nodes().get(0).address());
    assertEquals(3, fromFlags.nodes().get(0).weight());
    assertEquals(
        new InetSocketAddress(InetAddress.getByName("::1"), 6380),
        fromFlags.nodes().get(1).address());
    assertEquals(UnixDomainSocketAddress.of("/run/redis.sock"), fromFlags.nodes().get(2).address());
    assertEquals(Topology.SHARDED, fromFlags.topology());
    assertEquals("weir", fromFlags.login().username());
    assertEquals(SECRET, fromFlags.login().password());
    assertTrue(fromFlags.tls());
    assertEquals(Path.of(ca), fromFlags.tlsCa());
    assertEquals(20_000_000, fromFlags.deadlineNs());
    assertTrue(flags.names().hashesAll());
    assertEquals("key of all", flags.names().hashKey());
    assertEquals("shop", flags.names().service());
    assertEquals(
        Set.of(KeyPart.parse("header:x-user-id"), KeyPart.parse("query:card")),
        flags.names().hashed());
  }

  @Test
  void readsADatabaseOfOneServerAndTheNameOfASentinelsMaster() {
    StoreSettings settings =
        accept(
            "--redis.nodes", "a:1,b:2",
            "--redis.topology", "sentinel",
            "--redis.sentinel-master", "main",
            "--redis.database", "7");
    assertEquals(7, settings.database());
    assertEquals("main", settings.sentinelMaster());
  }

  @Test
  void tellsThatOnlyALocalLimitOfAFleetIsShared() {
    assertEquals(
        "--share: auto (expected: none, or redis.nodes to be set: peers are counted there)",
        faults("--limit", "9/1m", "--share", "auto"));
    assertEquals(
        "--share: auto (expected: nothing, as the mode is exact)",
        faults("--limit", "9/1m", "--share", "auto", "--mode", "exact", "--redis.nodes", "a:1"));
    assertEquals(
        "--share: auto (expected: nothing, as the action is deny)",
        faults("--action", "deny", "--share", "auto", "--redis.nodes", "a:1"));
    Settings settings = settings("--limit", "9/1m", "--share", "auto", "--redis.nodes", "a:1");
    assertTrue(settings.rules().rules().get(0).countsPeers());
  }

  @Test
  void recommendsAServiceWhereRulesAskTheStore() {
    String yaml =
        """
        upstream: http://127.0.0.1:8080
        redis: {nodes: ["a:1"]}
        rules: [{id: api, limit: 9/1m, mode: %s}]
        """;
    assertEquals(1, warnings(yaml.formatted("exact")).size());
    assertEquals(List.of(), warnings(yaml.formatted("local")));
    assertEquals(List.of(), warnings("service: shop\n" + yaml.formatted("exact")));
  }

  private static List<?> warnings(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    assertNotNull(new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), faults));
    return faults.warnings();
  }

  @Test
  void readsALoginToTheSentinels() throws IOException {
    StoreSettings settings =
        accept(
            "--redis.nodes", "a:1",
            "--redis.topology", "sentinel",
            "--redis.sentinel-master", "main",
            "--redis.sentinel-username", "watch",
            "--redis.sentinel-password-file", file("password", SECRET));
    assertEquals(new StoreLogin("watch", SECRET), settings.sentinelLogin());
    assertEquals(StoreLogin.NONE, settings.login());
    assertEquals(
        "--redis.sentinel-username: given (expected: nothing, as redis.topology is cluster)",
        faults(
            "--redis.nodes", "a:1",
            "--redis.topology", "cluster",
            "--redis.sentinel-username", "watch"));
  }

  @Test
  void hasNoStoreUnlessNodesAreNamed() {
    assertEquals(StoreSettings.NONE.nodes(), accept().nodes());
    assertFalse(accept().isConfigured());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "nodes|a:1,a:1|a:1 (expected: each node once)",
        "nodes|a:0|a:0 (expected: a port from 1 to 65535)",
        "nodes|a|a (expected: host:port or unix:/path)",
        "nodes|a:1*0|a:1*0 (expected: a weight from 1 to 1000)",
        "nodes|a:1*1001|a:1*1001 (expected: a weight from 1 to 1000)",
        "nodes|a:1*|a:1* (expected: a weight from 1 to 1000)",
        "topology|ring|ring (expected: one of standalone, sentinel, cluster, sharded)",
        "username|a b|a b (expected: 1 to 255 ASCII characters without blanks)",
        "password-file|/nowhere|/nowhere (expected: a file that can be read)",
        "database|-1|-1 (expected: a whole number from 0 to 1000000)",
        "tls|maybe|maybe (expected: true or false)",
        "tls-ca|/nowhere|/nowhere (expected: a file that can be read)",
        "deadline|0.5ms|0.5ms (expected: a duration such as 500ms, 10s, 5m, 1h or 1d)",
        "deadline|2s|2s (expected: 1ms to 1s)",
        "hash-identities|1|1 (expected: true or false)",
        "hash-key-file|/nowhere|/nowhere (expected: a file that can be read)",
      })
  void tellsWhatWasExpected(String setting, String value, String fault) {
    assertEquals(
        "--redis." + setting + ": " + fault,
        faults("--redis." + setting, value).lines().findFirst().orElseThrow());
  }

  @Test
  void tellsWhatDoesNotGoTogether() {
    assertEquals(
        "--redis.nodes: [a:1, b:2] (expected: one, or redis.topology: sharded or cluster)",
        faults("--redis.nodes", "a:1,b:2"));
    assertEquals(
        "--redis.sentinel-master: missing (expected: the name by which the sentinels know the"
            + " server)",
        faults("--redis.nodes", "a:1", "--redis.topology", "sentinel"));
    assertEquals(
        "--redis.sentinel-master: m (expected: nothing, as redis.topology is cluster)",
        faults(
            "--redis.nodes", "a:1",
            "--redis.topology", "cluster",
            "--redis.sentinel-master", "m"));
    assertEquals(
        "--redis.database: 1 (expected: nothing, as redis.topology is cluster)",
        faults("--redis.nodes", "a:1", "--redis.topology", "cluster", "--redis.database", "1"));
    assertEquals(
        "--redis.nodes: a:1*2 (expected: no weight, unless sharded)",
        faults("--redis.nodes", "a:1*2"));
    assertEquals(
        "--redis.nodes: unix:/a.sock (expected: host:port, as redis.topology is cluster)",
        faults("--redis.nodes", "unix:/a.sock", "--redis.topology", "cluster"));
  }

  @Test
  void tellsThatAnAuthorityIsOfNoUseWithoutTls() throws IOException {
    String ca = file("ca.pem", "");
    assertEquals(
        "--redis.tls-ca: " + ca + " (expected: nothing, unless redis.tls)",
        faults("--redis.nodes", "a:1", "--redis.tls-ca", ca));
  }

  @Test
  void showsNoSecret() throws IOException {
    String password = file("password", SECRET);
    String all =
        settings(
                "--redis.nodes",
                "a:1",
                "--redis.topology",
                "sentinel",
                "--redis.sentinel-master",
                "main",
                "--redis.sentinel-password-file",
                password,
                "--redis.password-file",
                password,
                "--redis.hash-key-file",
                password)
            .toString();
    assertFalse(all.contains(SECRET), all);
    String empty = file("empty", "");
    assertEquals(
        "--redis.password-file: " + empty + " (expected: a file with a secret on its first line)",
        faults("--redis.nodes", "a:1", "--redis.password-file", empty));
    String endless = file("endless", "x".repeat((1 << 20) + 1));
    assertEquals(
        "--redis.password-file: "
            + endless
            + " (expected: a file of at most 1MiB that can be read)",
        faults("--redis.nodes", "a:1", "--redis.password-file", endless));
    Path latin = Files.write(folder.resolve("latin"), new byte[] {(byte) 0xE9, 'x'});
    assertEquals(
        "--redis.hash-key-file: " + latin + " (expected: a file in UTF-8 that can be read)",
        faults("--redis.nodes", "a:1", "--redis.hash-key-file", latin.toString()));
    String wrong =
        faults("--redis.nodes", "a", "--redis.password-file", password, "--redis.deadline", "2s");
    assertFalse(wrong.contains(SECRET), wrong);
    assertEquals(List.of(), wrong.lines().filter(line -> line.contains("password")).toList());
  }
}
