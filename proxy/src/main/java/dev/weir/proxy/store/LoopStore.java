package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

/**
 * The store as one event loop sees it: a connection to each server, a shard of batches to each, and
 * the deadline of every decision. Whoever asks is told once, within the deadline, on this loop.
 */
public final class LoopStore {
  /** Redirections that one batch follows. */
  static final int MAX_HOPS = 5;

  /** Batches that may exist at one time, gathering and in flight. */
  static final int MAX_BATCHES = 1024;

  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Deadlines deadlines;
  private final Connector connector;
  private final StoreHealth health;
  private final Runnable refresh;
  private final StoreObserver requestObserver;
  private final long deadlineNs;
  private final WakeUp wakeUp;
  private final Debts debts;
  private final Map<SocketAddress, StoreLink> links = new HashMap<>();
  private final Shard[] shards = new Shard[Partitions.COUNT];
  private final Batch watched = new Batch(); // the head of a ring
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final EndedCalls ended;
  private boolean isAsking;
  private BudgetListener listener = BudgetListener.NONE;
  private StoreObserver observer;
  private boolean warm;
  private Runnable giveUpWaiting = () -> {};
  private Batch free;
  private int batchCount;
  private ShardMap map = ShardMap.EMPTY;

  LoopStore(
      EventLoop eventLoop,
      LoopClock clock,
      Deadlines deadlines,
      Connector connector,
      StoreHealth health,
      Runnable refresh,
      StoreObserver observer,
      long deadlineNs) {
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.deadlines = deadlines;
    this.connector = connector;
    this.health = health;
    this.refresh = refresh;
    this.requestObserver = observer;
    this.observer = observer;
    this.deadlineNs = deadlineNs;
    this.wakeUp = new WakeUp(eventLoop, clock, this::expire);
    this.debts = new Debts(requestObserver, shards);
    this.ended = new EndedCalls(eventLoop);
    watched.next = watched;
    watched.previous = watched;
  }

  /** Says who keeps what is known of budgets; before the first question. */
  public void listener(BudgetListener ofBudgets) {
    listener = ofBudgets;
  }

  /**
   * Asks a question. Nobody is told anything within this call. What has no taker is done if the
   * server can be reached; a debt is kept until it can.
   *
   * @return null if the answer will be told, or nobody is to be told any; else why there is none,
   *     and it will not.
   */
  public StoreFault ask(StoreQuestion question, long nowNs) {
    switch (question.operation) {
      case CHECK, PEEK, RESET -> {
        Shard shard = shards[question.keys.partition(question.first)];
        if (shard == null) {
          refreshMap();
          observer.storeUnavailable(StoreFault.NO_OWNER);
          return StoreFault.NO_OWNER;
        }
        isAsking = true;
        try {
          return shard.ask(question, nowNs);
        } finally {
          isAsking = false;
        }
      }
      case REFUND -> {
        return refund(question);
      }
      case DEBT -> debts.add(question, clock.nowNs(), clock.nowNs());
    }
    return null;
  }

  private StoreFault refund(StoreQuestion question) {
    Shard shard = shards[question.keys.partition(question.first)];
    if (shard == null) {
      observer.storeRefunds(question.requests, false);
      return StoreFault.NO_OWNER;
    }
    isAsking = true;
    try {
      return shard.refund(question);
    } finally {
      isAsking = false;
    }
  }

  /** Whether one check may have all of these keys: they are in one call's reach. */
  public boolean isOneCheck(StoreKeys keys) {
    Shard shard = shards[keys.partition(0)];
    for (int key = 1; key < keys.count(); key++) {
      if (shards[keys.partition(key)] != shard) {
        return false;
      }
    }
    return true;
  }

  /** What calls back on this loop at a time that is set. */
  public WakeUp wakeUp(Runnable task) {
    return new WakeUp(eventLoop, clock, task);
  }

  /** Completes when every server of the first map is connected, and has been tried. */
  CompletableFuture<Void> ready() {
    return ready;
  }

  // ---- the servers

