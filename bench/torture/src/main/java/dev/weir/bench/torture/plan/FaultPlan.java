package dev.weir.bench.torture.plan;

import java.util.concurrent.TimeUnit;

/**
 * A fault on the time line. Those of one {@link Lane} happen one after the other.
 *
 * @param number tells it from the others, whatever is left out.
 * @param target which sidecar, of as many as there are; or a variant.
 * @param lastsMs of those that last.
 */
public record FaultPlan(int number, Kind kind, long atMs, int target, long lastsMs) {
  /** What is faulty. */
  public enum Lane {
    SIDECAR,
    STORE,
    SERVICE
  }

  /** What happens. */
  public enum Kind {
    /** SIGSTOP, and SIGCONT later. */
    SIDECAR_STOPPED(Lane.SIDECAR),
    /** SIGKILL, and a start later. */
    SIDECAR_KILLED(Lane.SIDECAR),
    /** SIGTERM, once a successor listens on other ports. */
    SIDECAR_REPLACED(Lane.SIDECAR),
    /** Other rules and SIGHUP, for all sidecars. */
    RULES_CHANGED(Lane.SIDECAR),
    /** A faulty file and SIGHUP, for all sidecars: the rules stay. */
    RULES_BROKEN(Lane.SIDECAR),
    /** The time of day is set, forward or back, and to the right time later. */
    SIDECAR_CLOCK_SET(Lane.SIDECAR),
    /** The disk of the log and of the latency log is full. */
    LOGS_FULL(Lane.SIDECAR),
    /** {@code ResetLimit} for the first identity of a rule. */
    BUDGETS_RESET(Lane.SIDECAR),
    /** SIGKILL, and an empty start later. */
    STORE_KILLED(Lane.STORE),
    /** SIGSTOP, and SIGCONT later. */
    STORE_HUNG(Lane.STORE),
    /** {@code SCRIPT FLUSH}. */
    SCRIPT_FLUSHED(Lane.STORE),
    /** {@code maxmemory} below what is used, without eviction. */
    STORE_FULL(Lane.STORE),
    /** {@code maxmemory} below what is used, with eviction of any key. */
    STORE_EVICTS(Lane.STORE),
    /** The time of day is set, forward or back, and to the right time later. */
    STORE_CLOCK_SET(Lane.STORE),
    /** A slot with keys stays between two servers for a while, then it moves. Of clusters. */
    SLOT_MOVED(Lane.STORE),
    /** The replica gets no more writes, then the master is killed. Of Sentinel. */
    WRITES_LOST(Lane.STORE),
    /** Replies come later. */
    REPLIES_DELAYED(Lane.STORE),
    /** Replies are lost. */
    REPLIES_DROPPED(Lane.STORE),
    /** Replies come in pieces. */
    REPLIES_TRICKLED(Lane.STORE),
    /** Nothing passes, then all that was held. */
    STORE_CUT_OFF(Lane.STORE),
    /** Connections are reset. */
    STORE_REFUSES(Lane.STORE),
    /** All connections end, and new ones are refused for a while. */
    SERVICE_RESTARTED(Lane.SERVICE);

    private final Lane lane;

    Kind(Lane lane) {
      this.lane = lane;
    }

    public Lane lane() {
      return lane;
    }
  }

  private static final long STEP_LEAST_MS = 100;

  /** A target of 99 is an hour. */
  private static final double STEP_MOST = 36_000;

  /** How far a clock is set forward, or back if negative. */
  public long stepNs() {
    final double ms = STEP_LEAST_MS * Math.pow(STEP_MOST, target / 99.0);
    return TimeUnit.MILLISECONDS.toNanos((long) ms) * (target % 2 == 0 ? 1 : -1);
  }
}
