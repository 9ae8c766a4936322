package dev.weir.scripts;

import dev.weir.scripts.HoldDefinition.Answer;
import dev.weir.scripts.HoldDefinition.Message;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Function;

/**
 * Searches for a moment at which more is used than a limit allows: short random traces of a few
 * holders whose messages are lost, late or repeated, and which are killed or cut off, on limits
 * that are small in units and in time. At the end all must be free again. With several plans the
 * number of the first limit changes meanwhile; holders learn of each change at times of their own,
 * and no window may have more than the largest plan allows.
 */
final class HoldSearch {
  /** A rule that holders break. */
  enum Breach {
    /** After a silence that was too long the holder goes on as if it were known. */
    OUTLIVES_ITS_RECORD,
    /** A holder uses a grant, though the answer came after its deadline. */
    USES_A_LATE_ANSWER,
    /** A message releases what was held, and the next one charges it. */
    RELEASES_BEFORE_IT_CHARGES,
    /** A message says what was charged since the last one that was answered. */
    SAYS_RELATIVE_NUMBERS,
    /** Whoever learns of another plan charges nothing for what began under the one before. */
    FORGETS_WHAT_RUNS_UNDER_ANOTHER_PLAN;

    /** How many plans there have to be, for it to matter. */
    int plans() {
      return this == FORGETS_WHAT_RUNS_UNDER_ANOTHER_PLAN ? PLANS : 1;
    }
  }

  /** The store, as a holder sees it. */
  interface Store {
    Answer ask(Message message, long nowUs) throws IOException;

    /** Looks, and says by limit what is neither used nor held. */
    List<Long> peek(long nowUs) throws IOException;
  }

  /** A request from its verdict to its end. */
  private static final class Exchange {
    private final long verdictUs;
    private final Holder of;
    private final long record;
    private long endUs = Long.MAX_VALUE;
    private long[] costs;

    Exchange(long verdictUs, Holder of, long[] reserves) {
      this.verdictUs = verdictUs;
      this.of = of;
      record = of.id;
      costs = reserves.clone();
    }
  }

  /** A message on its way, perhaps not for the first time. */
  private static final class Sent {
    private final Holder from;
    private final Message message;
    private final long atUs;
    private Answer answer;
    private long decidedUs;

    Sent(Holder from, Message message, long atUs) {
      this.from = from;
      this.message = message;
      this.atUs = atUs;
    }
  }

  private final class Holder {
    private long id = ++lastId;
    private int plan = fleetPlan;

    /** Whether another one asks, under a later plan. */
    private boolean isRetired;

    private long sequence;
    private boolean isKnown;
    private boolean isDead;
    private long wanted;
    private long inHand;
    private long aliveUntilUs = Long.MIN_VALUE;
    private long[] charged = new long[specs.size()];
    private long[] owed = new long[specs.size()];
    private final List<Exchange> running = new ArrayList<>();
    private Sent away;

    /** Requests whose units it holds under its present record. */
    private long held() {
      return inHand + running.stream().filter(exchange -> exchange.record == id).count();
    }

    private void beginAnew() {
      if (breaches.contains(Breach.OUTLIVES_ITS_RECORD) && isKnown) {
        return;
      }
      id = ++lastId;
      sequence = 0;
      isKnown = false;
      inHand = 0;
      away = null;
      charged = new long[specs.size()];
    }

    /** Learns of another plan: goes on under it, or leaves the asking to a new holder. */
    private void learn(List<Holder> holders) {
      final boolean isForgetful = breaches.contains(Breach.FORGETS_WHAT_RUNS_UNDER_ANOTHER_PLAN);
      say(() -> id + " learns of plan " + fleetPlan);
      if (random.nextBoolean() && !isForgetful) {
        plan = fleetPlan;
        return;
      }
      isRetired = true;
      wanted = 0;
      inHand = 0;
      holders.add(new Holder());
      if (isForgetful) {
        running.clear();
      }
    }

    private Sent send() {
      if (isKnown && nowUs >= aliveUntilUs) {
        beginAnew();
      }
      final long[] units = new long[specs.size()];
      final long[] total = new long[specs.size()];
      for (int i = 0; i < units.length && isKnown; i++) {
        total[i] = charged[i];
        charged[i] += owed[i];
        owed[i] = 0;
        units[i] = held() * reserves[i];
        if (!breaches.contains(Breach.RELEASES_BEFORE_IT_CHARGES)) {
          total[i] = charged[i];
        }
      }
      sequence++;
      final long keep = random.nextInt(4) == 0 && !isRetired ? random.nextInt(8) : 0;
      final Message message =
          new Message(
              plan, id, sequence, wanted, keep, lifeUs, reserves, holds, !isKnown, units, total);
      say(() -> "send " + text(message));
      away = new Sent(this, message, nowUs);
      wanted = 0;
      return away;
    }

