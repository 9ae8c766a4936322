package dev.weir.bench.store;

import dev.weir.bench.store.CheckTraffic.LogTraffic;
import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import dev.weir.scripts.ScriptLimit;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** The limits that are checked, and the only place that encodes a call and reads its reply. */
enum CheckedLimit {
  /** Large enough never to refuse, remembered from one check of a key to its next. */
  GCRA("gcra", ScriptLimit.paced(100_000, 100, Windows.MINUTE_US)),
  /** Passes once an hour: whoever has been filled is refused. */
  GCRA_SPENT("gcra", ScriptLimit.paced(1, 1, Windows.HOUR_US)),
  /** For one key that takes all. */
  GCRA_HOT("gcra", ScriptLimit.paced(1L << 40, 1_000_000, 1_000_000)),
  QUEUE("leaky-bucket", ScriptLimit.queue(100_000, 100, Windows.MINUTE_US, Windows.HOUR_US)),
  FIXED_WINDOW("fixed-window", ScriptLimit.fixedWindow(1_000_000, Windows.HOUR_US, 0)),
  SLIDING_COUNTER("sliding-counter", ScriptLimit.slidingCounter(1_000_000, Windows.HOUR_US)),
  /** Twice the entries that {@link LogTraffic} begins with. */
  SLIDING_LOG("sliding-log", ScriptLimit.slidingLog(200, Windows.HOUR_US)),
  /** Short, so that keys of which there are few have been seen in nearly every sub-window. */
  BUCKET_RING("bucket-ring", ScriptLimit.bucketRing(1_000_000, Windows.HALF_SECOND_US, 10));

  /** The algorithm as the names of keys have it. */
  final String algorithm;

  private final ScriptLimit limit;

  CheckedLimit(String algorithm, ScriptLimit limit) {
    this.algorithm = algorithm;
    this.limit = limit;
  }

  /** The argument of a call of so many checks, each of {@code requests} requests of cost 1. */
  byte[] argument(int checks, long requests) {
    final CheckCall call = new CheckCall(checks);
    for (int i = 0; i < checks; i++) {
      call.check(requests, 1, limit);
    }
    return Arrays.copyOf(call.array(), call.length());
  }

  /**
   * Whether every check in a reply was granted so many requests, none of them if that is 0.
   *
   * @param reply null for none.
   */
  static boolean granted(byte[] reply, int checks, long granted) {
    if (reply == null || reply.length != CheckReply.length(checks)) {
      return false;
    }
    final CheckReply decisions = new CheckReply().wrap(ByteBuffer.wrap(reply), checks);
    for (int i = 0; i < checks; i++) {
      final int status = granted == 0 ? CheckReply.REFUSED : CheckReply.GRANTED;
      if (decisions.status(i) != status || decisions.granted(i) != granted) {
        return false;
      }
    }
    return true;
  }

  private static final class Windows {
    static final long HALF_SECOND_US = 500_000;
    static final long MINUTE_US = 60_000_000;
    static final long HOUR_US = 60 * MINUTE_US;
  }
}
