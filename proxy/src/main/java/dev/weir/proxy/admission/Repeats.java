package dev.weir.proxy.admission;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Requests that will be asked again in a moment. Where keys are on different servers, requests that
 * come together may each hold what the other needs, and all would be refused though there is room:
 * those that hold the first keys of their rule keep them, all others give theirs back, and the
 * first ask again when that has had time to arrive. {@link #MOST} times, each after twice the pause
 * of the time before, and only while not half of a deadline is over.
 *
 * <p>One per event loop.
 */
final class Repeats {
  /** How often one request is asked again. */
  private static final int MOST = 3;

  private final LoopClock clock;
  private final WakeUp wakeUp;
  private final Consumer<StoreAsk> again;
  private final long firstPauseNs;

  /** By the number of repeats, so that who comes later is due later. */
  private final StoreAsk[] firsts = new StoreAsk[MOST];

  private final StoreAsk[] lasts = new StoreAsk[MOST];

  /**
   * @param deadlineNs of a decision.
   * @param wakeUps makes what calls back on the event loop.
   */
  Repeats(
      LoopClock clock,
      long deadlineNs,
      Function<Runnable, WakeUp> wakeUps,
      Consumer<StoreAsk> again) {
    this.clock = clock;
    this.firstPauseNs = deadlineNs / 16;
    this.again = again;
    this.wakeUp = wakeUps.apply(this::run);
  }

  /** Whether a request may be asked again. */
  boolean takes(StoreAsk ask) {
    return ask.repeatCount < MOST && clock.nowNs() - ask.askedNs <= 8 * firstPauseNs;
  }

  /** Takes a request for which {@link #takes} is true. */
  void add(StoreAsk ask) {
    int count = ask.repeatCount++;
    ask.dueNs = clock.nowNs() + (firstPauseNs << count);
    ask.next = null;
    if (firsts[count] == null) {
      firsts[count] = ask;
    } else {
      lasts[count].next = ask;
    }
    lasts[count] = ask;
    wakeUp.at(ask.dueNs);
  }

  private void run() {
    long nowNs = clock.tick();
    for (int count = 0; count < MOST; count++) {
      while (firsts[count] != null && firsts[count].dueNs <= nowNs) {
        StoreAsk ask = firsts[count];
        firsts[count] = ask.next;
        try {
          again.accept(ask);
        } catch (RuntimeException | Error bug) {
          InternalErrors.caught("a request that was asked again", bug);
        }
      }
    }
    for (StoreAsk first : firsts) {
      if (first != null) {
        wakeUp.at(first.dueNs);
      }
    }
  }
}
