package dev.weir.bench.load;

import dev.weir.bench.load.LoadSink.Failure;
import java.util.concurrent.atomic.AtomicLongArray;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.SingleWriterRecorder;

/**
 * Counts and times of one event loop. Written by that loop only, without waiting or allocating;
 * read by one other thread, which sees what was written a moment ago.
 */
final class LoopRecorder {
  /** Longer times count as this one. */
  static final long MOST_NS = 3_600_000_000_000L;

  private static final int DIGITS = 3;
  static final int HTTP_STATUSES = 600;
  static final int GRPC_STATUSES = 17;
  static final int TOO_MANY_REQUESTS = 429;
  private static final int RESOURCE_EXHAUSTED = 8;
  static final int SERVER_ERROR = 500;

  enum Count {
    SENT,
    PASSED,
    REFUSED,
    FAILED,
    RECONNECTED,
    HANDSHAKES,
    /** Those among them that went on with a session of before. */
    RESUMED
  }

  enum Time {
    /** From when a request was due to the end of its answer. */
    CORRECTED,
    /** From when it was started. */
    UNCORRECTED,
    /** Corrected latencies of answers that say that a limit is reached. */
    REFUSED,
    /** From when it could have been started to when it was: the harness's own part. */
    LATE
  }

  private final AtomicLongArray counts = new AtomicLongArray(Count.values().length);
  private final AtomicLongArray failures = new AtomicLongArray(Failure.values().length);
  private final AtomicLongArray statuses = new AtomicLongArray(HTTP_STATUSES + GRPC_STATUSES);
  private final SingleWriterRecorder[] times = new SingleWriterRecorder[Time.values().length];
  private final Histogram[] intervals = new Histogram[times.length];
  private final long measuredFromNs;

  /**
   * @param measuredFromNs requests that were due before are left out.
   */
  LoopRecorder(long measuredFromNs) {
    this.measuredFromNs = measuredFromNs;
    for (int i = 0; i < times.length; i++) {
      times[i] = new SingleWriterRecorder(1, MOST_NS, DIGITS);
    }
  }

  /** A request was started, and could have been at {@code possibleNs}. */
  void started(long dueNs, long possibleNs, long nowNs) {
    if (dueNs >= measuredFromNs) {
      add(counts, Count.SENT.ordinal());
      record(Time.LATE, nowNs - possibleNs);
    }
  }

  void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs, long nowNs) {
    if (dueNs < measuredFromNs) {
      return;
    }
    add(statuses, grpcStatus >= 0 ? HTTP_STATUSES + Math.min(grpcStatus, 16) : httpStatus);
    record(Time.CORRECTED, nowNs - dueNs);
    record(Time.UNCORRECTED, nowNs - startedNs);
    if (httpStatus == TOO_MANY_REQUESTS || grpcStatus == RESOURCE_EXHAUSTED) {
      add(counts, Count.REFUSED.ordinal());
      record(Time.REFUSED, nowNs - dueNs);
    } else if (httpStatus >= SERVER_ERROR || grpcStatus > 0) {
      add(counts, Count.FAILED.ordinal());
    } else {
      add(counts, Count.PASSED.ordinal());
    }
  }

  /**
   * A request has no whole answer. One that timed out took at least so long, from when it was due
   * if it never was started; one whose connection broke says nothing about how long answers take.
   *
   * @param startedNs {@code dueNs} if it never was.
   */
  void failed(Failure failure, long dueNs, long startedNs, long nowNs) {
    if (dueNs < measuredFromNs) {
      return;
    }
    add(counts, Count.FAILED.ordinal());
    add(failures, failure.ordinal());
    if (failure == Failure.TIMEOUT || failure == Failure.NOT_STARTED) {
      record(Time.CORRECTED, nowNs - dueNs);
    }
    if (failure == Failure.TIMEOUT) {
      record(Time.UNCORRECTED, nowNs - startedNs);
    }
  }

  void shakenHands(boolean resumed, long nowNs) {
    if (nowNs >= measuredFromNs) {
      add(counts, Count.HANDSHAKES.ordinal());
      if (resumed) {
        add(counts, Count.RESUMED.ordinal());
      }
    }
  }

  void reconnected() {
    add(counts, Count.RECONNECTED.ordinal());
  }

  private void record(Time time, long ns) {
    times[time.ordinal()].recordValue(Math.min(Math.max(ns, 1), MOST_NS));
  }

  /** One writer: no read-modify-write that another could come between. */
  private static void add(AtomicLongArray array, int index) {
    array.lazySet(index, array.getPlain(index) + 1);
  }

  long count(Count count) {
    return counts.get(count.ordinal());
  }

  long failures(Failure failure) {
    return failures.get(failure.ordinal());
  }

  /** Answers with an HTTP status, of calls that are not gRPC's. */
  long httpAnswers(int status) {
    return statuses.get(status);
  }

  /** Answers with a gRPC status; 16 and above together. */
  long grpcAnswers(int status) {
    return statuses.get(HTTP_STATUSES + status);
  }

  /** Moves what was timed since the last call into {@code merged}; by the reading thread only. */
  void drain(Time time, Histogram merged) {
    final int at = time.ordinal();
    intervals[at] = times[at].getIntervalHistogram(intervals[at]);
    merged.add(intervals[at]);
  }
}