    /** The answer is there; what comes after the deadline is not used. */
    private void answered(Sent sent) {
      if (isDead || sent.answer == null) {
        return;
      }
      if (away != sent && !breaches.contains(Breach.USES_A_LATE_ANSWER)) {
        return;
      }
      away = null;
      if (sent.message.holder() != id) {
        return;
      }
      if (sent.answer.became().contains(HoldDefinition.FORGOTTEN)) {
        beginAnew();
        return;
      }
      if (sent.answer.became().contains(HoldDefinition.OLDER)) {
        return;
      }
      isKnown = true;
      if (breaches.contains(Breach.SAYS_RELATIVE_NUMBERS)) {
        Arrays.fill(charged, 0);
      }
      aliveUntilUs = sent.atUs + lifeUs * 511 / 512;
      for (int i = 0; i < sent.answer.granted(); i++) {
        begin(sent.decidedUs);
      }
      inHand += isRetired ? 0 : sent.answer.kept();
    }

    private void begin(long verdictUs) {
      final Exchange exchange = new Exchange(verdictUs, this, reserves);
      running.add(exchange);
      taken.add(exchange);
    }

    /**
     * An exchange ends, and costs what it does; what was charged when its record expired is paid.
     */
    private void end(Exchange exchange) {
      running.remove(exchange);
      if (isKnown && nowUs >= aliveUntilUs) {
        beginAnew();
      }
      final long[] costs = new long[specs.size()];
      for (int i = 0; i < costs.length; i++) {
        if (!holds[i]) {
          costs[i] = reserves[i];
        } else if (specs.get(i).kind() != HoldSpec.Kind.CONCURRENCY) {
          costs[i] = random.nextLong(reserves[i] + 1 + (isOver ? 3 : 0));
          owed[i] += exchange.record == id ? costs[i] : Math.max(costs[i] - reserves[i], 0);
        } else {
          costs[i] = reserves[i];
        }
      }
      exchange.costs = costs;
      if (exchange.record == id) {
        exchange.endUs = nowUs;
      } else {
        exchange.endUs = Math.min(nowUs, expiries.getOrDefault(exchange.record, nowUs));
        exchange.costs = reserves.clone();
      }
      say(() -> "end of " + exchange.record + ": " + Arrays.toString(costs));
    }
  }

  /** So many plans there are, where plans change. */
  static final int PLANS = 3;

  private static final int STEPS = 24;
  private static final long START_US = 1_700_000_000_000_000L;

  private final Function<List<List<HoldSpec>>, Store> stores;
  private final int planCount;
  private final Set<Breach> breaches = EnumSet.noneOf(Breach.class);
  private StringBuilder text;
  private long messages;
  private long granted;
  private long late;
  private long expired;
  private long changes;

  private SplittableRandom random;

  /** The limits by plan. */
  private List<List<HoldSpec>> plans;

  /** The limits under the first plan. */
  private List<HoldSpec> specs;

  /** The user's plan, of which not all holders know yet. */
  private int fleetPlan;

  private Store store;
  private long[] reserves;
  private boolean[] holds;
  private boolean isOver;
  private long lifeUs;
  private long nowUs;
  private long lastId;
  private List<Exchange> taken;

  /** When the record of each holder expires that there ever was. */
  private Map<Long, Long> expiries;

  HoldSearch(Function<List<List<HoldSpec>>, Store> stores, int planCount, Breach... breaches) {
    this.stores = stores;
    this.planCount = planCount;
    Collections.addAll(this.breaches, breaches);
  }

  /** Messages that came, each as often as it did. */
  long messages() {
    return messages;
  }

  long granted() {
    return granted;
  }

  /** Messages that came after a later one, or twice. */
  long late() {
    return late;
  }

  /** Records with units that expired. */
  long expired() {
    return expired;
  }

  /** Changes of a plan. */
  long changes() {
    return changes;
  }

  /** A trace that is over its limit, or leaves something behind, as text; null if there is none. */
  String search(HoldSpec.Kind kind, long seed, int traces) throws IOException {
    final SplittableRandom seeds = new SplittableRandom(seed);
    for (int trace = 0; trace < traces; trace++) {
      final long of = seeds.nextLong();
      text = null;
      if (trace(kind, of) != null) {
        text = new StringBuilder();
        final String fault = trace(kind, of);
        return kind + ", seed " + of + ": " + fault + "\n" + text;
      }
    }
    return null;
  }

  private interface Line {
    String text();
  }

  private void say(Line line) {
    if (text != null) {
      text.append(nowUs - START_US).append(": ").append(line.text()).append('\n');
    }
  }

