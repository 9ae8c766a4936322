package dev.weir.proxy.store;

import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.StoreQuestion.Operation;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.proxy.store.map.ShardMap;
import dev.weir.proxy.store.map.StoreKeys;
import io.netty.channel.EventLoop;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/**
 * The store for one event loop. A question goes to the {@link Shard} of its keys, which gathers
 * questions into a {@link Batch}, and sends it over the {@link StoreLink} of its server. Each
 * callback is made once, within the deadline, on this loop.
 */
public final class LoopStore {
  private final LoopStoreConfig parts;
  private final Debts debts;
  private final QuestionResults outcomes;
  private final BatchPool batches;
  private final StoreLinks links;

  /** The shard of each partition; null if no server has the partition. */
  private final Shard[] shards = new Shard[Partitions.COUNT];

  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private boolean isTried;

  /** Shards that hold back questions, until {@link #sendGathered}. */
  private Shard[] waiting = new Shard[16];

  private int waitingCount;

  /**
   * The warm-up, until all servers were connected; null afterwards, or if the start does not wait
   * for them.
   */
  private WarmUp warmUp;

  LoopStore(LoopStoreConfig parts) {
    this.parts = parts;
    debts = new Debts(parts.observer());
    outcomes = new QuestionResults(parts.clock(), debts);
    outcomes.observer(parts.observer());
    EndedCalls ended = new EndedCalls(parts.eventLoop());
    batches = new BatchPool(parts, outcomes, ended);
    links = new StoreLinks(parts, ended, this);
  }

  /** Adds a listener that learns of changed budgets; before the first question. */
  public void listen(BudgetListener ofBudgets) {
    outcomes.listen(ofBudgets);
  }

  /**
   * Asks a question. No callback is made within this call. A question without a callback succeeds
   * if the server can be reached; a debt is kept until it can.
   *
   * @return null if a callback follows, or none is wanted; otherwise why there will be none.
   */
  public StoreFault ask(StoreQuestion question, long nowNs) {
    if (question.operation == Operation.DEBT) {
      outcomes.remember(question, parts.clock().nowNs());
      return null;
    }
    Shard shard = shards[question.keys.partition(question.first)];
    boolean isRefund = question.operation == Operation.REFUND;
    if (shard == null && isRefund) {
      outcomes.refunded(question.requests, false);
      return StoreFault.NO_OWNER;
    }
    if (shard == null) {
      parts.refreshMap().run();
      outcomes.observer().storeUnavailable(StoreFault.NO_OWNER);
      return StoreFault.NO_OWNER;
    }
    outcomes.asking(true);
    try {
      if (isRefund) {
        return shard.refund(question);
      }
      if (question.isFollowed) {
        await(shard);
      }
      return shard.ask(question, nowNs);
    } finally {
      outcomes.asking(false);
    }
  }

  private void await(Shard shard) {
    for (int i = 0; i < waitingCount; i++) {
      if (waiting[i] == shard) {
        return;
      }
    }
    if (waitingCount == waiting.length) {
      waiting = Arrays.copyOf(waiting, 2 * waitingCount);
    }
    waiting[waitingCount++] = shard;
  }

  /**
   * Sends what was held back: no question follows those that are {@link StoreQuestion#followed}.
   */
  public void sendGathered(long nowNs) {
    outcomes.asking(true);
    try {
      while (waitingCount > 0) {
        waiting[--waitingCount].sendDue(nowNs);
      }
    } finally {
      outcomes.asking(false);
    }
  }

  /**
   * The identity of the server that has a partition now ({@link StoreDecision#server()}); 0 while
   * no connected server may decide.
   */
  public long server(int partition) {
    Shard shard = shards[partition];
    return shard == null ? 0 : shard.link().server();
  }

  /** Whether one check may have all of these keys, as one call reaches them. */
  public boolean isOneCheck(StoreKeys keys) {
    Shard shard = shards[keys.partition(0)];
    for (int key = 1; key < keys.count(); key++) {
      if (shards[keys.partition(key)] != shard) {
        return false;
      }
    }
    return true;
  }

