package dev.weir.bench.store;

import dev.weir.bench.store.CheckTraffic.Keys;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.StoreCallback;
import dev.weir.proxy.store.StoreDecision;
import dev.weir.proxy.store.StoreQuestion;
import dev.weir.proxy.store.map.StoreKeys;
import dev.weir.scripts.ScriptLimit;
import io.netty.channel.EventLoop;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/**
 * Asks the sidecar's own link to the store for decisions, on its event loop, as the gate of mode
 * exact does: at a constant rate, each decision timed from when it was due; or as many as it can
 * take with so many waiting. Used by one event loop.
 */
final class LoopLoad implements StoreCallback {
  /** Never refuses, and owes for seconds: keys that expire at once keep a server busy with that. */
  private static final ScriptLimit[] LIMITS = {ScriptLimit.paced(1_000_000_000, 1, 1_000_000)};

  /** The partition of the names. */
  private static final int PARTITION = 42;

  /** Decisions that may be awaited at one time: as many as a sidecar's loop parks. */
  static final int PLACES = 1 << 14;

  private static final int ASKED_AT_ONCE = 1024;

  private static final int TURN_US = 20;

  /** The rate of {@link #run} that asks as fast as it is answered. */
  static final double SATURATED = 0;

  private final EventLoop eventLoop;
  private final LoopClock clock;
  private final LoopStore store;
  private final Keys keys;
  private final StoreKeys key = new StoreKeys(1);
  private final StoreQuestion question = new StoreQuestion();
  private final long[] dueNs = new long[PLACES];
  private final int[] free = new int[PLACES];

  /** From when each decision was due; read when the load is done, as the counts are. */
  final Histogram latencies = new Histogram(60_000_000_000L, 3);

  private final Runnable nextTurn;
  private int freeCount;
  private int places;
  private double intervalNs;
  private double nextDueNs;
  private long endNs;

  /** The questions of all runs. */
  long asked;

  long decided;
  long refused;
  long undecided;
  private CompletableFuture<Void> done;

  LoopLoad(EventLoop eventLoop, LoopClock clock, LoopStore store, int keyCount) {
    this.eventLoop = eventLoop;
    this.clock = clock;
    this.store = store;
    nextTurn = () -> turn(clock.tick());
    keys = Keys.of("gcra", keyCount);
  }

  /**
   * Loads for a while; completes when all that was asked is answered.
   *
   * @param perSecond or {@link #SATURATED}.
   * @param waiting how many decisions may be awaited at one time.
   */
  CompletableFuture<Void> run(double perSecond, int waiting, long durationNs) {
    done = new CompletableFuture<>();
    eventLoop.execute(
        () -> {
          latencies.reset();
          decided = 0;
          refused = 0;
          undecided = 0;
          places = waiting;
          freeCount = waiting;
          for (int i = 0; i < waiting; i++) {
            free[i] = i;
          }
          intervalNs = perSecond == SATURATED ? 0 : 1e9 / perSecond;
          nextDueNs = clock.tick();
          endNs = clock.nowNs() + durationNs;
          turn(clock.nowNs());
        });
    return done;
  }

  /** One turn of the loop's: asks what is due, and lets the loop read what has come. */
  private void turn(long nowNs) {
    if (nowNs >= endNs) {
      if (freeCount == places) {
        done.complete(null);
        return;
      }
    } else {
      for (int asked = 0; asked < ASKED_AT_ONCE && freeCount > 0 && nextDueNs <= nowNs; asked++) {
        int place = free[--freeCount];
        dueNs[place] = intervalNs == 0 ? nowNs : (long) nextDueNs;
        nextDueNs += intervalNs;
        ask(place, nowNs);
      }
    }
    // Not as a task that is due: the loop would run it again and again, and read nothing.
    eventLoop.schedule(nextTurn, TURN_US, TimeUnit.MICROSECONDS);
  }

  private void ask(int place, long nowNs) {
    int index = (int) (asked++ % keys.count());
    byte[] name = keys.name(index);
    key.clear();
    key.buffer().putBytes(0, name);
    // In place of a hash of the name, as good for telling keys apart.
    key.add(name.length, PARTITION, (index + 1) * 0x9E37_79B9_7F4A_7C15L, 0);
    StoreFault fault = store.ask(question.check(this, place).of(key, 0, LIMITS), nowNs);
    if (fault != null) {
      unavailable(place, fault);
    }
  }

  @Override
  public void decided(long ticket, StoreDecision decision) {
    if (!decision.allowed()) {
      refused++;
    }
    decided++;
    latencies.recordValue(Math.max(0, clock.nowNs() - dueNs[(int) ticket]));
    free[freeCount++] = (int) ticket;
  }

  @Override
  public boolean unavailable(long ticket, StoreFault fault) {
    undecided++;
    free[freeCount++] = (int) ticket;
    return false;
  }
}
