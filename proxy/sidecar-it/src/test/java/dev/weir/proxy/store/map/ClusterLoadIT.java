package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.LogLines;
import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.rig.Fleet;
import dev.weir.proxy.rig.FleetLoad;
import dev.weir.scripts.server.Await;
import dev.weir.scripts.server.RedisCluster;
import dev.weir.scripts.server.RedisKind;
import dev.weir.scripts.server.RedisServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A cluster changes while four sidecars ask it all the time. */
class ClusterLoadIT {
  private static final int PARTITION = 5;
  private static final Set<Integer> EXACT = Set.of(10);

  /** What docs/fleet.md says that a user of a cluster needs. */
  private static final String LEAST_PERMISSIONS =
      "on >secret "
          + ManualPage.of("docs/fleet.md").blocks().stream()
              .filter(block -> block.language().equals("text"))
              .map(block -> block.text().replace('\n', ' '))
              .findFirst()
              .orElseThrow()
          + "+cluster|slots +asking";

  @TempDir private Path folder;

  private RedisKind kind;
  private RedisCluster cluster;

  /** One cluster for all claims: it takes longer to form than to try. */
  @ParameterizedTest
  @EnumSource
  void answersEveryRequestAndLetsExactlyTenOfEachUserPass(RedisKind of) throws Exception {
    kind = of;
    cluster =
        RedisCluster.start(
            kind.binary(),
            options ->
                options
                    .config("cluster-require-full-coverage", "no")
                    .user("weir", LEAST_PERMISSIONS.split(" ")));
    try {
      staysExactWhileASlotMoves();
      staysExactThroughAPlannedFailover();
      losesNoMoreThanTheKeysOfAKilledMaster();
      refusesWhileTheClusterIsDown();
    } finally {
      cluster.close();
    }
  }

  private Fleet fleet(int size, String... flags) throws Exception {
    List<String> all =
        new ArrayList<>(
            List.of(
                "--redis.topology",
                "cluster",
                "--redis.username",
                "weir",
                "--redis.password-file",
                Files.writeString(folder.resolve("password"), "secret").toString(),
                "--limit",
                "10/365d",
                "--on-store-failure",
                "closed"));
    all.addAll(List.of(flags));
    // Any will do: what it knows of the others is asked.
    RedisServer one = cluster.nodes().stream().filter(RedisServer::isRunning).findFirst().get();
    return new Fleet(size, Fleet.node(one), all.toArray(String[]::new)).deciding(3);
  }

  private int slot() throws Exception {
    return cluster.slotOf(String.format("{p%03d}", PARTITION));
  }

  private RedisServer otherThan(RedisServer master) {
    RedisServer first = cluster.masterOf(0);
    return first == master ? cluster.masterOf(RedisCluster.SLOT_COUNT - 1) : first;
  }

  private void staysExactWhileASlotMoves() throws Exception {
    try (Fleet fleet = fleet(4);
        FleetLoad load = new FleetLoad(fleet, user -> FleetLoad.userOf(PARTITION, user))) {
      load.await(20);
      RedisServer to = otherThan(cluster.masterOf(slot()));
      cluster.migrate(slot(), to, false);
      // New keys are on neither side: ASK for one, TRYAGAIN for several at once.
      load.await(60);
      assertTrue(fleet.sum("weir_store_resent_total") > 0);
      cluster.migrate(slot(), to, true);
      load.await(20);
      load.stop();
      assertEquals(EXACT, load.passed().keySet());
      assertEquals(0, load.count(503), fleet::undecided);
    }
  }

  private void staysExactThroughAPlannedFailover() throws Exception {
    try (Fleet fleet = fleet(4);
        FleetLoad load = new FleetLoad(fleet, user -> "planned" + user)) {
      load.await(30);
      for (RedisServer node : cluster.nodes()) {
        node.text("SCRIPT", "FLUSH"); // a replica need not know the script when it is promoted
      }
      cluster.failover(slot());
      load.await(100);
      load.stop();
      assertEquals(EXACT, load.passed().keySet());
      assertEquals(0, load.count(503), fleet::undecided);
    }
  }

