package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.FreePorts;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a sidecar does whose store cannot be reached, or does not let it in. */
class StoreAccessIT {
  @TempDir Path folder;

  private static Rig closed(String node, String... flags) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--mode",
                "exact",
                "--redis.nodes",
                node,
                "--key",
                "header:x-user",
                "--limit",
                "10/365d",
                "--algorithm",
                "fixed-window",
                "--redis.deadline",
                "1s",
                "--on-store-failure",
                "closed"));
    all.addAll(Arrays.asList(flags));
    return Rig.patient("nio", all.toArray(String[]::new));
  }

  private static int ask(Rig rig) throws IOException {
    try (RawClient client = rig.connect()) {
      return client.send(Fleet.get("user")).read().status();
    }
  }

  private String passwordFile(String password) throws IOException {
    return Files.writeString(folder.resolve("password"), password).toString();
  }

  /** Connections within 1.5 s of a sidecar that is not let in; nobody asks for anything. */
  private static long attempts(FaultProxy front) throws InterruptedException {
    long before = front.acceptedCount();
    TimeUnit.MILLISECONDS.sleep(1_500); // it is a rate that is measured
    return front.acceptedCount() - before;
  }

  private static void awaitWarning(LogLines log, String... texts) throws Exception {
    List<String> told = new ArrayList<>(List.of("WARN"));
    told.addAll(List.of(texts));
    String[] all = told.toArray(String[]::new);
    Await.until("a warning: " + told, () -> !log.with(all).isEmpty());
  }

  @Test
  void startsWithoutItsStoreAndSaysWhichNodeIsMissing() throws Exception {
    int port = FreePorts.next();
    long startNs = System.nanoTime();
    try (LogLines log = new LogLines();
        Rig rig = closed("127.0.0.1:" + port)) {
      long startMs = (System.nanoTime() - startNs) / 1_000_000;
      assertEquals(503, ask(rig));
      awaitWarning(log, "127.0.0.1:" + port, "refused");
      assertTrue(startMs < 20_000, startMs + " ms");
      // The same for a store that comes later: nobody has to start the sidecar anew.
      try (RedisServer late = RedisServer.on(RedisKind.EMBEDDED.binary()).port(port).start()) {
        rig.await(StoreRig.DECIDING, 1);
        assertEquals(200, ask(rig));
        assertEquals(1, StoreRig.charged(late, "user"));
      }
    }
  }

  @Test
  void startsWhenTheStoreTakesTheConnectionAndSaysNothing() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        FaultProxy front = new FaultProxy(redis.port());
        LogLines log = new LogLines()) {
      front.blackhole();
      try (Rig rig = closed("127.0.0.1:" + front.port())) {
        assertEquals(503, ask(rig));
        awaitWarning(log, "127.0.0.1:" + front.port());
        front.pass();
        rig.await(StoreRig.DECIDING, 1);
        assertEquals(200, ask(rig));
      }
    }
  }

  @Test
  void saysThatThePasswordIsWrongAndTriesAgainLessAndLess() throws Exception {
    try (RedisServer redis = RedisServer.on(RedisKind.EMBEDDED.binary()).password("right").start();
        FaultProxy front = new FaultProxy(redis.port());
        LogLines log = new LogLines();
        Rig rig =
            closed(
                "127.0.0.1:" + front.port(), "--redis.password-file", passwordFile("mistaken"))) {
      assertEquals(503, ask(rig));
      awaitWarning(log, "127.0.0.1:" + front.port(), "WRONGPASS");
      assertFalse(log.toString().contains("mistaken"), "the password is in the log");
      long attempts = attempts(front);
      assertTrue(attempts < 15, attempts + " connections");
      // An operator puts it right: the sidecar finds out by itself.
      redis.text("CONFIG", "SET", "requirepass", "mistaken");
      rig.await(StoreRig.DECIDING, 1);
      assertEquals(200, ask(rig));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "EMBEDDED, -evalsha, EVALSHA",
    "INSTALLED, -script|load, SCRIPT LOAD",
    "INSTALLED, -set, SET"
  })
  void namesTheCommandThatItsUserMayNotCall(RedisKind kind, String without, String command)
      throws Exception {
    try (RedisServer redis =
            RedisServer.on(kind.binary())
                .user("weir", "on", ">secret", "~rl:*", "+@all", without)
                .start();
        LogLines log = new LogLines();
        Rig rig =
            closed(
                Fleet.node(redis),
                "--redis.username",
                "weir",
                "--redis.password-file",
                passwordFile("secret"))) {
      assertEquals(503, ask(rig));
      awaitWarning(log, "redis " + redis, command);
      redis.text("ACL", "SETUSER", "weir", "+@all");
      rig.await(StoreRig.DECIDING, 1);
      assertEquals(200, ask(rig));
    }
  }

  @Test
  void opensAConnectionAnewWhenTheServerFallsSilentAfterTheHandshake() throws Exception {
    AtomicInteger accepted = new AtomicInteger();
    // Written by the acceptor, which may still be at it when the test closes them.
    List<Socket> open = new CopyOnWriteArrayList<>();
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getLoopbackAddress())) {
      Thread acceptor =
          new Thread(
              () -> {
                try {
                  while (true) {
                    Socket socket = silent.accept();
                    open.add(socket);
                    accepted.incrementAndGet();
                    socket.getInputStream().read(new byte[1000]);
                    socket.getOutputStream().write("+PONG\r\n".getBytes(StandardCharsets.US_ASCII));
                  }
                } catch (IOException ended) {
                  // So has the test.
                }
              });
      acceptor.setDaemon(true);
      acceptor.start();
      try (LogLines log = new LogLines();
          Rig rig = closed("127.0.0.1:" + silent.getLocalPort())) {
        Await.until("another attempt", () -> accepted.get() > 1);
        awaitWarning(log, "no answer within 3000 ms");
        assertTrue(rig.metric("weir_store_connect_failures_total") >= 1);
      }
    } finally {
      for (Socket socket : open) {
        socket.close();
      }
    }
  }

  /** Or each event loop, and each time, would be a cause of its own in the log. */
  @Test
  void tellsOfAServerThatHangsInTheSameWordsEachTime() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        FaultProxy front = new FaultProxy(redis.port());
        LogLines log = new LogLines();
        Rig rig = closed("127.0.0.1:" + front.port())) {
      rig.await(StoreRig.DECIDING, 1);
      front.delayReplies(3_600_000);
      Await.until("given up", () -> ask(rig) == 503 && !log.with("no answer for").isEmpty());
      awaitWarning(log, "no answer for 1000 ms or more");
    }
  }

  @ParameterizedTest
  @CsvSource({"volatile-ttl,1", "allkeys-lfu,1", "noeviction,0"})
  void warnsOfAServerThatForgetsBudgets(String policy, int warnings) throws Exception {
    try (RedisServer redis =
            RedisServer.on(RedisKind.EMBEDDED.binary())
                .config("maxmemory", "100mb")
                .config("maxmemory-policy", policy)
                .start();
        LogLines log = new LogLines();
        Rig rig = closed(Fleet.node(redis))) {
      assertEquals(200, ask(rig));
      rig.await("weir_store_peers", 1);
      if (warnings > 0) {
        awaitWarning(log, policy, Fleet.node(redis));
      }
      assertEquals(warnings, log.with("maxmemory-policy").size(), log.toString());
    }
  }

  @Test
  void connectsAgainLessAndLessAndNeverInStep() throws Exception {
    try (RedisServer redis = RedisKind.EMBEDDED.start();
        FaultProxy front = new FaultProxy(redis.port())) {
      List<Rig> rigs = new ArrayList<>();
      try {
        for (int i = 0; i < 5; i++) {
          rigs.add(closed("127.0.0.1:" + front.port()));
        }
        front.refuse();
        long attempts = attempts(front);
        assertTrue(attempts < 5 * 15, attempts + " connections");
        front.pass();
        for (Rig rig : rigs) {
          rig.await(StoreRig.DECIDING, 1);
          assertEquals(1, rig.metric("weir_store_connects_total") - 1, "connects after the first");
        }
      } finally {
        for (Rig rig : rigs) {
          rig.close();
        }
      }
    }
  }
}
