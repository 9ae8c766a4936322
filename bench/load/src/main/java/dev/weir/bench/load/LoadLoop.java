package dev.weir.bench.load;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The loads of all targets on one event loop, and the turns in which they start what is due. */
final class LoadLoop {
  /**
   * The shortest pause between two turns: each costs about as much as a request, and answers make
   * for turns of their own.
   */
  private static final long LEAST_PAUSE_NS = 20_000;

  private static final long LONGEST_PAUSE_NS = 10_000_000;
  private static final long SWEEP_MS = 20;

  private final EventLoop eventLoop;
  private final List<TargetLoad> targetLoads;
  private RunTimes times;
  private LoopRecorder recorder;
  private ScheduledFuture<?> nextTurn;
  private long nextTurnNs;
  private boolean ended;
  private Throwable fault;
  private final Runnable turn = this::turn;

  LoadLoop(EventLoop eventLoop, List<TargetLoad> targetLoads) {
    this.eventLoop = eventLoop;
    this.targetLoads = targetLoads;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  List<TargetLoad> targetLoads() {
    return targetLoads;
  }

  LoopRecorder recorder() {
    return recorder;
  }

  /** On the loop, as all that follows. */
  void begin(RunTimes times, LoopRecorder recorder) {
    this.times = times;
    this.recorder = recorder;
    for (TargetLoad targetLoad : targetLoads) {
      targetLoad.begin(times, recorder, this);
    }
    turn();
    sweep();
  }

  private void turn() {
    if (ended) {
      return;
    }
    try {
      final long nowNs = System.nanoTime();
      schedule(Math.min(nowNs + LONGEST_PAUSE_NS, startDue(nowNs)), System.nanoTime());
    } catch (RuntimeException e) {
      fault = e;
    }
  }

  /** Starts what is due, and tells when something is next. */
  private long startDue(long nowNs) {
    if (nowNs < times.startNs) {
      return times.startNs;
    }
    long nextNs = Long.MAX_VALUE;
    for (TargetLoad targetLoad : targetLoads) {
      targetLoad.startDue(nowNs);
      nextNs = Math.min(nextNs, targetLoad.nextDueNs());
    }
    return nextNs;
  }

  private void schedule(long untilNs, long nowNs) {
    final long pauseNs = Math.max(LEAST_PAUSE_NS, untilNs - nowNs);
    nextTurnNs = nowNs + pauseNs;
    nextTurn = eventLoop.schedule(turn, pauseNs, TimeUnit.NANOSECONDS);
  }

  /** Asks for a turn at a time, where the next one would come later. */
  void turnBy(long ns) {
    final long nowNs = System.nanoTime();
    if (nextTurn != null && Math.max(ns, nowNs + LEAST_PAUSE_NS) < nextTurnNs) {
      nextTurn.cancel(false);
      schedule(ns, nowNs);
    }
  }

  private void sweep() {
    if (ended) {
      return;
    }
    try {
      final long nowNs = System.nanoTime();
      for (TargetLoad targetLoad : targetLoads) {
        targetLoad.expire(nowNs);
      }
    } catch (RuntimeException e) {
      fault = e;
    }
    eventLoop.schedule(this::sweep, SWEEP_MS, TimeUnit.MILLISECONDS);
  }

  /** Whether nothing is due any more and nothing in flight. */
  boolean idle() {
    final long nowNs = System.nanoTime();
    return targetLoads.stream().allMatch(targetLoad -> targetLoad.idle(nowNs));
  }

  /**
   * Ends what is left; nothing is recorded after it.
   *
   * @return how many requests had no answer yet.
   */
  int end() {
    ended = true;
    final int inFlight = targetLoads.stream().mapToInt(TargetLoad::inFlight).sum();
    targetLoads.forEach(TargetLoad::close);
    return inFlight;
  }

  /** Why turns ended before the run did; null if they did not. */
  Throwable fault() {
    return fault;
  }
}
