package dev.weir.scripts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Holds by definition: every charge that was ever made is in a list, from which everything is
 * counted anew for each question. It is slow and obvious, and shares no code with the script. Time
 * never goes back.
 */
final class HoldDefinition {
  /**
   * A message of a holder; of limits that it does not hold the numbers are not looked at.
   *
   * @param plan by whose numbers of the limits it asks.
   */
  record Message(
      int plan,
      long holder,
      long sequence,
      long requests,
      long keep,
      long lifeUs,
      long[] reserves,
      boolean[] holds,
      boolean isNew,
      long[] units,
      long[] charged) {}

  /** The answer; {@code least}: what is neither used nor held, by limit. */
  record Answer(long granted, long kept, List<Integer> became, List<Long> least, List<Long> held) {}

  private record Charge(long atUs, long units, long held) {}

  private record Record(long units, long charged, long sequence, long expiresUs) {}

  /** One limit: what was charged, and what its holders have said. */
  private static final class Budget {
    private final HoldSpec spec;
    private final List<Charge> charges = new ArrayList<>();
    private final Map<Long, Record> records = new HashMap<>();

    Budget(HoldSpec spec) {
      this.spec = spec;
    }

    /** A record that expires is charged as of that moment. */
    void expire(long nowUs) {
      records
          .values()
          .removeIf(
              record -> {
                if (record.expiresUs > nowUs) {
                  return false;
                }
                charge(record.expiresUs, record.units, record.units);
                return true;
              });
    }

    void charge(long atUs, long units, long held) {
      if (units > 0 && spec.kind() != HoldSpec.Kind.CONCURRENCY) {
        charges.add(new Charge(atUs, units, held));
        charges.sort(Comparator.comparingLong(Charge::atUs));
      }
    }

    long held() {
      return records.values().stream().mapToLong(Record::units).sum();
    }

    /** Units that count at a moment. */
    long used(long nowUs) {
      return switch (spec.kind()) {
        case PACED -> level(nowUs);
        case CONCURRENCY -> 0;
        case FIXED_WINDOW, CALENDAR -> sum(spec.startUs(nowUs), nowUs);
        case SLIDING_LOG -> sum(nowUs - spec.windowUs() + 1, nowUs);
        case BUCKET_RING ->
            sum(spec.startUs(nowUs) - spec.windowUs() + spec.windowUs() / spec.subWindows(), nowUs);
        case SLIDING_COUNTER -> {
          final long start = spec.startUs(nowUs);
          final long before = sum(start - spec.windowUs(), start - 1);
          final long rest = start + spec.windowUs() - nowUs;
          yield sum(start, nowUs) + (before * rest + spec.windowUs() - 1) / spec.windowUs();
        }
      };
    }

    private long sum(long fromUs, long toUs) {
      return charges.stream()
          .filter(charge -> charge.atUs >= fromUs && charge.atUs <= toUs)
          .mapToLong(Charge::units)
          .sum();
    }

    /** A bucket that leaks; what was not held overflows at twice its size. */
    private long level(long nowUs) {
      long level = 0;
      long atUs = 0;
      final long unit = spec.windowUs();
      for (Charge charge : charges) {
        level = Math.max(level - (charge.atUs - atUs) * spec.limit(), 0);
        final long most = Math.max(2 * spec.limit() * unit, level + charge.held * unit);
        level = Math.min(level + charge.units * unit, most);
        atUs = charge.atUs;
      }
      level = Math.max(level - (nowUs - atUs) * spec.limit(), 0);
      return (level + unit - 1) / unit;
    }
  }

  static final int APPLIED = 1;
  static final int OLDER = 2;
  static final int FORGOTTEN = 3;

  private final List<List<HoldSpec>> plans;
  private final List<Budget> budgets = new ArrayList<>();

  /**
   * @param plans the limits by plan; of another number under another plan only where counts mean
   *     the same under any.
   */
  HoldDefinition(List<List<HoldSpec>> plans) {
    this.plans = plans;
    plans.get(0).forEach(spec -> budgets.add(new Budget(spec)));
  }

  /** Units used at a moment, as far as is known now. */
  long used(int limit, long atUs) {
    return budgets.get(limit).used(atUs);
  }

  Answer ask(Message message, long nowUs) {
    final List<Integer> became = new ArrayList<>();
    boolean isApplied = true;
    for (int i = 0; i < budgets.size(); i++) {
      final Budget budget = budgets.get(i);
      budget.expire(nowUs);
      became.add(message.holds[i] ? settle(budget, message, i, nowUs) : 0);
      isApplied &= !message.holds[i] || became.get(i) == APPLIED;
    }
    long granted = isApplied ? message.requests : 0;
    for (int i = 0; i < budgets.size(); i++) {
      granted = Math.min(granted, Math.max(left(message, i, nowUs), 0) / message.reserves[i]);
    }
    long kept = isApplied && granted == message.requests ? message.keep : 0;
    for (int i = 0; i < budgets.size(); i++) {
      final long free = Math.max(left(message, i, nowUs) - granted * message.reserves[i], 0);
      kept = message.holds[i] ? Math.min(kept, free / 4 / message.reserves[i]) : 0;
    }
    final List<Long> least = new ArrayList<>();
    final List<Long> held = new ArrayList<>();
    for (int i = 0; i < budgets.size(); i++) {
      final Budget budget = budgets.get(i);
      final long taken = (granted + kept) * message.reserves[i];
      if (!message.holds[i]) {
        budget.charge(nowUs, taken, taken);
      } else if (became.get(i) == APPLIED) {
        final Record record = budget.records.get(message.holder);
        final long charged = Math.max(record == null ? 0 : record.charged, message.charged[i]);
        budget.records.put(
            message.holder,
            new Record(
                message.units[i] + taken, charged, message.sequence, nowUs + message.lifeUs));
      }
      least.add(Math.max(left(message, i, nowUs), 0));
      held.add(budget.held());
    }
    return new Answer(granted, kept, became, least, held);
  }

  private long left(Message message, int limit, long nowUs) {
    final Budget budget = budgets.get(limit);
    final long capacity = plans.get(message.plan).get(limit).limit();
    return capacity - budget.used(nowUs) - budget.held();
  }

  private static int settle(Budget budget, Message message, int limit, long nowUs) {
    final Record record = budget.records.get(message.holder);
    if (record == null && !message.isNew) {
      return FORGOTTEN;
    }
    if (record != null && message.sequence <= record.sequence) {
      return OLDER;
    }
    final long before = record == null ? 0 : record.units;
    final long charged = record == null ? 0 : record.charged;
    final long units = Math.max(message.charged[limit] - charged, 0);
    budget.charge(nowUs, units, Math.min(units, before));
    // What it holds counts from here on, also for whether there is room for more.
    budget.records.put(
        message.holder,
        new Record(
            message.units[limit],
            Math.max(charged, message.charged[limit]),
            message.sequence,
            nowUs + message.lifeUs));
    return APPLIED;
  }
}
