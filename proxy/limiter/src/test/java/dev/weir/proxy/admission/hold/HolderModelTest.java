package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.hold.Holder.Answer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Random traces of several holders of one key against a plain definition of what a window may hold.
 * Messages and answers are lost, late, repeated and overtaken; holders are killed and stopped for
 * longer than a life; the store forgets, or fails over to what its replica had. In two of three
 * traces holders have units in hand, which requests take without a message.
 */
class HolderModelTest {
  private static final int TRACES = Integer.getInteger("weir.holder.traces", 2_000);
  private static final long MS = 1_000_000;
  private static final long CAPACITY = 20;
  private static final long DEADLINE_NS = 50 * MS;

  /** What may go wrong in a trace, beside the network. */
  enum Fault {
    NONE,
    KILLS,
    CUT_OFF,
    STOPPED,
    OVER_RESERVE,
    FAILOVER,
    FORGETS
  }

  /** One request that was granted. */
  private static final class Exchange {
    final Side side;
    final long id;
    final int generation;
    final long reserve;
    final long cost;
    final long grantedNs;

    /**
     * When it ended; or when its record expired if that was before, as its reserve is charged then.
     */
    long endedNs = -1;

    Exchange(Side side, long id, long reserve, long cost, long nowNs) {
      this.side = side;
      this.id = id;
      this.generation = side.holder.generation();
      this.reserve = reserve;
      this.cost = cost;
      this.grantedNs = nowNs;
    }
  }

  /** Something that arrives at a time. */
  private record Delivery(
      long atNs,
      Side to,
      HoldMessage message,
      long reserve,
      ModelHoldStore.Reply reply,
      ModelHoldStore by) {}

  /** One event loop with its holder of the key. */
  private static final class Side {
    final Holder holder = new Holder();
    final Deque<Long> waiting = new ArrayDeque<>();
    HoldMessage underWay;
    long asked;
    long reserve;
    long dueNs;
    boolean isStopped;
    long cutOffUntilNs;

    /** The id and the server of the record that it has. */
    long id;

    ModelHoldStore server;
  }

  private Random random;
  private Fault fault;
  private ModelHoldStore store;
  private ModelHoldStore replica;
  private long nowNs;
  private long ids;
  private long windowNs;
  private final List<Side> sides = new ArrayList<>();
  private final List<Delivery> network = new ArrayList<>();
  private final List<Exchange> exchanges = new ArrayList<>();
  private long onTop;
  private boolean isQuiet;

  /** Whether holders have units in hand. */
  private boolean keeps;

  private long fromHand;

  /** Whether requests cost all that was reserved: then nothing is to spare. */
  private boolean costsAll;

  /** Whether requests may cost more than was reserved. */
  private boolean costsMore;

  @ParameterizedTest
  @EnumSource(Fault.class)
  void holdsEveryWindowAndFreesAllAtTheEnd(Fault of) {
    long granted = 0;
    for (int seed = 0; seed < traces(); seed++) {
      run(of, seed);
      check("seed " + seed);
      granted += exchanges.size();
    }
    assertTrue(granted > traces(), "requests were granted");
    assertTrue(fromHand > traces(), "by units in hand, too");
  }

  int traces() {
    return TRACES;
  }

  /** The store of a trace, with nothing in it. */
  ModelHoldStore store(long capacity, long windowNs) {
    return new ModelHoldStore(capacity, windowNs);
  }

