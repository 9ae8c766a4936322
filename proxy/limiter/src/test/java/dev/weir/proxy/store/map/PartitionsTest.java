package dev.weir.proxy.store.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PartitionsTest {
  private static List<StoreNode> nodes(int... weights) {
    List<StoreNode> nodes = new ArrayList<>();
    for (int i = 0; i < weights.length; i++) {
      InetSocketAddress address = InetSocketAddress.createUnresolved("redis-" + i, 6379);
      nodes.add(new StoreNode(address, weights[i]));
    }
    return nodes;
  }

  private static long count(int[] owners, int owner) {
    return Arrays.stream(owners).filter(o -> o == owner).count();
  }

  @Test
  void hasTheSlotsThatRedisComputes() {
    // As CLUSTER KEYSLOT of a server says.
    assertEquals(13334, Partitions.slot(0));
    assertEquals(6164, Partitions.slot(46));
    assertEquals(5539, Partitions.slot(127));
    assertEquals(Partitions.COUNT, slots().size(), "each partition has a slot of its own");
    assertTrue(slots().stream().allMatch(slot -> slot >= 0 && slot < 16_384));
  }

  private static Set<Integer> slots() {
    Set<Integer> slots = new HashSet<>();
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      slots.add(Partitions.slot(partition));
    }
    return slots;
  }

  @Test
  void spellsTheHashTagWithThreeDigits() {
    assertEquals("{p007}", new String(Partitions.tag(7), StandardCharsets.US_ASCII));
    assertEquals("{p127}", new String(Partitions.tag(127), StandardCharsets.US_ASCII));
  }

  @Test
  void keepsThePartitionInAHash() {
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      assertEquals(partition, Partitions.of(Partitions.into(-1, partition)));
      assertEquals(partition, Partitions.of(Partitions.into(0, partition)));
    }
  }

  @Test
  void spreadsAlikeWhateverTheOrderOfTheServers() {
    List<StoreNode> nodes = nodes(1, 2, 3);
    int[] owners = Partitions.spread(nodes);
    List<StoreNode> turned = List.of(nodes.get(2), nodes.get(0), nodes.get(1));
    int[] again = Partitions.spread(turned);
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      assertEquals(nodes.get(owners[partition]), turned.get(again[partition]));
    }
  }

  @Test
  void movesOnlyTheShareOfAServerThatLeaves() {
    List<StoreNode> nodes = nodes(1, 1, 1, 1);
    int[] before = Partitions.spread(nodes);
    int[] after = Partitions.spread(nodes.subList(0, 3));
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      if (before[partition] != 3) {
        assertEquals(before[partition], after[partition]);
      }
    }
  }

  @Test
  void movesPartitionsOnlyToAServerWhoseWeightGrows() {
    int[] before = Partitions.spread(nodes(1, 1, 1));
    int[] after = Partitions.spread(nodes(1, 5, 1));
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      assertTrue(after[partition] == before[partition] || after[partition] == 1);
    }
    assertTrue(count(after, 1) > count(before, 1));
  }

  @Test
  void givesEachServerAboutItsWeight() {
    long heavy = 0;
    long all = 0;
    for (int fleet = 0; fleet < 50; fleet++) {
      List<StoreNode> nodes = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        InetSocketAddress address =
            InetSocketAddress.createUnresolved("redis-" + fleet + "-" + i, 6379);
        nodes.add(new StoreNode(address, i == 0 ? 2 : 1));
      }
      heavy += count(Partitions.spread(nodes), 0);
      all += Partitions.COUNT;
    }
    assertEquals(0.5, heavy / (double) all, 0.03);
  }
}
