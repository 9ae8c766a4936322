package dev.weir.scripts;

import dev.weir.algorithms.store.CounterBudget;
import dev.weir.algorithms.store.LogBudget;
import dev.weir.algorithms.store.PacedBudget;
import dev.weir.algorithms.store.RingBudget;
import dev.weir.algorithms.store.StoredBudget;
import dev.weir.algorithms.store.WindowBudget;
import dev.weir.scripts.LimitSpec.Kind;

/** A rule of the twin that is broken, for one kind: a search that means anything finds it. */
enum BrokenBudgets {
  PACED_CHARGED_AT_GRANT(Kind.PACED) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new Paced(spec) {
        @Override
        public void keep(long nowUs, long units, long lifeUs) {
          charge(nowUs, units);
        }
      };
    }
  },
  LOG_CHARGED_AT_GRANT(Kind.SLIDING_LOG) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new LogBudget(spec.limit(), spec.windowUs()) {
        @Override
        public void keep(long nowUs, long units, long lifeUs) {
          charge(nowUs, units);
        }
      };
    }
  },
  PACED_GIVEN_BACK_IN_FULL(Kind.PACED) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new Paced(spec) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          owe(Math.max(debt() - ticksOf(units), 0), 0);
          return true;
        }
      };
    }
  },
  PACED_WITHOUT_WHAT_LEASES_HOLD_UP(Kind.PACED) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new Paced(spec) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          return super.giveBack(nowUs, units, atUs, spec.lifeUs(), mark);
        }
      };
    }
  },
  PACED_COUNTS_WHAT_IS_KEPT_ALONE(Kind.PACED) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new Paced(spec) {
        @Override
        public void charge(long nowUs, long units) {
          owe(debt() + ticksOf(units), 0);
        }
      };
    }
  },
  WINDOW_GIVEN_BACK_INTO_ANOTHER(Kind.FIXED_WINDOW) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new WindowBudget(spec.limit(), spec.windowUs(), 3) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          return super.giveBack(nowUs, units, nowUs, lifeUs, mark);
        }
      };
    }
  },
  COUNTER_GIVEN_BACK_INTO_ANOTHER(Kind.SLIDING_COUNTER) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new CounterBudget(spec.limit(), spec.windowUs()) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          return super.giveBack(nowUs, units, nowUs, lifeUs, mark);
        }
      };
    }
  },
  RING_GIVEN_BACK_INTO_ANOTHER(Kind.BUCKET_RING) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new RingBudget(spec.limit(), spec.windowUs() / spec.subWindows(), spec.subWindows()) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          return super.giveBack(nowUs, units, nowUs, lifeUs, mark);
        }
      };
    }
  },
  RING_GIVEN_BACK_OFF_WHAT_IS_LEFT(Kind.BUCKET_RING) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      final long widthUs = spec.windowUs() / spec.subWindows();
      return new RingBudget(spec.limit(), widthUs, spec.subWindows()) {
        @Override
        public boolean giveBack(long nowUs, long units, long atUs, long lifeUs, long mark) {
          final long oldestUs = nowUs - spec.windowUs() + widthUs;
          return super.giveBack(nowUs, units, Math.max(atUs, oldestUs), lifeUs, mark);
        }
      };
    }
  },
  WINDOW_BEYOND_ITS_END(Kind.FIXED_WINDOW) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new WindowBudget(spec.limit(), spec.windowUs(), 3) {
        @Override
        public long longestLifeUs(long nowUs) {
          return spec.windowUs();
        }
      };
    }
  },
  COUNTER_BEYOND_ITS_END(Kind.SLIDING_COUNTER) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new CounterBudget(spec.limit(), spec.windowUs()) {
        @Override
        public long longestLifeUs(long nowUs) {
          return spec.windowUs();
        }
      };
    }
  },
  RING_BEYOND_ITS_END(Kind.BUCKET_RING) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new RingBudget(spec.limit(), spec.windowUs() / spec.subWindows(), spec.subWindows()) {
        @Override
        public long longestLifeUs(long nowUs) {
          return spec.windowUs();
        }
      };
    }
  },
  RING_CHARGED_AHEAD(Kind.BUCKET_RING) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new RingBudget(spec.limit(), spec.windowUs() / spec.subWindows(), spec.subWindows()) {
        @Override
        public long longestLifeUs(long nowUs) {
          return spec.windowUs();
        }

        @Override
        public void keep(long nowUs, long units, long lifeUs) {
          charge(nowUs + lifeUs, units);
        }
      };
    }
  },
  PACED_WITH_LESS_CAPACITY_FOR_LEASES(Kind.PACED) {
    @Override
    StoredBudget budget(LimitSpec spec) {
      return new Paced(spec) {
        @Override
        public long lendable(long nowUs, long lifeUs) {
          return Math.max((ceiling() - ticksIn(spec.lifeUs()) - debt()) / ticksOf(1), 0);
        }

        @Override
        public void keep(long nowUs, long units, long lifeUs) {
          charge(nowUs, units);
        }
      };
    }
  };

  private final Kind kind;

  BrokenBudgets(Kind kind) {
    this.kind = kind;
  }

  Kind kind() {
    return kind;
  }

  /** A budget of its kind that breaks the rule. */
  abstract StoredBudget budget(LimitSpec spec);

  /** Code that the paced ones share. */
  private static class Paced extends PacedBudget {
    Paced(LimitSpec spec) {
      super(
          spec.limit(),
          spec.limit() / gcd(spec.limit(), spec.windowUs()),
          spec.windowUs() / gcd(spec.limit(), spec.windowUs()),
          spec.lifeUs());
    }

    private static long gcd(long a, long b) {
      return b == 0 ? a : gcd(b, a % b);
    }
  }
}
