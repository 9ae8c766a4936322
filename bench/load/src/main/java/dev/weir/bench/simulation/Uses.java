package dev.weir.bench.simulation;

import dev.weir.proxy.rule.spec.LimitSpec;
import java.util.concurrent.TimeUnit;

/**
 * The uses of one budget, and whether they are what its limit promises of every window. Written
 * from those promises alone: shares no code with what decides. Times are whole microseconds of the
 * store's time, and never step back.
 */
public abstract class Uses {
  /**
   * Nothing used yet of a budget.
   *
   * @param spec without an alignment or sub-window of its own.
   */
  public static Uses of(LimitSpec spec) {
    long count = spec.rate().count();
    long windowUs = TimeUnit.NANOSECONDS.toMicros(spec.rate().windowNs());
    return switch (spec.algorithm()) {
      case GCRA, TOKEN_BUCKET, LEAKY_BUCKET -> new Paced(spec.capacity(), count, windowUs);
      case FIXED_WINDOW -> new Fixed(count, windowUs);
      case SLIDING_COUNTER -> new Counter(count, windowUs);
      case SLIDING_LOG -> new Log(count, windowUs);
      case BUCKET_RING ->
          new Ring(count, windowUs / SimulatedLimit.SUB_WINDOWS, SimulatedLimit.SUB_WINDOWS);
    };
  }

  /** Uses units; returns by how many some window is over the limit now, rounded up. */
  public final long use(long atUs, long units) {
    moveTo(atUs);
    for (long unit = 0; unit < units; unit++) {
      count(atUs);
    }
    return Math.max(0, -free(atUs));
  }

  /** Whole units that could be used now without a window being over; less than 0 if one is. */
  public final long freeAt(long atUs) {
    moveTo(atUs);
    return free(atUs);
  }

  abstract void moveTo(long atUs);

  abstract void count(long atUs);

  abstract long free(long atUs);

  /** At most the burst beyond the limit's rate times the length, in each window that ends now. */
  static final class Paced extends Uses {
    private final long burst;
    private final long units;
    private final long windowUs;

    /** The most of any window that ends at the last use, in units times the window. */
    private long most;

    private long lastUs;

    Paced(long burst, long units, long windowUs) {
      this.burst = burst;
      this.units = units;
      this.windowUs = windowUs;
    }

    @Override
    void moveTo(long atUs) {
      double drained = (double) units * (atUs - lastUs);
      most = drained >= most ? 0 : most - units * (atUs - lastUs);
      lastUs = atUs;
    }

    @Override
    void count(long atUs) {
      most += windowUs;
    }

    @Override
    long free(long atUs) {
      return Math.floorDiv(burst * windowUs - most, windowUs);
    }
  }

  /** At most a limit in each window of the clock. */
  static final class Fixed extends Uses {
    private final long limit;
    private final long windowUs;
    private long window = -1;
    private long used;

    Fixed(long limit, long windowUs) {
      this.limit = limit;
      this.windowUs = windowUs;
    }

    @Override
    void moveTo(long atUs) {
      if (atUs / windowUs != window) {
        window = atUs / windowUs;
        used = 0;
      }
    }

    @Override
    void count(long atUs) {
      used++;
    }

    @Override
    long free(long atUs) {
      return limit - used;
    }
  }

  /** The count of a window, and that of the one before by its share that is still covered. */
  static final class Counter extends Uses {
    private final long limit;
    private final long windowUs;
    private long window = -1;
    private long used;
    private long usedBefore;

    Counter(long limit, long windowUs) {
      this.limit = limit;
      this.windowUs = windowUs;
    }

    @Override
    void moveTo(long atUs) {
      long present = atUs / windowUs;
      if (present != window) {
        usedBefore = present == window + 1 ? used : 0;
        used = 0;
        window = present;
      }
    }

    @Override
    void count(long atUs) {
      used++;
    }

    @Override
    long free(long atUs) {
      long covered = windowUs - atUs % windowUs;
      return Math.floorDiv((limit - used) * windowUs - usedBefore * covered, windowUs);
    }
  }

  /** At most a limit in any window, by the times of the uses themselves. */
  static final class Log extends Uses {
    private final long limit;
    private final long windowUs;
    private long[] timesUs = new long[16];
    private int first;
    private int size;

    Log(long limit, long windowUs) {
      this.limit = limit;
      this.windowUs = windowUs;
    }

    @Override
    void moveTo(long atUs) {
      while (size > 0 && timesUs[first] <= atUs - windowUs) {
        first = (first + 1) % timesUs.length;
        size--;
      }
    }

    @Override
    void count(long atUs) {
      if (size == timesUs.length) {
        long[] longer = new long[2 * size];
        for (int i = 0; i < size; i++) {
          longer[i] = timesUs[(first + i) % size];
        }
        timesUs = longer;
        first = 0;
      }
      timesUs[(first + size++) % timesUs.length] = atUs;
    }

    @Override
    long free(long atUs) {
      return limit - size;
    }
  }

  /** At most a limit in the present sub-window and those before it that make a window. */
  static final class Ring extends Uses {
    private final long limit;
    private final long widthUs;
    private final long[] used;
    private long present;
    private long sum;

    Ring(long limit, long widthUs, int subWindows) {
      this.limit = limit;
      this.widthUs = widthUs;
      this.used = new long[subWindows];
    }

    @Override
    void moveTo(long atUs) {
      long at = atUs / widthUs;
      for (long entered = Math.max(present + 1, at - used.length + 1); entered <= at; entered++) {
        int place = (int) (entered % used.length);
        sum -= used[place];
        used[place] = 0;
      }
      present = at;
    }

    @Override
    void count(long atUs) {
      used[(int) (present % used.length)]++;
      sum++;
    }

    @Override
    long free(long atUs) {
      return limit - sum;
    }
  }
}