  private void run(Fault of, long seed) {
    random = new Random(seed);
    fault = of;
    nowNs = 100_000 * MS;
    ids = 0;
    onTop = 0;
    isQuiet = false;
    keeps = seed % 3 != 0;
    costsAll = seed % 4 < 2;
    costsMore = of == Fault.OVER_RESERVE || seed % 2 == 1;
    windowNs = (1 + random.nextInt(30)) * 1_000 * MS;
    store = store(CAPACITY, windowNs);
    replica = store.copy();
    network.clear();
    exchanges.clear();
    sides.clear();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      sides.add(begun());
    }
    int steps = 40 + random.nextInt(80);
    for (int step = 0; step < steps; step++) {
      pass(random.nextInt(12) == 0 ? random.nextInt(6_000) * MS : random.nextInt(30) * MS);
      act();
    }
    calmDown();
  }

  private Side begun() {
    Side side = new Side();
    side.holder.begin(1, ++ids);
    return side;
  }

  private void pass(long ns) {
    long endNs = nowNs + ns;
    do {
      passUntil(Math.min(endNs, nowNs + HoldKeeper.SWEEP_NS));
    } while (nowNs < endNs);
  }

  /** Lets time pass, and what is due in it happen in its order. */
  private void passUntil(long untilNs) {
    while (true) {
      Delivery next = null;
      for (Delivery delivery : network) {
        boolean isHeldUp = delivery.reply != null && delivery.to.isStopped;
        if (!isHeldUp && (next == null || delivery.atNs < next.atNs)) {
          next = delivery;
        }
      }
      Side due = null;
      for (Side side : sides) {
        boolean isDue = side.underWay != null && !side.isStopped;
        if (isDue && (due == null || side.dueNs < due.dueNs)) {
          due = side;
        }
      }
      boolean isDelivery = next != null && (due == null || next.atNs <= due.dueNs);
      long atNs = isDelivery ? next.atNs : due == null ? Long.MAX_VALUE : due.dueNs;
      if (atNs > untilNs) {
        break;
      }
      nowNs = Math.max(nowNs, atNs);
      if (isDelivery) {
        network.remove(next);
        deliver(next);
      } else {
        due.underWay = null;
        due.holder.lost();
        refuse(due);
        goOn(due);
      }
      renew();
    }
    nowNs = Math.max(nowNs, untilNs);
    renew();
  }

  /** The store's clock is 0.15 % faster than that of the sidecars, in whole microseconds. */
  private static long storeNs(long ns) {
    return (ns + ns / 660) / 1_000 * 1_000;
  }

  private void renew() {
    for (Side side : sides) {
      if (!side.isStopped && side.holder.isDue(nowNs)) {
        send(side);
      }
    }
  }

  private void act() {
    Side side = sides.get(random.nextInt(sides.size()));
    int what = random.nextInt(20);
    if (what < 9) {
      if (!side.isStopped) {
        arrive(side, 1L + random.nextInt(4));
      }
    } else if (what < 17) {
      end();
    } else if (what == 17 && random.nextBoolean()) {
      side.holder.release(0, random.nextInt((int) side.holder.inHand(0) + 1));
    } else if (what == 17) {
      replica = store.copy();
      meanwhile = 0;
    } else {
      breakSomething(side);
    }
  }

  private void arrive(Side side, long units) {
    if (keeps && side.holder.take(new long[] {units}, nowNs, nowNs)) {
      exchanges.add(exchange(side, units));
      fromHand++;
    } else {
      side.waiting.add(units);
      goOn(side);
    }
  }

  private Exchange exchange(Side side, long units) {
    long excess = costsMore ? random.nextInt(3) : 0;
    long cost = costsAll ? units : random.nextInt((int) units + 1);
    return new Exchange(side, side.id, units, cost + excess, nowNs);
  }

  /** Units granted since the replica had the store's last state. */
  private long meanwhile;

  private void breakSomething(Side side) {
    switch (fault) {
      case NONE, OVER_RESERVE -> {}
      case KILLS -> {
        sides.set(sides.indexOf(side), begun());
        for (Exchange exchange : exchanges) {
          if (exchange.side == side && exchange.endedNs < 0) {
            exchange.endedNs = nowNs;
          }
        }
        network.removeIf(delivery -> delivery.to == side && delivery.reply != null);
      }
      case CUT_OFF -> side.cutOffUntilNs = nowNs + random.nextInt(25_000) * MS;
      case STOPPED -> {
        side.isStopped = !side.isStopped;
        if (side.isStopped && random.nextBoolean()) {
          pass(random.nextInt(25_000) * MS);
          side.isStopped = false;
          arrive(side, 1L + random.nextInt(4)); // before it looks at anything else
        }
      }
      case FAILOVER -> {
        onTop += meanwhile;
        store = replica.copy();
      }
      case FORGETS -> {
        onTop += CAPACITY;
        store = store(CAPACITY, windowNs);
        replica = store.copy();
      }
    }
  }

  /** Ends a request that runs. */
  private void end() {
    List<Exchange> running =
        exchanges.stream().filter(e -> e.endedNs < 0 && !e.side.isStopped).toList();
    if (!running.isEmpty()) {
      end(running.get(random.nextInt(running.size())));
    }
  }

  private void end(Exchange exchange) {
    Side side = exchange.side;
    exchange.endedNs = nowNs;
    long most = keeps && !isQuiet ? random.nextInt((int) CAPACITY) : 0;
    side.holder.settle(0, exchange.generation, exchange.reserve, exchange.cost, most);
    goOn(side);
  }

  /** Sends the next message if somebody waits, or something is to be said. */
  private void goOn(Side side) {
    boolean isTold = side.holder.isUnsaid() && (!keeps || isQuiet || random.nextInt(4) == 0);
    if (side.underWay == null && (!side.waiting.isEmpty() || isTold)) {
      send(side);
    }
  }

  private void send(Side side) {
    long requests = 0;
    side.reserve = side.waiting.isEmpty() ? 1 : side.waiting.peek();
    while (requests < side.waiting.size() && nth(side, requests) == side.reserve) {
      requests++;
    }
    HoldMessage message = new HoldMessage();
    side.holder.reserve(0, side.reserve);
    long keep = keeps && !isQuiet ? random.nextInt(6) : 0;
    side.holder.say(message, requests, keep, nowNs, nowNs);
    side.underWay = message;
    side.asked = requests;
    side.dueNs = nowNs + DEADLINE_NS;
    if (nowNs < side.cutOffUntilNs) {
      return;
    }
    for (int copies = isQuiet || random.nextInt(6) > 0 ? 1 : random.nextInt(3);
        copies > 0;
        copies--) {
      network.add(new Delivery(nowNs + delay(), side, message, side.reserve, null, null));
    }
  }

  private static long nth(Side side, long n) {
    return side.waiting.stream().skip(n).findFirst().orElseThrow();
  }

  /** Mostly short; at times longer than the deadline, but never than a life: links end before. */
  private long delay() {
    return isQuiet || random.nextInt(8) > 0
        ? random.nextInt(10) * MS
        : random.nextInt(random.nextBoolean() ? 100 : 6_000) * MS;
  }

  private void deliver(Delivery delivery) {
    Side side = delivery.to;
    HoldMessage message = delivery.message;
    if (delivery.reply == null) {
      ModelHoldStore.Reply reply = store.apply(message, delivery.reserve, storeNs(nowNs));
      meanwhile += (reply.granted() + reply.kept()) * delivery.reserve;
      if (nowNs >= side.cutOffUntilNs && (isQuiet || random.nextInt(8) > 0)) {
        network.add(new Delivery(nowNs + delay(), side, message, delivery.reserve, reply, store));
      }
      return;
    }
    if (side.underWay != message) {
      return; // too late, or a repeat
    }
    side.underWay = null;
    if (side.server != delivery.by) {
      side.holder.releaseHand();
      side.server = delivery.by;
    }
    ModelHoldStore.Reply reply = delivery.reply;
    Answer answer =
        side.holder.answered(reply.applied(), reply.granted(), reply.kept(), ++ids, nowNs, nowNs);
    switch (answer) {
      case ASK_AGAIN -> {}
      case UNUSABLE -> refuse(side);
      case DECIDED -> {
        side.id = message.id;
        for (long i = 0; i < reply.granted(); i++) {
          exchanges.add(exchange(side, side.reserve));
        }
        refuse(side);
      }
    }
    goOn(side);
  }

  private static void refuse(Side side) {
    for (long i = 0; i < side.asked; i++) {
      side.waiting.remove();
    }
    side.asked = 0;
  }

  /** Ends everything, with a network that works. */
  private void calmDown() {
    isQuiet = true;
    for (Side side : sides) {
      side.isStopped = false;
      side.cutOffUntilNs = 0;
      side.waiting.clear();
      side.asked = 0;
    }
    pass(100 * MS);
    for (Side side : sides) {
      side.holder.releaseHand();
    }
    for (Exchange exchange : exchanges) {
      if (exchange.endedNs < 0) {
        end(exchange);
      }
    }
    for (int i = 0; i < 40; i++) {
      pass(1_000 * MS);
    }
    store.expire(storeNs(nowNs));
  }

  private void check(String which) {
    assertEquals(0, store.held(), which + ": all free at the end");
    for (Side side : sides) {
      assertTrue(side.holder.isOver(nowNs), which + ": nothing outstanding");
      assertEquals(0, side.holder.held(0), which);
    }
    for (Exchange exchange : exchanges) {
      Long expiredNs = store.expired.get(exchange.id);
      exchange.endedNs = storeNs(exchange.endedNs);
      if (expiredNs != null && storeNs(exchange.grantedNs) < expiredNs) {
        exchange.endedNs = Math.min(exchange.endedNs, expiredNs);
      }
    }
    if (fault == Fault.NONE || fault == Fault.OVER_RESERVE) {
      long cost = exchanges.stream().mapToLong(e -> e.cost).sum();
      assertTrue(store.expired.isEmpty(), which + ": renewed in time");
      assertEquals(cost, store.chargedInAll(), which + ": charged once each");
    }
    if (fault == Fault.CUT_OFF || fault == Fault.STOPPED) {
      long cost = exchanges.stream().mapToLong(e -> e.cost).sum();
      assertTrue(store.chargedInAll() >= cost, which + ": what cost more is charged later");
    }
    assertWindows(which);
  }

  /** No window holds more than the limit, whichever moment each request is counted at. */
  private void assertWindows(String which) {
    for (Exchange last : exchanges) {
      long toNs = storeNs(last.grantedNs); // a window is fullest when it ends with a grant
      long held = 0;
      long excess = 0;
      for (Exchange other : exchanges) {
        if (storeNs(other.grantedNs) <= toNs && other.endedNs > toNs - windowNs) {
          held += other.cost;
          excess += Math.max(0, other.cost - other.reserve);
        }
      }
      long bound = CAPACITY + excess + onTop;
      assertTrue(held <= bound, which + ": " + held + " in a window, at most " + bound);
    }
  }
}
