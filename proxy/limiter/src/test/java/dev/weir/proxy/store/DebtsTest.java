package dev.weir.proxy.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class DebtsTest {
  private static final long SECOND = 1_000_000_000;
  private static final long NOW = 10 * SECOND;
  private static final int PER_PARTITION = Debts.MAX_BUDGETS / Partitions.COUNT;

  private final ScriptLimit[] seconds = {ScriptLimit.fixedWindow(10, 1_000_000, 0)};
  private final ScriptLimit[] years = {ScriptLimit.fixedWindow(10, 31_536_000_000_000L, 0)};
  private final Observer observer = new Observer();
  private final LoopClock clock = new LoopClock();
  private final LoopStoreConfig parts =
      new LoopStoreConfig(
          null,
          clock,
          new Deadlines(clock),
          null,
          null,
          () -> {},
          name -> {},
          observer,
          5_000_000,
          below -> 0);
  private final Debts debts = new Debts(observer);
  private final QuestionResults outcomes = new QuestionResults(clock, debts);
  private final EndedCalls ended = new EndedCalls(null);
  private final StoreLinks links = new StoreLinks(parts, ended, null);
  private final Shard dead = shard();
  private final Shard healthy = shard();
  private final StoreKeys keys = new StoreKeys(1);

  private static final class Observer implements StoreObserver {
    private long forgotten;

    @Override
    public void storeDebts(long requestCount, boolean charged) {
      forgotten += charged ? 0 : requestCount;
    }
  }

  private Shard shard() {
    StoreLink link =
        new StoreLink(parts, ended, null, new InetSocketAddress("127.0.0.1", 1), () -> 0);
    link.serverTime().answered(1_700_000_000_000_000L, NOW);
    BatchPool batches = new BatchPool(parts, outcomes, ended);
    return new Shard(parts, outcomes, debts, batches, links, link);
  }

  private void owe(int partition, int key, ScriptLimit[] limits, long nowNs) {
    keys.clear();
    keys.buffer().putInt(0, key);
    keys.add(Integer.BYTES, partition, key * 0x9E37_79B9_7F4A_7C15L, 0);
    debts.add(keys, 0, limits[0], 1, 1, nowNs, nowNs);
  }

  /** The first half of the partitions is one server's, the rest another's. */
  private void twoServers() {
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      debts.assign(partition, partition < Partitions.COUNT / 2 ? dead : healthy);
    }
  }

  private int move(Shard shard, long nowNs) {
    Batch batch = new Batch(outcomes, ended).begin(shard, 0);
    debts.moveTo(batch, shard, nowNs);
    return batch.checkCount();
  }

  @Test
  void aShardWithoutDebtsLooksAtNoneHoweverManyAnotherHas() {
    twoServers();
    for (int key = 0; key < Debts.MAX_BUDGETS; key++) {
      owe(key % (Partitions.COUNT / 2), key, years, NOW);
    }
    assertEquals(Debts.MAX_BUDGETS, dead.debtCount);
    assertEquals(0, healthy.debtCount);
    for (int answer = 0; answer < 1_000; answer++) {
      healthy.settleDebts(NOW);
    }
    assertEquals(0, debts.lookCount());
    assertTrue(debts.owes(dead, NOW));
    assertEquals(1, debts.lookCount());
  }

  @Test
  void chargesEachDebtOnceAndLooksAtEachOnce() {
    twoServers();
    for (int key = 0; key < 1_024; key++) {
      owe(key % Partitions.COUNT, key, years, NOW);
      owe(key % Partitions.COUNT, key, years, NOW);
    }
    assertEquals(512, dead.debtCount);
    assertEquals(Batch.MAX_KEYS, move(dead, NOW));
    assertEquals(Batch.MAX_KEYS, move(dead, NOW));
    assertEquals(0, dead.debtCount);
    assertFalse(debts.owes(dead, NOW));
    assertEquals(513, debts.lookCount(), "one had no room, and was seen again");
    assertEquals(512, healthy.debtCount);
    assertFalse(debts.isEmpty());
  }

  /** A long outage, where a paced debt is over within milliseconds. */
  @Test
  void allocatesNothingForDebtsThatComeAndEnd() {
    ScriptLimit[] paced = {ScriptLimit.paced(10, 1_000, 1_000_000)};
    long nowNs = oweInTurn(20 * Debts.MAX_BUDGETS, paced, NOW);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20 && least > 0; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      nowNs = oweInTurn(Debts.MAX_BUDGETS, paced, nowNs);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least);
    assertEquals(0, observer.forgotten);
  }

  /** Owes requests of 65,536 clients, under limits of either kind; returns the time after. */
  private long oweInTurn(int requests, ScriptLimit[] paced, long fromNs) {
    long nowNs = fromNs;
    for (int i = 0; i < requests; i++) {
      nowNs += 1_000_000;
      int client = (int) (nowNs / 1_000_000 & 0xffff);
      owe(client % Partitions.COUNT, client, client % 3 == 0 ? seconds : paced, nowNs);
    }
    return nowNs;
  }

  @Test
  void debtsGoWithTheirPartitionToAnotherServer() {
    twoServers();
    owe(0, 1, years, NOW);
    owe(127, 2, years, NOW);
    debts.assign(0, null);
    assertEquals(0, dead.debtCount);
    owe(0, 3, years, NOW);
    debts.assign(0, healthy);
    assertEquals(3, healthy.debtCount);
    assertEquals(3, move(healthy, NOW));
    assertTrue(debts.isEmpty());
  }

  @Test
  void whatIsOverIsNotChargedAndMakesRoom() {
    twoServers();
    for (int key = 0; key < Debts.MAX_BUDGETS; key++) {
      owe(key % Partitions.COUNT, key, key < Partitions.COUNT ? years : seconds, NOW);
    }
    owe(0, -1, years, NOW);
    assertEquals(1, observer.forgotten);
    // Those of a year stand before the others.
    for (int key = 0; key < 100; key++) {
      owe(0, -2 - key, years, NOW + SECOND);
    }
    assertTrue(observer.forgotten < 40, "forgotten " + observer.forgotten);
    int charged = 0;
    for (int batch = 0; batch < PER_PARTITION; batch++) {
      charged += move(dead, NOW + SECOND) + move(healthy, NOW + SECOND);
    }
    assertTrue(debts.isEmpty());
    assertEquals(Partitions.COUNT + 101 - observer.forgotten, charged);
  }
}