  private static String text(Message message) {
    return message.holder()
        + " #"
        + message.sequence()
        + (message.isNew() ? " new" : "")
        + " plan "
        + message.plan()
        + " asks "
        + message.requests()
        + ", keep "
        + message.keep()
        + ", holds "
        + Arrays.toString(message.units())
        + ", charged "
        + Arrays.toString(message.charged());
  }

  private String trace(HoldSpec.Kind kind, long seed) throws IOException {
    random = new SplittableRandom(seed);
    specs = new ArrayList<>();
    specs.add(HoldSpec.draw(kind, random));
    final HoldSpec.Kind[] kinds = HoldSpec.Kind.values();
    for (int more = random.nextInt(5); more > 2; more--) {
      specs.add(HoldSpec.draw(kinds[random.nextInt(kinds.length)], random));
    }
    reserves = new long[specs.size()];
    holds = new boolean[specs.size()];
    for (int i = 0; i < reserves.length; i++) {
      reserves[i] = 1 + random.nextInt(4);
      holds[i] =
          i == 0 || specs.get(i).kind() == HoldSpec.Kind.CONCURRENCY || random.nextInt(3) > 0;
    }
    isOver = random.nextInt(10) == 0;
    final long windowUs = specs.get(0).windowUs();
    lifeUs = 1 + random.nextLong(Math.min(2 * windowUs, ScriptLimit.MAX_LIFE_US - 1));
    nowUs = START_US + random.nextLong(2 * windowUs);
    lastId = random.nextInt(1 << 20) * 1000L;
    taken = new ArrayList<>();
    expiries = new HashMap<>();
    plans = plans();
    fleetPlan = 0;
    store = stores.apply(plans);
    say(() -> plans + ", reserves " + Arrays.toString(reserves) + ", life " + lifeUs);
    final List<Holder> holders = new ArrayList<>();
    for (int i = 1 + random.nextInt(3); i > 0; i--) {
      holders.add(new Holder());
    }
    final List<Sent> network = new ArrayList<>();
    for (int step = 0; step < STEPS; step++) {
      nowUs += pause(windowUs);
      changePlans(holders);
      final Holder holder = holders.get(random.nextInt(holders.size()));
      switch (random.nextInt(12)) {
        case 0, 1, 2, 3 -> {
          holder.wanted += holder.isRetired ? 0 : random.nextInt(3);
          if (holder.away == null) {
            network.add(holder.send());
          }
        }
        case 4, 5, 6 -> {
          if (!holder.running.isEmpty()) {
            holder.end(holder.running.get(random.nextInt(holder.running.size())));
          }
        }
        case 7 -> {
          if (holder.inHand > 0 && nowUs < holder.aliveUntilUs) {
            holder.inHand--;
            holder.begin(nowUs);
          }
        }
        case 8 -> {
          holder.away = null; // its deadline
          say(() -> "no answer for " + holder.id);
        }
        case 9 -> {
          if (random.nextInt(4) == 0) {
            say(() -> "killed " + holder.id);
            holder.isDead = true;
            holders.set(holders.indexOf(holder), new Holder());
          }
        }
        default -> {
          final List<Long> left = store.peek(nowUs);
          say(() -> "left " + left);
        }
      }
      deliver(network);
    }
    return settled(holders, network);
  }

  /** The limits by plan: under each another number of the first one, small or large. */
  private List<List<HoldSpec>> plans() {
    final List<List<HoldSpec>> all = new ArrayList<>(List.of(specs));
    while (all.size() < planCount) {
      final HoldSpec of = specs.get(0);
      final List<HoldSpec> next = new ArrayList<>(specs);
      final long limit = 1 + (random.nextBoolean() ? random.nextInt(3) : 8 + random.nextInt(8));
      next.set(0, new HoldSpec(of.kind(), limit, of.windowUs(), of.subWindows()));
      all.add(next);
    }
    return all;
  }

  /** The largest number that a limit has under any plan. */
  private HoldSpec largest(int limit) {
    return plans.stream()
        .map(plan -> plan.get(limit))
        .max(Comparator.comparingLong(HoldSpec::limit))
        .orElseThrow();
  }

  private void changePlans(List<Holder> holders) {
    if (planCount == 1) {
      return;
    }
    if (random.nextInt(4) == 0) {
      fleetPlan = random.nextInt(planCount);
      changes++;
    }
    final Holder any = holders.get(random.nextInt(holders.size()));
    if (any.plan != fleetPlan && !any.isRetired) {
      any.learn(holders);
    }
  }

  private long pause(long windowUs) {
    if (planCount > 1 && random.nextInt(3) > 0) {
      return random.nextInt(2); // what was used is to count still under the next plan
    }
    return switch (random.nextInt(8)) {
      case 0 -> random.nextLong(2 * windowUs);
      case 1 -> random.nextLong(2 * lifeUs);
      case 2, 3 -> random.nextLong(1 + Math.min(windowUs, lifeUs) / 4);
      default -> random.nextInt(2);
    };
  }