  private void losesNoMoreThanTheKeysOfAKilledMaster() throws Exception {
    int slot = slot();
    try (Fleet fleet = fleet(4);
        FleetLoad load = new FleetLoad(fleet, user -> "killed" + user)) {
      load.await(30);
      RedisServer old = cluster.masterOf(slot);
      Set<Integer> its = partitionsOf(old);
      old.kill();
      load.await(20);
      cluster.awaitOk();
      long from = load.awaitExact();
      load.await(60);
      load.stop();
      Map<Integer, Integer> others =
          load.passed(user -> !its.contains(FleetLoad.partition("killed" + user)));
      Map<Integer, Integer> lost =
          load.passed(user -> its.contains(FleetLoad.partition("killed" + user)));
      assertTrue(load.count(503) > 0);
      assertEquals(EXACT, others.keySet(), "of the other masters");
      assertEquals(EXACT, load.passed(user -> user >= from).keySet(), "once it was replaced");
      // Nobody passes undecided; what the replica had not received is spent once more at the most.
      assertTrue(lost.keySet().stream().allMatch(passed -> passed <= 20), lost.toString());
      old.restart();
      cluster.awaitOk();
    }
  }

  private Set<Integer> partitionsOf(RedisServer master) throws Exception {
    BitSet slots = cluster.slotsOf(master);
    Set<Integer> partitions = new HashSet<>();
    for (int partition = 0; partition < 128; partition++) {
      if (slots.get(cluster.slotOf(String.format("{p%03d}", partition)))) {
        partitions.add(partition);
      }
    }
    return partitions;
  }

  private static long slotsCalls(RedisServer node) throws Exception {
    return node.text("INFO", "commandstats")
        .lines()
        .filter(line -> line.matches("cmdstat_cluster(\\|slots)?:.*"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^=]*:calls=([0-9]+),.*", "$1")))
        .sum();
  }

  private void refusesWhileTheClusterIsDown() throws Exception {
    try (Fleet fleet = fleet(1);
        LogLines log = new LogLines();
        FleetLoad load = new FleetLoad(fleet, user -> "down" + user)) {
      load.await(5);
      for (RedisServer node : cluster.nodes()) {
        node.text("CONFIG", "SET", "cluster-require-full-coverage", "yes");
      }
      int slot = slot();
      RedisServer replica = cluster.replicaOf(slot);
      RedisServer master = cluster.masterOf(slot);
      replica.kill();
      master.kill();
      Await.until("the cluster is down", () -> !log.with("CLUSTERDOWN").isEmpty());
      List<RedisServer> left = cluster.nodes().stream().filter(RedisServer::isRunning).toList();
      final long downNs = System.nanoTime();
      for (RedisServer node : left) {
        node.text("CONFIG", "RESETSTAT");
      }
      load.await(200);
      Await.until("two seconds", () -> System.nanoTime() - downNs > 2_000_000_000L);
      List<String> lines = log.with("CLUSTERDOWN");
      long readings = 0;
      for (RedisServer node : left) {
        readings += slotsCalls(node);
      }
      // The time last: it is a rate that is limited.
      long seconds = 1 + (System.nanoTime() - downNs) / 1_000_000_000L;
      assertTrue(lines.size() <= seconds + 1, lines.toString());
      // Of three servers each time, each 100 ms at the start and then once a second.
      assertTrue(readings <= 3 * (seconds + 10), readings + " in " + seconds + " s");
      master.restart();
      replica.restart();
      cluster.awaitOk();
      long from = load.awaitExact();
      load.await(20);
      load.stop();
      assertEquals(EXACT, load.passed(user -> user >= from).keySet(), "once it was up");
    }
  }
}
