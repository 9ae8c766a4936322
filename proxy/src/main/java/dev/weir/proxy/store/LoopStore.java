package dev.weir.proxy.store;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.scripts.ScriptLimit;
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
 * The store as one event loop sees it: a connection to each server, a lane of batches to each, and
 * the deadline of every decision. Whatever is asked is answered by {@link StoreSink}, once, within
 * the deadline, on this loop.
 */
public final class LoopStore {
  /** Redirections that one batch follows. */
  static final int MAX_HOPS = 5;

  /** Batches that may exist at one time, gathering and in flight. */
  static final int MAX_FLIGHTS = 1024;

  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final Deadlines deadlines;
  private final Connector connector;
  private final StoreHealth health;
  private final Runnable refresh;
  private final StoreObserver requestObserver;
  private final long requestDeadlineNs;
  private final WakeUp wakeUp;
  private final Debts debts;
  private final Map<SocketAddress, StoreLink> links = new HashMap<>();
  private final Lane[] lanes = new Lane[Partitions.COUNT];
  private final Flight watched = new Flight(); // the head of a ring
  private final CompletableFuture<Void> ready = new CompletableFuture<>();
  private final EndedCalls ended;
  private boolean isAsking;
  private StoreSink sink;
  private StoreObserver observer;
  private long deadlineNs;
  private boolean warm;
  private Runnable giveUpWaiting = () -> {};
  private Flight free;
  private int flightCount;
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
    this.requestDeadlineNs = deadlineNs;
    this.deadlineNs = deadlineNs;
    this.wakeUp = new WakeUp(eventLoop, clock, this::expire);
    this.debts = new Debts(requestObserver, lanes);
    this.ended = new EndedCalls(eventLoop);
    watched.next = watched;
    watched.previous = watched;
  }

  /** Says who takes the decisions; before the first question. */
  public void sink(StoreSink taker) {
    sink = taker;
  }

  /**
   * Asks whether a request may pass: whether all limits of one check admit it. Nobody is told
   * anything within this call.
   *
   * @param ticket names the request, or one of its checks.
   * @param keys of the budgets, which may be changed as soon as this returns.
   * @param first the first key of the check; it has one for each limit, and all of them {@link
   *     #isOneCheck}.
   * @param limits the same array as long as the rule stays as it is.
   * @param cost units that the request takes from each, 1 or more.
   * @param coalesces whether the request may share a check with others of the same budgets: not
   *     where each must know its own place in a queue.
   * @return null if the answer will be told; else why there is none, and it will not.
   */
  public StoreFault ask(
      long ticket,
      StoreKeys keys,
      int first,
      ScriptLimit[] limits,
      long cost,
      boolean coalesces,
      long nowNs) {
    Lane lane = lanes[keys.partition(first)];
    if (lane == null) {
      refreshMap();
      observer.storeUnavailable(StoreFault.NO_OWNER);
      return StoreFault.NO_OWNER;
    }
    isAsking = true;
    try {
      return lane.ask(ticket, keys, first, limits, cost, coalesces, nowNs);
    } finally {
      isAsking = false;
    }
  }

  /** Whether one check may have all of these keys: they are in one call's reach. */
  public boolean isOneCheck(StoreKeys keys) {
    Lane lane = lanes[keys.partition(0)];
    for (int key = 1; key < keys.count(); key++) {
      if (lanes[keys.partition(key)] != lane) {
        return false;
      }
    }
    return true;
  }

  /**
   * Gives back what a check granted to one request: nobody waits for it, and where the server is
   * not to be reached it is forgotten.
   *
   * @param decidedAtUs {@link StoreDecision#decidedAtUs()}.
   */
  public void refund(StoreKeys keys, int first, ScriptLimit[] limits, long cost, long decidedAtUs) {
    Lane lane = lanes[keys.partition(first)];
    if (lane == null) {
      observer.storeRefunds(1, false);
      return;
    }
    isAsking = true;
    try {
      lane.refund(keys, first, limits, 1, cost, decidedAtUs);
    } finally {
      isAsking = false;
    }
  }

  /** What calls back on this loop at a time that is set. */
  public WakeUp wakeUp(Runnable task) {
    return new WakeUp(eventLoop, clock, task);
  }

  /** Charges a request that has passed without a question, when the store is back. */
  public void owe(StoreKeys keys, int first, ScriptLimit[] limits, long cost) {
    debts.add(keys, first, limits, 1, cost, clock.nowNs(), clock.nowNs());
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
    Lane[] before = lanes.clone();
    Map<StoreLink, Lane> byLink = new HashMap<>();
    for (Lane lane : before) {
      if (lane != null) {
        byLink.put(lane.link(), lane);
      }
    }
    for (int partition = 0; partition < Partitions.COUNT; partition++) {
      SocketAddress server = newMap.server(partition);
      lanes[partition] = server == null ? null : lane(partition, links.get(server), byLink);
    }
    debts.regroup();
    for (Lane lane : before) {
      if (lane != null && !isUsed(lane)) {
        lane.retire();
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

  private Lane lane(int partition, StoreLink link, Map<StoreLink, Lane> byLink) {
    if (map.isCluster()) {
      Lane present = lanes[partition];
      return present != null && present.link() == link ? present : new Lane(this, link);
    }
    return byLink.computeIfAbsent(link, of -> new Lane(this, of));
  }

  private boolean isUsed(Lane wanted) {
    for (Lane lane : lanes) {
      if (lane == wanted) {
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
      StoreSink taker = sink;
      WarmUp trial = new WarmUp(this, () -> endWarmUp(taker));
      giveUpWaiting = () -> endWarmUp(taker);
      sink = trial;
      observer = WarmUp.UNOBSERVED;
      deadlineNs = WarmUp.DEADLINE_NS;
      trial.start();
    }
  }

  private void endWarmUp(StoreSink taker) {
    sink = taker;
    observer = requestObserver;
    deadlineNs = requestDeadlineNs;
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
    Lane last = null;
    for (Lane lane : lanes) {
      if (lane != null && lane != last && lane.link() == link) {
        lane.settleDebts(nowNs);
        last = lane;
      }
    }
  }

  // ---- the flights

  boolean hasFlight() {
    return free != null || flightCount < MAX_FLIGHTS;
  }

  /** An empty flight; there is one. */
  Flight takeFlight(Lane lane) {
    Flight flight = free;
    if (flight == null) {
      flightCount++;
      flight = new Flight();
    } else {
      free = flight.next;
      flight.next = null;
    }
    return flight.begin(lane, (clock.nowNs() - LoopClock.unixEpochNs()) / 1_000);
  }

  /** The flight has come to its end. */
  void release(Flight flight) {
    unwatch(flight);
    flight.clear();
    flight.next = free;
    free = flight;
  }

  /** Requests of that flight wait. */
  void watch(Flight flight) {
    if (flight.previous == null) {
      flight.previous = watched.previous;
      flight.next = watched;
      watched.previous.next = flight;
      watched.previous = flight;
      wakeUp.at(flight.firstAskedNs() + deadlineNs);
    }
  }

  private void unwatch(Flight flight) {
    if (flight.previous != null) {
      flight.previous.next = flight.next;
      flight.next.previous = flight.previous;
      flight.previous = null;
      flight.next = null;
    }
  }

  /** Tells all whose time is over. */
  private void expire() {
    long nowNs = clock.tick();
    long firstNs = Long.MAX_VALUE;
    for (Flight flight = watched.next; flight != watched; ) {
      Flight next = flight.next;
      if (flight.firstAskedNs() <= nowNs - deadlineNs) {
        try {
          expire(flight, nowNs);
        } catch (RuntimeException | Error bug) {
          InternalErrors.caught("a batch whose time is over", bug);
        }
      }
      if (flight.previous != null) { // has not come to its end
        if (flight.firstAskedNs() == Long.MAX_VALUE) {
          unwatch(flight);
        } else {
          firstNs = Math.min(firstNs, flight.firstAskedNs());
        }
      }
      flight = next.previous == null ? watched.next : next; // the call made even the next one end
    }
    if (firstNs != Long.MAX_VALUE) {
      wakeUp.at(firstNs + deadlineNs);
    }
  }

  private void expire(Flight flight, long nowNs) {
    Lane lane = flight.lane();
    boolean first = !flight.isExpired();
    flight.expire(nowNs - deadlineNs, StoreFault.DEADLINE);
    if (first) {
      lane.expired(flight, nowNs);
    }
    if (flight.firstAskedNs() == Long.MAX_VALUE) {
      lane.abandoned(flight);
    }
  }

  /** Budgets were given back. */
  void forget() {
    sink.forget();
  }

  /** Closes all connections; who still waits is told that there is no decision. */
  void close() {
    for (Lane lane : lanes) {
      if (lane != null) {
        lane.dropGathered(StoreFault.DISCONNECTED);
      }
    }
    for (StoreLink link : links.values()) {
      link.close();
    }
    links.clear();
  }

  // ---- what the parts share

  Lane lane(int partition) {
    return lanes[partition];
  }

  long tick() {
    return clock.tick();
  }

  long nowNs() {
    return clock.nowNs();
  }

  /** How long a decision may take. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** How long a decision may take that a request waits for. */
  long requestDeadlineNs() {
    return requestDeadlineNs;
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

  StoreSink sink() {
    return sink;
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
