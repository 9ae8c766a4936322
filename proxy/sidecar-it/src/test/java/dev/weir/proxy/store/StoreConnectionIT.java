package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisBinary;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import dev.weir.scripts.server.SelfSignedCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The ways to a server of the store. */
class StoreConnectionIT {
  @TempDir private Path folder;

  private static List<String> transports() {
    return Rig.transports();
  }

  /** Of 12 requests ten pass, and the store knows their key. */
  private static void assertDecidedBy(RedisServer redis, String transport, String... flags)
      throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--mode",
                "exact",
                "--key",
                "header:x-user",
                "--limit",
                "10/365d",
                "--redis.deadline",
                "1s",
                "--on-store-failure",
                "closed"));
    all.addAll(Arrays.asList(flags));
    try (Rig rig = Rig.patient(transport, all.toArray(String[]::new));
        RawClient client = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      for (int i = 0; i < 12; i++) {
        int status = client.send(Fleet.get("alice")).read().status();
        assertEquals(i < 10 ? 200 : 429, status, "request " + i);
      }
    }
    assertTrue(redis.log() != null);
  }

  @ParameterizedTest
  @MethodSource("transports")
  void goesOverTcpOnEveryTransport(String transport) throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start()) {
      assertDecidedBy(redis, transport, "--redis.nodes", "localhost:" + redis.port());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void goesOverAUnixSocketOnEveryTransport(String transport) throws Exception {
    try (RedisServer redis = RedisServer.on(RedisBinary.embedded()).unixSocket().start()) {
      assertDecidedBy(redis, transport, "--redis.nodes", "unix:" + redis.unixSocket());
    }
  }

  @ParameterizedTest
  @EnumSource
  void speaksTlsToAServerThatIsTrusted(RedisKind kind) throws Exception {
    SelfSignedCertificate certificate = new SelfSignedCertificate();
    Path ca = certificate.writeCertificate(folder);
    try (RedisServer redis = RedisServer.on(kind.binary()).tls(certificate).start()) {
      for (String transport : transports()) {
        redis.text("FLUSHALL");
        assertDecidedBy(
            redis,
            transport,
            "--redis.nodes",
            "127.0.0.1:" + redis.port(),
            "--redis.tls",
            "true",
            "--redis.tls-ca",
            ca.toString());
      }
    }
  }

  @Test
  void doesNotSpeakToAServerThatIsNotTrustedAndStartsAllTheSame() throws Exception {
    Path other = new SelfSignedCertificate().writeCertificate(folder);
    assertRefused(new SelfSignedCertificate(), other, "unable to find valid certification path");
  }

  @Test
  void doesNotSpeakToAServerWhoseCertificateNamesAnother() throws Exception {
    SelfSignedCertificate elsewhere = new SelfSignedCertificate("dns:elsewhere.example");
    assertRefused(elsewhere, elsewhere.writeCertificate(folder), "127.0.0.1");
  }

  /** No request is decided there, and the log says why. */
  private static void assertRefused(SelfSignedCertificate certificate, Path ca, String cause)
      throws Exception {
    try (LogLines log = new LogLines();
        RedisServer redis = RedisServer.on(RedisBinary.embedded()).tls(certificate).start();
        Rig rig =
            new Rig(
                "nio",
                "--mode",
                "exact",
                "--limit",
                "10/365d",
                "--on-store-failure",
                "closed",
                "--redis.nodes",
                "127.0.0.1:" + redis.port(),
                "--redis.tls",
                "true",
                "--redis.tls-ca",
                ca.toString());
        RawClient client = rig.connect()) {
      assertEquals(503, client.send(Rig.VALID).read().status());
      Await.until("a failure", () -> rig.metric("weir_store_connect_failures_total") > 0);
      String[] told = {"WARN", "redis " + redis + ": ", cause, "on-store-failure"};
      Await.until("the log names the cause", () -> !log.with(told).isEmpty());
      assertEquals(1, log.with(told).size(), log.toString());
    }
  }

  @Test
  void speaksTlsToAServerByItsName() throws Exception {
    SelfSignedCertificate certificate = new SelfSignedCertificate("dns:localhost");
    Path ca = certificate.writeCertificate(folder);
    try (RedisServer redis = RedisServer.on(RedisBinary.embedded()).tls(certificate).start()) {
      assertDecidedBy(
          redis,
          "nio",
          "--redis.nodes",
          "localhost:" + redis.port(),
          "--redis.tls",
          "true",
          "--redis.tls-ca",
          ca.toString());
    }
  }

  @ParameterizedTest
  @MethodSource("transports")
  void goesOverIpVersion6OnEveryTransport(String transport) throws Exception {
    assumeTrue(hasIpVersion6(), "no ::1 here");
    try (RedisServer redis =
        RedisServer.on(RedisBinary.embedded()).config("bind", "127.0.0.1", "::1").start()) {
      assertDecidedBy(redis, transport, "--redis.nodes", "[::1]:" + redis.port());
    }
  }

  private static boolean hasIpVersion6() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("::1"))) {
      return socket.isBound();
    } catch (IOException none) {
      return false;
    }
  }

  /** A replica reads and does not write: it must grant nothing, and refuse nobody as over. */
  @ParameterizedTest
  @EnumSource
  void takesNothingForADecisionThatAReplicaSays(RedisKind kind) throws Exception {
    try (LogLines log = new LogLines();
        RedisServer redis = kind.start();
        RedisServer master = kind.start();
        Rig rig =
            Rig.patient(
                "nio",
                "--mode",
                "exact",
                "--limit",
                "10/365d",
                "--on-store-failure",
                "closed",
                "--redis.deadline",
                "1s",
                "--redis.nodes",
                Fleet.node(redis));
        RawClient client = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      assertEquals(200, client.send(Rig.VALID).read().status());
      redis.text("REPLICAOF", "127.0.0.1", Integer.toString(master.port()));
      assertEquals(503, client.send(Rig.VALID).read().status());
      Await.until("a warning", () -> !log.with("WARN", "redis " + redis, "READONLY").isEmpty());
      redis.text("REPLICAOF", "NO", "ONE");
      rig.await("weir_store_connections_deciding", 1);
      assertEquals(200, client.send(Rig.VALID).read().status());
    }
  }

  @ParameterizedTest
  @EnumSource
  void needsNoMoreThanTheCommandsThatTheReadmeNames(RedisKind kind) throws Exception {
    List<String> rules = acl("zrange");
    Path password = Files.writeString(folder.resolve("password"), "secret\n");
    try (RedisServer redis =
        RedisServer.on(kind.binary()).user("weir", rules.toArray(String[]::new)).start()) {
      assertDecidedBy(
          redis,
          "nio",
          "--redis.nodes",
          Fleet.node(redis),
          "--redis.username",
          "weir",
          "--redis.password-file",
          password.toString());
    }
  }

  private static List<String> acl(String... more) {
    List<String> rules =
        new ArrayList<>(List.of("on", ">secret", "~rl:*", "resetchannels", "&rl:reset"));
    for (String command :
        "evalsha eval script|load time mget set exists del zadd zcard zrem zremrangebyscore pexpire info subscribe"
            .split(" ")) {
      rules.add("+" + command);
    }
    for (String command : more) {
      rules.add("+" + command);
    }
    return rules;
  }

  @Test
  void countsSidecarsAsAUserOfAnEarlierVersionAndSaysWhatThatMayNot() throws Exception {
    Path password = Files.writeString(folder.resolve("password"), "secret\n");
    try (RedisServer redis =
            RedisServer.on(RedisKind.EMBEDDED.binary())
                .user("weir", acl().toArray(String[]::new))
                .start();
        LogLines log = new LogLines();
        Fleet fleet =
            new Fleet(
                2,
                Fleet.node(redis),
                "--redis.username",
                "weir",
                "--redis.password-file",
                password.toString())) {
      fleet.rig(0).await("weir_store_peers", 2);
      fleet.rig(1).await("weir_store_peers", 2);
      assertEquals(2, log.with("WARN", "may not zrange").size(), "once for each");
    }
  }

  @Test
  void usesTheDatabaseThatIsSet() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start()) {
      assertDecidedBy(redis, "nio", "--redis.nodes", Fleet.node(redis), "--redis.database", "3");
      try (RespClient store = redis.connect()) {
        store.text("SELECT", "3");
        assertEquals(1, ((List<?>) store.call("KEYS", "rl:*:alice:default")).size());
      }
    }
  }
}
