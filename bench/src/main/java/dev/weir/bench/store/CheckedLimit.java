package dev.weir.bench.store;

import dev.weir.scripts.CheckCall;
import dev.weir.scripts.CheckReply;
import java.util.Arrays;

/** The limits that are checked, and the only place that encodes a call and reads its reply. */
enum CheckedLimit {
  /** Large enough never to refuse, remembered from one check of a key to its next. */
  GCRA("gcra") {
    @Override
    void put(CheckCall call) {
      call.paced(100_000, 100, MINUTE_US, CheckCall.NO_QUEUE);
    }
  },
  /** Passes once an hour: whoever has been filled is refused. */
  GCRA_SPENT("gcra") {
    @Override
    void put(CheckCall call) {
      call.paced(1, 1, HOUR_US, CheckCall.NO_QUEUE);
    }
  },
  /** For one key that takes all. */
  GCRA_HOT("gcra") {
    @Override
    void put(CheckCall call) {
      call.paced(1L << 40, 1_000_000, 1_000_000, CheckCall.NO_QUEUE);
    }
  },
  QUEUE("leaky-bucket") {
    @Override
    void put(CheckCall call) {
      call.paced(100_000, 100, MINUTE_US, HOUR_US);
    }
  },
  FIXED_WINDOW("fixed-window") {
    @Override
    void put(CheckCall call) {
      call.fixedWindow(1_000_000, HOUR_US, 0);
    }
  },
  SLIDING_COUNTER("sliding-counter") {
    @Override
    void put(CheckCall call) {
      call.slidingCounter(1_000_000, HOUR_US);
    }
  },
  /** Twice the entries that {@link LogTraffic} begins with. */
  SLIDING_LOG("sliding-log") {
    @Override
    void put(CheckCall call) {
      call.slidingLog(200, HOUR_US);
    }
  },
  /** Short, so that keys of which there are few have been seen in nearly every sub-window. */
  BUCKET_RING("bucket-ring") {
    @Override
    void put(CheckCall call) {
      call.bucketRing(1_000_000, MINUTE_US / 120, 10);
    }
  };

  private static final long MINUTE_US = 60_000_000;
  private static final long HOUR_US = 60 * MINUTE_US;

  private final String algorithm;

  CheckedLimit(String algorithm) {
    this.algorithm = algorithm;
  }

  abstract void put(CheckCall call);

  /** As in the names of keys. */
  String algorithm() {
    return algorithm;
  }

  /** The argument of a call of so many checks, each of {@code requests} requests of cost 1. */
  byte[] argument(int checks, long requests) {
    final CheckCall call = new CheckCall().clear();
    for (int i = 0; i < checks; i++) {
      call.check(requests, 1);
      put(call);
    }
    return Arrays.copyOf(call.array(), call.length());
  }

  /** Whether all of the checks in a reply were answered, and granted all they asked for or none. */
  static boolean decided(byte[] reply, int checks, long granted) {
    final CheckReply decisions = new CheckReply(reply, checks);
    for (int i = 0; i < checks; i++) {
      final int status = granted == 0 ? CheckReply.REFUSED : CheckReply.GRANTED;
      if (decisions.status(i) != status || decisions.granted(i) != granted) {
        return false;
      }
    }
    return true;
  }
}
