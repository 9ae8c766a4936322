package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TimeOfDay;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.StoreRig;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Each kind of change in a reload, with use before it and after it: what was used stays used. No
 * request is refused before the rules change, so nothing is proven, and what is decided afterwards
 * is decided by what the budgets say. Windows are an hour and longer: nothing comes back meanwhile.
 */
@Timeout(30)
class ReloadedLimitsIT {
  private static final String HOUR = "limit: 10/1h";
  private static final int ASKED_AFTERWARDS = 15;

  /**
   * Units that may be in hand under limits that have been replaced, until the end of their life.
   */
  private static final int IN_HAND = 3;

  private static final RedisServer redis = RedisServer.shared();

  @TempDir private Path folder;

  /**
   * A rule as it is in one version of the file after the other.
   *
   * @param passing requests that pass in all, of who used 10 of 10 at first.
   * @param passingOfSome of who used 7.
   * @param bodies the rule's fields but its id, match and key, unless they are there.
   */
  private record Change(String name, int passing, int passingOfSome, String... bodies) {
    Change(String name, int passing, String... bodies) {
      this(name, passing, passing <= 12 ? passing : passing - 3, bodies);
    }

    /** The rule in a version of the file; the last one stays. */
    String rule(int place, int version, String mode) {
      String body = bodies[Math.min(version, bodies.length - 1)];
      return "  - "
          + (body.contains("id:") ? "" : "id: r" + place + "\n    ")
          + (body.contains("; match:") ? "" : "match: {path: /r" + place + "}\n    ")
          + (body.contains("; key:") ? "" : "key: header:x-user\n    ")
          + (body.contains("mode:") || body.contains("action:") ? "" : "mode: " + mode + "\n    ")
          + body.replace("; ", "\n    ").replace("PLACE", Integer.toString(place))
          + "\n";
    }
  }

  private static String list(String... limits) {
    List<String> items = new ArrayList<>();
    for (String limit : limits) {
      items.add("{limit: " + limit + "}");
    }
    return "limits: [" + String.join(", ", items) + "]";
  }

  private static List<Change> changes(String mode) {
    List<Change> all = new ArrayList<>();
    for (String algorithm :
        List.of("gcra", "fixed-window", "sliding-counter", "sliding-log", "bucket-ring")) {
      String one = "limit: 10/1h; algorithm: " + algorithm;
      String listed = "10/1h, algorithm: " + algorithm;
      all.add(new Change("add, " + algorithm, 10, one, list(listed, "100/1d")));
      all.add(new Change("remove, " + algorithm, 10, list(listed, "100/1d"), one));
      all.add(new Change("algorithm, " + algorithm, 10, HOUR, one));
      all.add(
          new Change(
              "algorithm in a list, " + algorithm,
              10,
              list("10/1h", "100/1d"),
              list(listed, "100/1d")));
      all.add(
          new Change(
              "window in a list, " + algorithm,
              10,
              list(listed, "100/1d"),
              list(listed.replace("1h", "2h"), "100/1d")));
    }
    all.add(
        new Change(
            "add and remove", 10, HOUR, list("10/1h", "100/1d"), HOUR, list("10/1h", "9/7d")));
    all.add(new Change("add a third", 10, list("10/1h", "99/1d"), list("99/2d", "10/1h", "99/1d")));
    all.add(new Change("reorder", 10, list("10/1h", "99/1d"), list("99/1d", "10/1h")));
    all.add(new Change("another's window", 10, list("10/1h", "99/1d"), list("10/1h", "99/2d")));
    all.add(new Change("window", 10, HOUR, "limit: 10/2h"));
    all.add(
        new Change(
            "window twice",
            10,
            list("10/1h", "99/1d"),
            list("10/2h", "99/1d"),
            list("10/3h", "99/1d")));
    all.add(
        new Change(
            "algorithm, and another's window",
            10,
            HOUR,
            list("10/1h", "99/1d"),
            list("99/2d", "10/1h, algorithm: sliding-log")));
    all.add(
        new Change(
            "number and algorithm, and another's window",
            10,
            HOUR,
            list("10/1h", "99/1d"),
            list("99/2d", "9/1h, algorithm: sliding-log")));
    all.add(new Change("name", 10, HOUR, HOUR + "; name: a", HOUR + "; name: b", HOUR));
    all.add(
        new Change(
            "name, with all else of the limit and of another",
            10,
            list("10/1h, name: a", "99/1d, name: b"),
            list(
                "99/1d, name: b, algorithm: sliding-log", "10/2h, name: a, algorithm: sliding-log"),
            list("10/1d, name: a", "99/2h, name: b")));
    all.add(new Change("more", 12, HOUR, "limit: 12/1h"));
    all.add(new Change("less", 10, 8, HOUR, "limit: 8/1h"));
    all.add(new Change("burst", 12, HOUR, "limit: 10/1h; burst: 12"));
    all.add(new Change("on-missing-key", 10, HOUR, HOUR + "; on-missing-key: shared"));
    all.add(new Change("match", 10, HOUR, HOUR + "; match: {path: /rPLACE, methods: [GET]}"));
    all.add(new Change("priority", 10, HOUR, HOUR + "; priority: 5"));
    all.add(new Change("cost", 10, 8, HOUR, HOUR + "; cost: 2"));
    all.add(new Change("action", 25, 25, HOUR, "action: unlimited", HOUR));
    all.add(new Change("nothing", 10, HOUR, HOUR));
    // Who changes whose budget it is, begins anew: configuration.md says so.
    all.add(new Change("key", 20, 7, HOUR, HOUR + "; key: header:host"));
    all.add(new Change("id", 20, HOUR, "id: other-PLACE; " + HOUR));
    if (mode.equals("local")) {
      all.add(new Change("share", 10, HOUR, HOUR + "; share: auto"));
    } else {
      String other = mode.equals("exact") ? "leased" : "exact";
      all.add(new Change("mode", 10, HOUR, HOUR + "; mode: " + other));
      all.add(new Change("on-store-failure", 10, HOUR, HOUR + "; on-store-failure: open"));
      all.add(
          new Change(
              "on-store-failure of one",
              10,
              list("10/1h", "99/1d"),
              list("10/1h", "99/1d, on-store-failure: open")));
    }
    if (mode.equals("leased")) {
      all.add(new Change("lease-life", 10, HOUR, HOUR + "; lease-life: 100ms"));
    }
    return all;
  }