  /** Takes over another map: what stays keeps its connection and its batches. */
  void apply(ShardMap newMap) {
    map = newMap;
    Stream.concat(newMap.servers().stream(), newMap.standbys().stream())
        .filter(server -> !links.containsKey(server))
        .forEach(this::open);
    Shard[] before = shards.clone();
    Map<StoreLink, Shard> byLink = new HashMap<>();
    for (Shard shard : before) {
      if (shard != null) {
        byLink.put(shard.link(), shard);
      }
    }
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      SocketAddress server = newMap.server(partition);
      shards[partition] = server == null ? null : shard(partition, links.get(server), byLink);
    }
    debts.regroup();
    for (Shard shard : before) {
      if (shard != null && !isUsed(shard)) {
        shard.retire();
      }
    }
    closeUnused();
    announceReady();
  }

  /** A partition that a server has; -1 if it has none, as far as is known. */
  int partitionOf(SocketAddress server) {
    int owner = map.servers().indexOf(server);
    for (int partition = 0; partition < Partitions.COUNT && owner >= 0; partition++) {
      if (map.owners()[partition] == owner) {
        return partition;
      }
    }
    return -1;
  }

  private Shard shard(int partition, StoreLink link, Map<StoreLink, Shard> byLink) {
    if (map.isCluster()) {
      Shard present = shards[partition];
      return present != null && present.link() == link ? present : new Shard(this, link);
    }
    return byLink.computeIfAbsent(link, of -> new Shard(this, of));
  }

  private boolean isUsed(Shard wanted) {
    for (Shard shard : shards) {
      if (shard == wanted) {
        return true;
      }
    }
    return false;
  }

  private StoreLink open(SocketAddress server) {
    StoreLink link = new StoreLink(this, server);
    links.put(server, link);
    deadlines.join(link);
    link.connect();
    return link;
  }

  /** Closes the connections to servers that the map no longer has, but for those still in use. */
  void closeUnused() {
    for (Iterator<StoreLink> all = links.values().iterator(); all.hasNext(); ) {
      StoreLink link = all.next();
      boolean isKnown =
          map.servers().contains(link.address()) || map.standbys().contains(link.address());
      if (!isKnown && link.isIdle()) {
        all.remove();
        link.close();
      }
    }
  }

  void linkReady(StoreLink link) {
    settleDebts(link, clock.nowNs());
    announceReady();
  }

  /** When all servers are connected for the first time, they are tried before any request is. */
  private void announceReady() {
    if (!warm
        && map != ShardMap.EMPTY
        && map.servers().stream().allMatch(server -> links.get(server).isReady())) {
      warm = true;
      observer = WarmUp.UNOBSERVED;
      giveUpWaiting = this::endWarmUp;
      new WarmUp(this, this::endWarmUp).start();
    }
  }

  private void endWarmUp() {
    observer = requestObserver;
    ready.complete(null);
  }

  /** The sidecar starts without waiting any longer: from now on there may be requests. */
  void giveUpWaiting() {
    warm = true;
    giveUpWaiting.run();
  }

  /**
   * Where {@code MOVED 3999 127.0.0.1:6381} points; null if that cannot be read.
   *
   * @param from whose answer that is: without a host, another port of the same is meant.
   */
  StoreLink linkOf(String redirection, StoreLink from) {
    String[] words = redirection.split(" ");
    int colon = words.length < 3 ? -1 : words[2].lastIndexOf(':');
    if (colon < 0) {
      return null;
    }
    for (StoreLink link : links.values()) {
      if (link.name().equals(words[2])) {
        return link;
      }
    }
    byte[] address =
        colon == 0 && from.address() instanceof InetSocketAddress inet
            ? inet.getAddress().getAddress()
            : NetUtil.createByteArrayFromIpAddressString(words[2].substring(0, colon));
    if (address == null) {
      return null; // to look a name up would stop the loop; the map's next refresh does
    }
    try {
      int port = Integer.parseInt(words[2].substring(colon + 1));
      InetSocketAddress target = new InetSocketAddress(InetAddress.getByAddress(address), port);
      StoreLink link = links.get(target);
      return link != null ? link : open(target);
    } catch (IllegalArgumentException | UnknownHostException malformed) {
      return null;
    }
  }

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

  // ---- the batches

  boolean hasBatch() {
    return free != null || batchCount < MAX_BATCHES;
  }

  /** An empty batch; there is one. */
  Batch takeBatch(Shard shard) {
    Batch batch = free;
    if (batch == null) {
      batchCount++;
      batch = new Batch();
    } else {
      free = batch.next;
      batch.next = null;
    }
    return batch.begin(shard, (clock.nowNs() - LoopClock.unixEpochNs()) / 1_000);
  }

  /** The batch has come to its end. */
  void release(Batch batch) {
    unwatch(batch);
    batch.clear();
    batch.next = free;
    free = batch;
  }

  /** Requests of that batch wait. */
  void watch(Batch batch) {
    if (batch.previous == null) {
      batch.previous = watched.previous;
      batch.next = watched;
      watched.previous.next = batch;
      watched.previous = batch;
    }
    wakeUp.at(batch.firstDueNs());
  }

  private void unwatch(Batch batch) {
    if (batch.previous != null) {
      batch.previous.next = batch.next;
      batch.next.previous = batch.previous;
      batch.previous = null;
      batch.next = null;
    }
  }

  /** Tells all whose time is over. */
  private void expire() {
    long nowNs = clock.tick();
    long firstNs = Long.MAX_VALUE;
    for (Batch batch = watched.next; batch != watched; ) {
      Batch next = batch.next;
      if (batch.firstDueNs() <= nowNs) {
        try {
          expire(batch, nowNs);
        } catch (RuntimeException | Error bug) {
          InternalErrors.caught("a batch whose time is over", bug);
        }
      }
      if (batch.previous != null) { // has not come to its end
        if (batch.firstDueNs() == Long.MAX_VALUE) {
          unwatch(batch);
        } else {
          firstNs = Math.min(firstNs, batch.firstDueNs());
        }
      }
      batch = next.previous == null ? watched.next : next; // the call made even the next one end
    }
    if (firstNs != Long.MAX_VALUE) {
      wakeUp.at(firstNs);
    }
  }

  private void expire(Batch batch, long nowNs) {
    Shard shard = batch.shard();
    boolean first = !batch.isExpired();
    batch.expire(nowNs, StoreFault.DEADLINE);
    if (first) {
      shard.expired(batch, nowNs);
    }
    if (batch.firstDueNs() == Long.MAX_VALUE) {
      shard.abandoned(batch);
    }
  }

  /** Budgets were given back. */
  void forget() {
    listener.forgetAll();
  }

  /** Closes all connections; who still waits is told that there is no decision. */
  void close() {
    for (Shard shard : shards) {
      if (shard != null) {
        shard.dropGathered(StoreFault.DISCONNECTED);
      }
    }
    for (StoreLink link : links.values()) {
      link.close();
    }
    links.clear();
  }

  // ---- what the parts share

  Shard shard(int partition) {
    return shards[partition];
  }

  long tick() {
    return clock.tick();
  }

  long nowNs() {
    return clock.nowNs();
  }

  /** How long an answer may take of which the question does not say it. */
  long deadlineNs() {
    return deadlineNs;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  Connector connector() {
    return connector;
  }

  StoreHealth health() {
    return health;
  }

  StoreObserver observer() {
    return observer;
  }

  BudgetListener listener() {
    return listener;
  }

  Debts debts() {
    return debts;
  }

  EndedCalls ended() {
    return ended;
  }

  /** Whether somebody asks, or gives back, and is to find nothing changed by others meanwhile. */
  boolean isAsking() {
    return isAsking;
  }

  void refreshMap() {
    refresh.run();
  }

  /** How many connections to servers of the map decide at present, or do not. */
  int count(boolean deciding) {
    int count = 0;
    for (SocketAddress server : map.servers()) {
      StoreLink link = links.get(server);
      boolean decides = link.isReady() && link.breaker().state() == Breaker.State.CLOSED;
      if (decides == deciding) {
        count++;
      }
    }
    return count;
  }
}
