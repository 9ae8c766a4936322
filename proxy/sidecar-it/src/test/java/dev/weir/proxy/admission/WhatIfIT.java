package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.FaultProxy;
import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A candidate beside the rules of sidecars that share a store. */
@Timeout(60)
class WhatIfIT {
  private static final RedisServer redis = RedisServer.shared();
  private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\nX-User-Id: ann\r\n\r\n";

  @TempDir private Path folder;

  @BeforeEach
  void forget() throws Exception {
    redis.text("FLUSHALL");
  }

  /** What stands in the files of both; the rules in use have the number of the limit. */
  private String file(String node, String mode, int limit) {
    return "service: shop\nredis: {nodes: '"
        + node
        + "', deadline: 1s}\nrules:\n  - {id: r, limit: "
        + limit
        + "/365d, algorithm: fixed-window, key: header:x-user-id, mode: "
        + mode
        + (mode.equals("local") ? "}\n" : ", on-store-failure: closed}\n");
  }

  private String withCandidate(String node, String modeNow, String modeThen) throws Exception {
    Path candidate = folder.resolve("candidate.yaml");
    Files.writeString(candidate, "upstream: http://127.0.0.1:1\n" + file(node, modeThen, 3));
    return file(node, modeNow, 5) + "what-if: {file: " + candidate + "}\n";
  }

  private static double sum(Fleet fleet, String outcome) {
    return fleet.sum("weir_what_if_requests_total{outcome=\"" + outcome + "\"}");
  }

  private static List<Integer> statuses(List<RawClient> clients, int count) throws Exception {
    List<Integer> statuses = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      statuses.add(clients.get(i % clients.size()).send(GET).read().status());
    }
    return statuses;
  }

  /** Waits until the candidate of each sidecar is decided by the store; users of their own ask. */
  private static void warm(Fleet fleet) throws Exception {
    for (Rig rig : fleet.rigs) {
      try (RawClient client = rig.connect()) {
        int[] user = {0};
        Await.until(
            "a candidate that decides",
            () -> rig.metrics(),
            () -> {
              client.send(GET.replace("ann", "user-" + user[0]++ + "-of-" + rig.port())).read();
              return rig.metric("weir_what_if_requests_total{outcome=\"both_pass\"}") > 0;
            });
        rig.await("weir_what_if_requests_total{outcome=\"only_now\"}", 0);
      }
    }
  }

  private static double compared(Fleet fleet) {
    return sum(fleet, "both_pass")
        + sum(fleet, "both_refuse")
        + sum(fleet, "only_now")
        + sum(fleet, "only_then");
  }

  @ParameterizedTest
  @CsvSource({"exact, exact", "local, exact", "exact, local", "leased, leased"})
  void aFleetsCandidateChargesBudgetsOfItsOwn(String now, String then) throws Exception {
    try (Fleet fleet = Fleet.ofFile(2, withCandidate(Fleet.node(redis), now, then)).deciding(1)) {
      warm(fleet);
      double before = compared(fleet);
      double passedBefore = sum(fleet, "both_pass") + sum(fleet, "only_now");
      List<Integer> statuses = statuses(fleet.connect(2), 8);
      long passed = statuses.stream().filter(status -> status == 200).count();
      boolean isShared = !now.equals("local");
      assertEquals(isShared ? 5 : 8, passed, statuses.toString());
      Await.until(
          "all compared",
          () -> "only " + (compared(fleet) - before),
          () -> compared(fleet) - before == 8);
      double thenPass = sum(fleet, "both_pass") + sum(fleet, "only_now") - passedBefore;
      assertEquals(then.equals("local") ? 6 : 3, thenPass);
      try (RespClient store = redis.connect()) {
        assertEquals(isShared ? 1 : 0, ((List<?>) store.call("KEYS", "rl:*:ann:shop:r")).size());
        assertEquals(
            then.equals("local") ? 0 : 1,
            ((List<?>) store.call("KEYS", "rl:*:ann:shop[?]what-if:r[?]*")).size());
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"local", "exact", "leased"})
  void aChangedCandidateBeginsWithFreshBudgets(String mode) throws Exception {
    try (Fleet fleet =
        Fleet.ofFile(1, withCandidate(Fleet.node(redis), "local", mode)).deciding(1)) {
      warm(fleet);
      assertEquals(3, passedThen(fleet, 4));
      Path candidate = folder.resolve("candidate.yaml");
      Files.writeString(
          candidate,
          Files.readString(candidate) + "  - {id: other, match: {path: /other}, limit: 1/1m}\n");
      fleet.rig(0).sidecar.reload();
      assertEquals(3, passedThen(fleet, 4));
    }
  }

  /** How many of some requests of one identity the candidate would let pass. */
  private static int passedThen(Fleet fleet, int count) throws Exception {
    double before = compared(fleet);
    double passedBefore = sum(fleet, "both_pass") + sum(fleet, "only_now");
    statuses(fleet.connect(1), count);
    Await.until(
        "all compared",
        () -> "only " + (compared(fleet) - before),
        () -> compared(fleet) - before == count);
    return (int) (sum(fleet, "both_pass") + sum(fleet, "only_now") - passedBefore);
  }

  @Test
  void aStoreThatFailsAndADrainWaitForNoCandidate() throws Exception {
    try (FaultProxy faults = new FaultProxy(redis.port());
        Rig rig =
            Rig.ofFile(
                Rig.preferredTransport(),
                withCandidate("127.0.0.1:" + faults.port(), "local", "exact"));
        RawClient client = rig.connect()) {
      assertEquals(List.of(200, 200), statuses(List.of(client), 2));
      faults.refuse();
      assertEquals(List.of(200, 200, 200, 429), statuses(List.of(client), 4));
      assertTrue(rig.sidecar.drain(5_000_000_000L));
    }
  }
}