  /** Makes a timer on this loop. */
  public WakeUp wakeUp(Runnable task) {
    return new WakeUp(parts.eventLoop(), parts.clock(), task);
  }

  /** Completes when every server of the first map is connected, and the script has run there. */
  CompletableFuture<Void> ready() {
    return ready;
  }

  /** Applies another map of the servers: servers that stay keep their connections and batches. */
  void apply(ShardMap map) {
    links.apply(map);
    divide(map);
    links.closeUnused();
    outcomes.serversChanged();
    tryOnce();
  }

  /** Assigns each partition to the shard of its server; shards that stay keep their batches. */
  private void divide(ShardMap map) {
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
        shard =
            present != null && present.link() == link
                ? present
                : new Shard(parts, outcomes, debts, batches, links, link);
        byLink.put(link, shard);
      }
      shards[partition] = shard;
      debts.assign(partition, shard);
    }
    List<Shard> used = Arrays.asList(shards);
    for (Shard shard : before) {
      if (shard != null && !used.contains(shard)) {
        shard.retire(partition -> shards[partition]);
      }
    }
  }

  /** Sends the debts of all shards of one server, which decides as far as is known. */
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

  /** Warms up when all servers are connected for the first time, before the first request. */
  private void tryOnce() {
    if (!isTried && links.areReady()) {
      isTried = true;
      outcomes.observer(WarmUp.UNOBSERVED);
      warmUp = new WarmUp(this, this::endTrial);
      warmUp.start();
    }
  }

  private void endTrial() {
    outcomes.observer(parts.observer());
    ready.complete(null);
  }

  /** Ends the warm-up, as the sidecar starts serving. */
  void giveUpWaiting() {
    isTried = true;
    if (warmUp != null) {
      warmUp.stop();
      endTrial();
    }
  }

  /**
   * Forgets what is known of a budget with that name, which an operator has reset; of all budgets,
   * if no budget can have the name.
   */
  void forget(byte[] name) {
    int partition = Partitions.named(name);
    if (partition < 0 || name.length > StoreKeys.MAX_KEY_BYTES) {
      outcomes.forgetAll();
    } else {
      outcomes.forget(name, partition);
    }
  }

  /**
   * Forgets what is known of budgets that were reset: at once here, and as soon as possible on
   * every other event loop of the process. Other processes use their remembered refusals up.
   */
  public void forget(StoreKeys keys, int first, int count) {
    for (int key = first; key < first + count; key++) {
      byte[] name =
          Arrays.copyOfRange(keys.bytes(), keys.start(key), keys.start(key) + keys.length(key));
      forget(name);
      parts.forget().accept(name);
    }
  }

  /** Whether no question is gathered or under way. */
  public boolean isIdle() {
    for (Shard shard : shards) {
      if (shard != null && !shard.isIdle()) {
        return false;
      }
    }
    return true;
  }

  /** Closes all connections; requests that still wait fail. */
  void close() {
    for (Shard shard : shards) {
      if (shard != null) {
        shard.dropGathered(StoreFault.DISCONNECTED);
      }
    }
    links.close();
  }

  EventLoop eventLoop() {
    return parts.eventLoop();
  }

  long tick() {
    return parts.clock().tick();
  }

  /** The number of connections to servers of the map that decide now, or that do not. */
  int count(boolean deciding) {
    return links.count(deciding);
  }

  /** Whether a question or refund is being made, during which no callback may change anything. */
  boolean isAsking() {
    return outcomes.isAsking();
  }

  /** The connection of a link is open, and the script has run there. */
  void ready(StoreLink link) {
    outcomes.serversChanged();
    settleDebts(link, parts.clock().nowNs());
    tryOnce();
  }

  /** Closes connections that are idle, if the map does not have their servers. */
  void closeUnused() {
    links.closeUnused();
  }
}