  /** Each message on its way is lost, stays, comes, or comes and stays to come again. */
  private void deliver(List<Sent> network) throws IOException {
    for (Sent sent : List.copyOf(network)) {
      final int fate = random.nextInt(10);
      if (fate < 7) {
        final Answer answer = store.ask(sent.message, nowUs);
        messages++;
        if (answer.became().contains(HoldDefinition.APPLIED)) {
          renewed(sent.message.holder());
        }
        late += answer.became().contains(HoldDefinition.OLDER) ? 1 : 0;
        say(() -> sent.message.holder() + " #" + sent.message.sequence() + " gets " + answer);
        granted += answer.granted();
        if (sent.answer == null) {
          sent.answer = answer;
          sent.decidedUs = nowUs;
          if (fate < 5) {
            sent.from.answered(sent);
          } else if (breaches.contains(Breach.USES_A_LATE_ANSWER)) {
            sent.from.away = null;
            sent.from.answered(sent);
          }
        }
      }
      if (fate < 6 || fate == 9) {
        network.remove(sent);
      }
    }
  }

  /** Renews a record, unless it has expired: then a later message makes another one. */
  private void renewed(long holder) {
    final Long expiryUs = expiries.get(holder);
    if (expiryUs == null || expiryUs > nowUs) {
      expiries.put(holder, nowUs + lifeUs);
    }
  }

  private String settled(List<Holder> holders, List<Sent> network) throws IOException {
    network.clear();
    for (Holder holder : holders) {
      while (!holder.running.isEmpty()) {
        holder.end(holder.running.get(0));
      }
      holder.inHand = 0;
      for (int i = 0; i < 3; i++) {
        holder.away = null;
        holder.wanted = 0;
        final Sent sent = holder.send();
        sent.answer = store.ask(withoutKeep(sent.message), nowUs);
        sent.decidedUs = nowUs;
        if (sent.answer.became().contains(HoldDefinition.APPLIED)) {
          renewed(sent.message.holder());
        }
        holder.answered(sent);
      }
    }
    for (Exchange exchange : taken) {
      if (exchange.endUs == Long.MAX_VALUE) {
        expired++;
        exchange.endUs = expiries.getOrDefault(exchange.record, nowUs);
      }
    }
    long longestUs = 0;
    for (HoldSpec spec : specs) {
      longestUs = Math.max(longestUs, spec.windowUs());
    }
    // What is owed at the pace of a small plan takes longer.
    nowUs += lifeUs + 40 * planCount * planCount * longestUs;
    final List<Long> left = store.peek(nowUs);
    for (int i = 0; i < specs.size(); i++) {
      if (left.get(i) != specs.get(i).limit()) {
        return "at the end " + left + " are free";
      }
      final String over = isOver || !holds[i] ? null : over(largest(i), i);
      if (over != null) {
        return over;
      }
    }
    return null;
  }

  private static Message withoutKeep(Message of) {
    return new Message(
        of.plan(),
        of.holder(),
        of.sequence(),
        of.requests(),
        0,
        of.lifeUs(),
        of.reserves(),
        of.holds(),
        of.isNew(),
        of.units(),
        of.charged());
  }

  /** Each exchange is counted at whichever moment between its verdict and its end hurts most. */
  private String over(HoldSpec spec, int limit) {
    for (Exchange last : taken) {
      final long toUs = last.verdictUs;
      final long fromUs =
          switch (spec.kind()) {
            case CONCURRENCY -> toUs + 1;
            case FIXED_WINDOW, SLIDING_COUNTER, CALENDAR -> spec.startUs(toUs);
            case SLIDING_LOG -> toUs - spec.windowUs() + 1;
            case BUCKET_RING ->
                spec.startUs(toUs) - spec.windowUs() + spec.windowUs() / spec.subWindows();
            case PACED -> toUs;
          };
      if (sum(limit, fromUs, toUs) > spec.limit()) {
        return sum(limit, fromUs, toUs) + " of " + spec + " until " + (toUs - START_US);
      }
      if (spec.kind() == HoldSpec.Kind.PACED) {
        for (Exchange first : taken) {
          final long sinceUs = first.endUs;
          if (sinceUs <= toUs
              && (sum(limit, sinceUs, toUs) - spec.limit()) * spec.windowUs()
                  > (toUs - sinceUs) * spec.limit()) {
            return sum(limit, sinceUs, toUs) + " of " + spec + " until " + (toUs - START_US);
          }
        }
      }
    }
    return null;
  }

  private long sum(int limit, long fromUs, long toUs) {
    return taken.stream()
        .filter(exchange -> exchange.verdictUs <= toUs && exchange.endUs >= fromUs)
        .mapToLong(exchange -> exchange.costs[limit])
        .sum();
  }
}
