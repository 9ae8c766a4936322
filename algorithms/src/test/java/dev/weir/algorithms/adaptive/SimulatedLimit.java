package dev.weir.algorithms.adaptive;

/** A limit of requests in flight, as {@link SimulatedService} asks it. */
interface SimulatedLimit {
  int limit();

  /** Takes the end of a request, which is still counted in {@code inFlight}. */
  void ended(long timeNs, boolean isDropped, int inFlight, long nowNs);

  /** The limit that ships. */
  static SimulatedLimit of(Gradient2 gradient) {
    return new SimulatedLimit() {
      @Override
      public int limit() {
        return gradient.limit();
      }

      @Override
      public void ended(long timeNs, boolean isDropped, int inFlight, long nowNs) {
        if (isDropped) {
          gradient.dropped(inFlight, nowNs);
        } else {
          gradient.answered(timeNs, inFlight, nowNs);
        }
      }
    };
  }

  /** A number that somebody chose. */
  static SimulatedLimit fixed(int limit) {
    return new SimulatedLimit() {
      @Override
      public int limit() {
        return limit;
      }

      @Override
      public void ended(long timeNs, boolean isDropped, int inFlight, long nowNs) {
        // A number that somebody chose stays.
      }
    };
  }

  /**
   * One more with each answer while half is in use, a tenth less with each drop and each answer
   * that takes longer than a time that somebody chose (TCP's additive increase, multiplicative
   * decrease).
   */
  static SimulatedLimit aimd(int min, int max, long timeoutNs) {
    return new SimulatedLimit() {
      private double limit = min;

      @Override
      public int limit() {
        return (int) limit;
      }

      @Override
      public void ended(long timeNs, boolean isDropped, int inFlight, long nowNs) {
        if (isDropped || timeNs > timeoutNs) {
          limit = Math.max(min, limit * 0.9);
        } else if (2 * inFlight >= limit) {
          limit = Math.min(max, limit + 1 / limit);
        }
      }
    };
  }

  /**
   * Gradient2 as it was published: the normal time is the moving mean of 600 windows of a second,
   * whatever they were like; four requests of room; no change below half of the limit.
   */
  static SimulatedLimit published(int min, int max) {
    return new SimulatedLimit() {
      private double limit = Math.max(min, 20);
      private double longNs;
      private double sumNs;
      private int count;
      private int peak;
      private long beganNs;

      @Override
      public int limit() {
        return (int) limit;
      }

      @Override
      public void ended(long timeNs, boolean isDropped, int inFlight, long nowNs) {
        sumNs += timeNs;
        peak = Math.max(peak, inFlight);
        if (++count < 10 || nowNs - beganNs < 1_000_000_000L) {
          return;
        }
        double shortNs = sumNs / count;
        longNs = longNs == 0 ? shortNs : longNs + (shortNs - longNs) * 2 / 601;
        if (longNs / shortNs > 2) {
          longNs *= 0.95;
        }
        if (2 * peak >= limit) {
          double gradient = Math.max(0.5, Math.min(1, 1.5 * longNs / shortNs));
          limit = Math.max(min, Math.min(max, 0.8 * limit + 0.2 * (gradient * limit + 4)));
        }
        sumNs = 0;
        count = 0;
        peak = 0;
        beganNs = nowNs;
      }
    };
  }
}
