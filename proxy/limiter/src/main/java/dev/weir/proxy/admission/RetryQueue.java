package dev.weir.proxy.admission;

import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.WakeUp;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Requests whose refused checks will be asked again in a moment. If a rule's keys are on different
 * servers, requests that come together may each hold what the others need, and all would be refused
 * though there is budget. So those that hold the first keys of their rule keep them, all others
 * return theirs, and the first ask again once that can have arrived: at most {@link #MOST} times,
 * each after twice the last pause, and only within half of the deadline.
 *
 * <p>One per event loop.
 */
final class RetryQueue {
  /** How often one request is asked again. */
  private static final int MOST = 3;

  private final LoopClock clock;
  private final WakeUp wakeUp;
  private final Consumer<LateQuestion> again;
  private final long firstPauseNs;

  /** Queues by the number of retries, so that each is in the order of time. */
  private final LateQuestion[] firsts = new LateQuestion[MOST];

  private final LateQuestion[] lasts = new LateQuestion[MOST];

  /**
   * @param deadlineNs of a decision.
   * @param wakeUps for timers on the event loop.
   */
  RetryQueue(
      LoopClock clock,
      long deadlineNs,
      Function<Runnable, WakeUp> wakeUps,
      Consumer<LateQuestion> again) {
    this.clock = clock;
    this.firstPauseNs = deadlineNs / 16;
    this.again = again;
    this.wakeUp = wakeUps.apply(this::run);
  }

  /** Whether a request may be asked again. */
  boolean takes(LateQuestion late) {
    return late.retryCount < MOST && clock.nowNs() - late.askedNs <= 8 * firstPauseNs;
  }

  /** Takes a request for which {@link #takes} is true. */
  void add(LateQuestion late) {
    int count = late.retryCount++;
    late.dueNs = clock.nowNs() + (firstPauseNs << count);
    late.next = null;
    if (firsts[count] == null) {
      firsts[count] = late;
    } else {
      lasts[count].next = late;
    }
    lasts[count] = late;
    wakeUp.at(late.dueNs);
  }

  private void run() {
    long nowNs = clock.tick();
    for (int count = 0; count < MOST; count++) {
      while (firsts[count] != null && firsts[count].dueNs <= nowNs) {
        LateQuestion late = firsts[count];
        firsts[count] = late.next;
        try {
          again.accept(late);
        } catch (RuntimeException | Error bug) {
          InternalErrors.caught("a request that was asked again", bug);
        }
      }
    }
    for (LateQuestion first : firsts) {
      if (first != null) {
        wakeUp.at(first.dueNs);
      }
    }
  }
}
