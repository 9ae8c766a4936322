package dev.weir.proxy.records;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Users changed by the command line at sidecars that decide by their records. */
@Timeout(120)
class RecordedUsersIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String EDITOR = "editors-token-0123456789";
  private static final String ADMIN = "admins-token-0123456789";
  private static final String VIEWER = "viewers-token-0123456789";

  @TempDir private Path folder;
  private String out;
  private String err;

  @BeforeEach
  void start() throws Exception {
    redis.text("FLUSHALL");
    String tokens =
        "eddy editor " + sha256(EDITOR) + "\nada admin " + sha256(ADMIN) + "\nvera viewer ";
    Files.writeString(folder.resolve("tokens"), tokens + sha256(VIEWER) + "\n");
  }

  private static String sha256(String text) throws Exception {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
  }

  private String settings(String records) {
    return """
        service: shop
        admin: 127.0.0.1:0
        admin-tokens: %s
        redis: {nodes: %s, deadline: 1s}
        records: {%s}
        trusted-proxies: [127.0.0.1]
        users: {identity: "header:x-user", tiers: [free, premium], directory: shop}
        rules:
          - id: r
            mode: exact
            key: header:x-user
            limits:
              - {name: month, limit: 10/30d, algorithm: fixed-window, tiers: {premium: 20/30d}}
            ban: {after: 60000/1m, for: [1m]}
        """
        .formatted(folder.resolve("tokens"), Fleet.node(redis), records);
  }

  private Fleet fleet(int size) throws Exception {
    return Fleet.ofFile(size, settings("store: redis")).deciding(1);
  }

  /** Runs a command at a sidecar; returns its exit code. */
  private int weir(Rig rig, String token, String... words) throws Exception {
    Path file = Files.writeString(folder.resolve("token"), token);
    int port = ((InetSocketAddress) rig.sidecar.adminAddress()).getPort();
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine weir = WeirCommand.commandLine();
    weir.setOut(new PrintWriter(outText));
    weir.setErr(new PrintWriter(errText));
    Stream<String> where = Stream.of("--token-file=" + file, "--admin=127.0.0.1:" + port);
    int code = weir.execute(Stream.concat(Arrays.stream(words), where).toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return code;
  }

  private void done(Rig rig, String... words) throws Exception {
    assertEquals(0, weir(rig, EDITOR, words), () -> String.join(" ", words) + ": " + err);
  }

  private static int status(Rig rig, String user) throws Exception {
    try (RawClient client = rig.connect()) {
      return client.send(Fleet.get(user)).read().status();
    }
  }

  private static int passed(Rig rig, String user, int requests) throws Exception {
    int passed = 0;
    for (int i = 0; i < requests; i++) {
      passed += status(rig, user) == 200 ? 1 : 0;
    }
    return passed;
  }

  /** What a sidecar has of ann's limit: how much, and who says so. */
  private boolean has(Rig rig, String limit, String saidBy) throws Exception {
    done(rig, "users", "limits", "ann", "--output", "json");
    return out.contains("\"limit\":\"" + limit + "\",\"said_by\":\"" + saidBy + "\"");
  }

  private boolean isBanned(Rig rig) throws Exception {
    done(rig, "users", "limits", "ann", "--output", "json");
    return out.contains("banned_for_seconds");
  }

  /** Slots and units that requests hold under one plan count under the next, and so do costs. */
  @ParameterizedTest
  @ValueSource(strings = {"local", "exact"})
  void whatRequestsHoldWhenTheirUsersPlanChangesCountsUnderTheNext(String mode) throws Exception {
    String limits =
        """
              - {name: units, limit: 4/30d, tiers: {premium: 40/30d},
                 cost: {response: {header: x-cost}, reserve: 2}}
              - {name: running, concurrency: 2, tiers: {premium: 4}}
        """;
    String file = settings("store: redis").replace("mode: exact", "mode: " + mode);
    Semaphore answers = new Semaphore(0);
    AtomicInteger running = new AtomicInteger();
    List<RawClient> clients = new ArrayList<>();
    try (Fleet fleet = Fleet.ofFile(1, file.replaceFirst(" +- [{]name: month.*\n", limits))) {
      fleet.deciding(1);
      Rig rig = fleet.rig(0);
      rig.origin.script(
          with -> {
            with.request();
            running.incrementAndGet();
            answers.acquire();
            with.send("HTTP/1.1 200 OK\r\nx-cost: 2\r\nContent-Length: 0\r\n\r\n");
          });
      become(rig, "premium", "40/30d");
      for (int i = 0; i < 3; i++) {
        clients.add(rig.connect().send(Fleet.get("ann")));
      }
      Await.until("three run", () -> running.get() == 3);
      become(rig, "free", "4/30d");
      assertEquals(429, status(rig, "ann"), "three run, of two");
      answers.release(100);
      for (RawClient client : clients) {
        assertEquals(200, client.read().status());
        client.close();
      }
      assertEquals(429, status(rig, "ann"), "six units are used, of four");
      become(rig, "premium", "40/30d");
      assertEquals(17, passed(rig, "ann", 25), "of 34 units that are left");
    } finally {
      answers.release(100);
    }
  }

  private void become(Rig rig, String tier, String limit) throws Exception {
    done(rig, "users", "set", "ann", "--tier", tier);
    Await.until("it has " + limit, () -> has(rig, limit, tier.equals("free") ? "limit" : "tier"));
  }

  @Test
  void aTierThatOneSidecarIsToldIsDecidedByOnTheOther() throws Exception {
    try (Fleet fleet = fleet(2)) {
      Rig one = fleet.rig(0);
      Rig other = fleet.rig(1);
      assertEquals(6, passed(one, "ann", 6));
      assertEquals(4, passed(other, "ann", 10));
      done(one, "users", "set", "ann", "--tier", "premium", "--reason", "paid");
      Await.until("the other has the tier", () -> status(other, "ann") == 200);
      assertEquals(9, passed(other, "ann", 20), "what was used stays used");
      Await.until("it has", () -> has(one, "20/30d", "tier"));
      assertEquals(0, passed(one, "ann", 5));
      done(other, "users", "set", "ann", "--tier", "free");
      Await.until("free again", () -> has(one, "10/30d", "limit") && has(other, "10/30d", "limit"));
      assertEquals(0, passed(one, "ann", 5) + passed(other, "ann", 5));
      done(one, "users", "set", "ann", "--tier", "premium");
      Await.until("premium", () -> has(one, "20/30d", "tier") && has(other, "20/30d", "tier"));
      assertEquals(0, passed(one, "ann", 5) + passed(other, "ann", 5), "no fresh budget");
    }
  }

  @Test
  void anOverrideEndsByTheClockOnEverySidecar() throws Exception {
    try (Fleet fleet = fleet(2)) {
      Rig one = fleet.rig(0);
      Rig other = fleet.rig(1);
      assertEquals(10, passed(one, "ann", 11));
      assertEquals(0, passed(other, "ann", 1));
      done(one, "users", "set", "ann", "--factor", "3", "--until", "1h", "--reason", "launch");
      Await.until("tripled", () -> status(other, "ann") == 200);
      assertTrue(has(other, "30/30d", "override"), out);
      String soon = Instant.now().plusMillis(1_500).truncatedTo(ChronoUnit.MILLIS).toString();
      done(other, "users", "set", "ann", "--factor", "2", "--until", soon, "--reason", "less");
      Await.until("it ends", () -> has(one, "10/30d", "limit") && has(other, "10/30d", "limit"));
      assertEquals(0, passed(one, "ann", 3) + passed(other, "ann", 3));
      done(one, "users", "get", "ann");
      assertTrue(out.contains("override until"), "the record still tells of it: " + out);
    }
  }

  @Test
  void aBanHoldsOnEverySidecarAndAResetGivesTheBudgetBack() throws Exception {
    try (Fleet fleet = fleet(2)) {
      Rig one = fleet.rig(0);
      Rig other = fleet.rig(1);
      assertEquals(1, passed(other, "ann", 1));
      done(one, "users", "ban", "ann", "--for", "1h", "--reason", "bot");
      assertEquals(429, status(one, "ann"));
      Await.until("banned there, too", () -> isBanned(other));
      assertEquals(429, status(other, "ann"));
      done(other, "users", "unban", "ann");
      Await.until("not banned any more", () -> !isBanned(other) && !isBanned(one));
      assertEquals(2, passed(one, "ann", 1) + passed(other, "ann", 1));
      passed(one, "ann", 10);
      assertEquals(429, status(other, "ann"));
      done(one, "users", "reset", "ann", "--limit", "month");
      Await.until("full again", () -> status(other, "ann") == 200);
      assertEquals(9, passed(one, "ann", 12));
      assertEquals(List.of("eddy reset", "eddy unban", "eddy ban"), audit(one));
    }
  }

  private static List<String> audit(Rig rig) throws Exception {
    AuditQuery ofAnn = new AuditQuery(null, null, null, "ann", null, 100);
    return rig.sidecar.records().store().audit(ofAnn).entries().stream()
        .map(entry -> entry.author().name() + " " + entry.action())
        .toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {"redis", "file"})
  void usersAreImportedListedExportedAndDeleted(String store) throws Exception {
    boolean isFile = store.equals("file");
    String records = isFile ? "store: file, folder: " + folder.resolve("kept") : "store: redis";
    String lines =
        """
        {"id":"=cmd|' /C calc'!A0","record":{"tier":"premium"}}
        {"id":"org/ann","record":{"limits":{"month":"15/30d"}}}
        {"id":"zoë ?&#%","record":{}}
        """;
    try (Fleet fleet = Fleet.ofFile(1, settings(records)).deciding(1)) {
      Rig rig = fleet.rig(0);
      Path file = Files.writeString(folder.resolve("users.ndjson"), lines);
      assertEquals(0, weir(rig, ADMIN, "users", "import", file.toString()), err);
      assertEquals("written 3, refused 0\n", err);
      assertEquals(0, weir(rig, ADMIN, "users", "export"), err);
      assertEquals(lines, out.lines().sorted().collect(Collectors.joining("\n", "", "\n")));
      done(rig, "users", "list", "--tier", "premium");
      assertEquals(2, out.lines().count(), out);
      assertTrue(out.contains("=cmd|"), out);
      done(rig, "users", "get", "org/ann");
      assertTrue(out.contains("15/30d"), out);
      done(rig, "users", "delete", "org/ann");
      assertEquals(1, weir(rig, EDITOR, "users", "get", "org/ann"));
      Files.writeString(
          file,
          "{\"id\":\"a\\u001b[2J\\r\\nb\",\"record\":{}}\n"
              + "{\"id\":\"zoë ?&#%\",\"record\":{},\"if-match\":\"99-00000000\"}\n"
              + "{\"id\":\"bob\",\"record\":{\"tier\":\"gold\"}}\n");
      assertEquals(4, weir(rig, ADMIN, "users", "import", file.toString()));
      assertEquals(4, err.lines().count(), err);
      assertTrue(err.chars().noneMatch(c -> c == 27 || c == '\r'), err);
      assertEquals(3, weir(rig, VIEWER, "users", "delete", "zoë ?&#%"));
      assertEquals(3, weir(rig, EDITOR, "users", "import", file.toString()));
      assertEquals(3, weir(rig, "nobodys-token-0123456789", "users", "list"));
    }
  }
}