  private static String file(List<Change> changes, int version, String mode) {
    StringBuilder file = new StringBuilder();
    file.append("service: ").append(mode).append("\n");
    file.append("redis: {nodes: [").append(Fleet.node(redis)).append("], deadline: 1s}\n");
    file.append("rules:\n  - {id: ring, match: {path: /ring}, limit: 99/1d,");
    file.append(" algorithm: sliding-log}\n");
    for (int place = 0; place < changes.size(); place++) {
      file.append(changes.get(place).rule(place, version, mode));
    }
    return file.toString();
  }

  private static String upstream(String file) {
    return "upstream: http://127.0.0.1:1\n" + file;
  }

  private static int status(RawClient client, String path, String user) throws IOException {
    String request = "GET " + path + " HTTP/1.1\r\nHost: a\r\nX-User: " + user + "\r\n\r\n";
    return client.send(request).read().status();
  }

  private static int passing(RawClient client, String path, String user, int asked)
      throws IOException {
    int passing = 0;
    for (int i = 0; i < asked; i++) {
      int status = status(client, path, user);
      assertTrue(status == 200 || status == 429, path + ": " + status);
      passing += status == 200 ? 1 : 0;
    }
    return passing;
  }

  private static boolean isWrong(int passed, int passing, int inHand) {
    return passed > passing || passed < passing - inHand;
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void whatWasUsedStaysUsed(String mode) throws Exception {
    List<Change> changes = changes(mode);
    int[] all = new int[changes.size()];
    int[] some = new int[changes.size()];
    List<String> wrong = new ArrayList<>();
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file(changes, 0, mode));
        RawClient client = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      for (int place = 0; place < all.length; place++) {
        all[place] = passing(client, "/r" + place, "all", 10);
        some[place] = passing(client, "/r" + place, "some", 7);
      }
      for (int version = 1; version < 4; version++) {
        rig.publish(file(changes, version, mode));
        for (int place = 0; place < all.length; place++) {
          if (version < changes.get(place).bodies().length) {
            all[place] += passing(client, "/r" + place, "all", ASKED_AFTERWARDS);
            some[place] += passing(client, "/r" + place, "some", ASKED_AFTERWARDS);
          }
        }
      }
    }
    for (int place = 0; place < all.length; place++) {
      Change change = changes.get(place);
      int inHand = mode.equals("leased") ? IN_HAND : 0;
      if (isWrong(all[place], change.passing(), inHand)
          || isWrong(some[place], change.passingOfSome(), inHand)) {
        wrong.add(change.name() + ": " + all[place] + ", " + some[place]);
      }
    }
    assertEquals("", String.join("\n", wrong));
  }

  /**
   * Three limits whose algorithms change three times, read as the file is: what would be forgotten
   * is not taken.
   */
  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void severalReloadsWithinAWindowGiveNothingAway(String mode) throws Exception {
    Change change =
        new Change(
            "", 10, all("gcra"), all("fixed-window"), all("sliding-counter"), all("token-bucket"));
    List<Change> changes = List.of(change);
    int taken = 0;
    try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file(changes, 0, mode));
        RawClient client = rig.connect()) {
      rig.await(StoreRig.DECIDING, 1);
      Path path = folder.resolve(mode + ".yaml");
      Files.writeString(path, upstream(file(changes, 0, mode)));
      Settings running = new SettingsFile().read(path, Faults.ofFile("weir.yaml"));
      int all = passing(client, "/r0", "three times", 10);
      int some = passing(client, "/r0", "in between", 7);
      int quiet = passing(client, "/r0", "quiet", 7);
      try (RuleReload reload =
          new RuleReload(path, running, rig.sidecar.ruleReloads(), rig.sidecar.ruleChoice())) {
        for (int version = 1; version < 4; version++) {
          Files.writeString(path, upstream(file(changes, version, mode)));
          Faults faults = reload.reload();
          if (faults.isEmpty()) {
            taken++;
            rig.awaitLoops();
          } else {
            assertTrue(
                faults.toString().contains("rules[1].limits: would forget"), faults::toString);
          }
          all += passing(client, "/r0", "three times", ASKED_AFTERWARDS);
          some += passing(client, "/r0", "in between", ASKED_AFTERWARDS);
        }
      }
      quiet += passing(client, "/r0", "quiet", ASKED_AFTERWARDS);
      int inHand = mode.equals("leased") ? IN_HAND : 0;
      String passed = all + ", " + some + ", " + quiet;
      assertTrue(!isWrong(all, 10, inHand), passed);
      assertTrue(!isWrong(some, 10, inHand), passed);
      assertTrue(!isWrong(quiet, 10, inHand), passed);
      assertEquals(mode.equals("local") ? 3 : 1, taken);
    }
  }

  /** Three limits of one algorithm. */
  private static String all(String algorithm) {
    String by = ", algorithm: " + algorithm;
    return list("99/1d" + by, "98/2d" + by, "10/1h" + by);
  }

  /** The clock of the process is set right within a second of its start. */
  @Test
  void aClockThatIsSetRightAfterTheStartGivesNoWindowAway() throws Exception {
    try (TimeOfDay time = new TimeOfDay();
        LogLines log = new LogLines()) {
      List<Change> changes =
          List.of(new Change("", 10, "limit: 10/1d; algorithm: fixed-window; align: day"));
      time.setBehind(63 * 24);
      try (Rig rig = Rig.ofFile(Rig.preferredTransport(), file(changes, 0, "local"));
          RawClient client = rig.connect()) {
        RuleSet first = rig.sidecar.rules();
        assertEquals(10, passing(client, "/r0", "all", 11));
        Await.until("followed", () -> rig.sidecar.rules() != first);
        assertEquals(1, log.with("WARN", "the time of day was set").size());
        rig.publish(file(changes, 1, "local"));
        assertEquals(0, passing(client, "/r0", "all", 11));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"exact", "leased"})
  void sidecarsThatReloadLaterShareTheBudgetAndSoDoesOneThatForgetsTheFormerName(String mode)
      throws Exception {
    List<Change> changes = new ArrayList<>();
    int[] later = new int[3];
    for (String algorithm : List.of("gcra", "fixed-window", "sliding-log")) {
      String one = "limit: 10/1h; algorithm: " + algorithm;
      changes.add(new Change("", 10, one, list("10/1h, algorithm: " + algorithm, "100/1d")));
    }
    try (Rig first = Rig.ofFile(Rig.preferredTransport(), file(changes, 0, mode));
        Rig second = Rig.ofFile(Rig.preferredTransport(), file(changes, 0, mode));
        RawClient client = first.connect();
        RawClient other = second.connect()) {
      first.await(StoreRig.DECIDING, 1);
      second.await(StoreRig.DECIDING, 1);
      for (int place = 0; place < changes.size(); place++) {
        assertEquals(1, passing(client, "/r" + place, "shared", 1));
        assertEquals(2, passing(other, "/r" + place, "shared", 2));
        assertEquals(3, passing(other, "/r" + place, "later", 3));
      }
      first.publish(file(changes, 1, mode));
      for (int place = 0; place < changes.size(); place++) {
        String path = "/r" + place;
        int passed = passing(other, path, "shared", 2) + passing(client, path, "shared", 2);
        passed += passing(other, path, "shared", 9) + passing(client, path, "shared", 9);
        assertTrue(passed <= 7 && passed >= 7 - IN_HAND, path + ": " + passed);
        later[place] = passing(client, path, "later", 9);
        assertTrue(later[place] >= 7 - IN_HAND, path + ": " + later[place]);
      }
      long endedNs = first.sidecar.rules().formerNamesUntilNs();
      assertTrue(endedNs > TimeUnit.HOURS.toNanos(1) && endedNs < TimeUnit.HOURS.toNanos(2));
      first.sidecar.change(rules -> rules.again(LoopClock.unixEpochNs(), endedNs));
      assertEquals(Long.MAX_VALUE, first.sidecar.rules().formerNamesUntilNs());
      first.publish(file(changes, 2, mode));
      for (int place = 0; place < changes.size(); place++) {
        // The hour is not over: what was used is known by the new name, too.
        later[place] += passing(client, "/r" + place, "later", 9);
        assertTrue(later[place] <= 7, "/r" + place + ": " + later[place]);
      }
    }
  }
}
