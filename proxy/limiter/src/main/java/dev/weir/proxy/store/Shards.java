package dev.weir.proxy.store;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.debt.Debts;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.ShardMap;
import java.net.SocketAddress;
import java.util.HashMap;
import java.util.Map;

/** The shards of an event loop, and which partitions belong to each. */
final class Shards {
  private final LoopStoreConfig parts;
  private final QuestionResults outcomes;
  private final Debts debts;
  private final BatchPool batches;
  private final StoreLinks links;

  /** By partition; null if no server has it. */
  private final Shard[] shards = new Shard[Partitions.COUNT];

  Shards(
      LoopStoreConfig parts,
      QuestionResults outcomes,
      Debts debts,
      BatchPool batches,
      StoreLinks links) {
    this.parts = parts;
    this.outcomes = outcomes;
    this.debts = debts;
    this.batches = batches;
    this.links = links;
  }

  /** Null if nobody has the partition. */
  Shard of(int partition) {
    return shards[partition];
  }

  /** Takes over another map, whose servers have links: what stays keeps its batches. */
  void apply(ShardMap map) {
    Shard[] before = shards.clone();
    Map<StoreLink, Shard> byLink = new HashMap<>();
    for (Shard shard : before) {
      if (shard != null) {
        byLink.put(shard.link(), shard);
      }
    }
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      SocketAddress server = map.server(partition);
      Shard shard = null;
      if (server != null) {
        StoreLink link = links.to(server);
        Shard present = map.isCluster() ? shards[partition] : byLink.get(link);
        shard = present != null && present.link() == link ? present : made(link);
        byLink.put(link, shard);
      }
      shards[partition] = shard;
      debts.assign(partition, shard == null ? null : shard.debts());
    }
    for (Shard shard : before) {
      if (shard != null && !isUsed(shard)) {
        shard.retire(this::of);
      }
    }
  }

  private Shard made(StoreLink link) {
    return new Shard(parts, outcomes, debts, batches, links, link);
  }

  private boolean isUsed(Shard wanted) {
    for (Shard shard : shards) {
      if (shard == wanted) {
        return true;
      }
    }
    return false;
  }

  /** Charges what has passed without a decision, of all shards of one server. */
  void settleDebts(StoreLink link, long nowNs) {
    if (debts.isEmpty()) {
      return;
    }
    Shard last = null;
    for (Shard shard : shards) {
      if (shard != null && shard != last && shard.link() == link) {
        shard.settleDebts(nowNs);
        last = shard;
      }
    }
  }

  /** Whether no batch gathers or is on its way. */
  boolean areIdle() {
    for (Shard shard : shards) {
      if (shard != null && !shard.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /** Tells all that wait for a batch that has not left that there is no decision. */
  void dropGathered(StoreFault fault) {
    for (Shard shard : shards) {
      if (shard != null) {
        shard.dropGathered(fault);
      }
    }
  }
}
