package dev.weir.proxy.simulation;

import dev.weir.algorithms.lease.Hands;
import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.store.LeaseGrant;
import dev.weir.algorithms.store.StoredBudgets;
import dev.weir.proxy.rule.Mode;
import java.util.SplittableRandom;

/**
 * Requests at a fleet, one after the other, in simulated time. A sidecar decides in the steps of
 * {@code admission.LeasedGate}, {@code ExactGate} and {@code Leases}, by the same hands and the
 * same rules; a request costs 1. Not simulated are batches, which change how questions travel but
 * not what is asked, and {@code on-store-failure}: without an answer in time a request does not
 * pass.
 *
 * <p>A request that the store grants counts as used when the store grants it, one that is decided
 * from a hand when it is taken.
 */
public final class Simulation implements AutoCloseable {
  /** A start of windows of any usual length, in the store's time: midnight in UTC. */
  private static final long STORE_START_US = 20_000L * 86_400 * 1_000_000;

  /** How long a refusal proves anything, as in {@code admission.RefusalProofs}. */
  private static final long PROOF_NS = 5_000_000_000L;

  /** Between two looks at the ends of leases, as in {@code admission.Leases}. */
  private static final long SWEEP_NS = 10_000_000;

  private static final long NS_PER_US = 1_000;
  private static final long NS_PER_S = 1_000_000_000;
  private static final long[] COST = {1};

  /** The median of the sum of two waits without memory, as a share of the sum's mean. */
  private static final double MEDIAN_OF_TWO = 1.678_35 / 2;

  private final SimulationSettings settings;
  private final LeaseTerms terms;
  private final SimulatedLimit limit;
  private final SimulationFigures figures;
  private final SplittableRandom traffic;
  private final SplittableRandom network;
  private final Shares sidecarShares;
  private final Shares keyShares;
  private final SimulatedSidecar[] sidecars;
  private final EventQueue events = new EventQueue();

  /** By key. */
  private final StoredBudgets[] stored;

  private final Uses[] used;
  private final Uses[] usedIfIdeal;
  private final LeaseGrant grant = new LeaseGrant(1);
  private final long[] marks = new long[1];
  private long nowNs;

  public Simulation(SimulationSettings settings) {
    this(settings, new SimulatedLimit(settings.limit()));
  }

  /**
   * @param decides what sidecars and store decide by, if it is not what is promised.
   */
  Simulation(SimulationSettings settings, SimulatedLimit decides) {
    this.settings = settings;
    SimulatedLimit promised = new SimulatedLimit(settings.limit());
    limit = decides;
    terms = limit.terms();
    figures = new SimulationFigures(settings);
    SplittableRandom seeded = new SplittableRandom(settings.seed());
    traffic = seeded.split();
    network = seeded.split();
    SplittableRandom clocks = seeded.split();
    sidecarShares = new Shares(settings.sidecars(), SimulationSettings.SIDECAR_EXPONENT);
    keyShares = new Shares(settings.keys(), SimulationSettings.KEY_EXPONENT);
    sidecars = new SimulatedSidecar[settings.sidecars()];
    for (int i = 0; i < sidecars.length; i++) {
      long startNs = NS_PER_S + clocks.nextLong(1_000 * NS_PER_S);
      int drift = clocks.nextInt(-settings.driftPpm(), settings.driftPpm() + 1);
      sidecars[i] = new SimulatedSidecar(settings, startNs, drift);
    }
    stored = new StoredBudgets[settings.keys()];
    used = new Uses[settings.keys()];
    usedIfIdeal = new Uses[settings.keys()];
    for (int key = 0; key < stored.length; key++) {
      stored[key] = limit.budgets(settings.mode() == Mode.LEASED);
      used[key] = promised.uses();
      usedIfIdeal[key] = promised.uses();
    }
  }

  /** Runs it, once. */
  public SimulationFigures run() {
    double arrivalNs = NS_PER_S / settings.requestsPerSecond();
    double crashNs = (double) settings.crashEveryNs() / sidecars.length;
    long nextMoveNs = SimulationSettings.MOVE_NS;
    long nextCrashNs = crashNs == 0 ? EventQueue.NEVER : drawn(crashNs, network);
    long nextArrivalNs = drawn(arrivalNs, traffic);
    sidecarShares.move(traffic);
    while (true) {
      long nextNs = Math.min(Math.min(nextArrivalNs, nextMoveNs), nextCrashNs);
      if (events.firstNs() <= nextNs) {
        nowNs = events.firstNs();
        if (nowNs >= settings.lengthNs()) {
          return figures;
        }
        next(events.poll());
        continue;
      }
      nowNs = nextNs;
      if (nowNs >= settings.lengthNs()) {
        return figures;
      }
      if (nowNs == nextArrivalNs) {
        arrive(sidecars[sidecarShares.draw(traffic)], keyShares.draw(traffic));
        nextArrivalNs += drawn(arrivalNs, traffic);
      } else if (nowNs == nextMoveNs) {
        sidecarShares.move(traffic);
        nextMoveNs += SimulationSettings.MOVE_NS;
      } else {
        sidecars[network.nextInt(sidecars.length)].crash();
        nextCrashNs += drawn(crashNs, network);
      }
    }
  }

  /** A wait that has no memory, 1 ns or more. */
  private static long drawn(double meanNs, SplittableRandom random) {
    return Math.max(1, Math.round(-StrictMath.log(1 - random.nextDouble()) * meanNs));
  }

  private long storeUs() {
    return STORE_START_US + nowNs / NS_PER_US;
  }

  private void next(Question question) {
    switch (question.step) {
      case ASKED -> decide(question);
      case ANSWERED -> take(question);
      case LEASE_ENDS -> end(question);
      case GIVEN_BACK -> giveBack(question);
    }
  }

  private void arrive(SimulatedSidecar sidecar, int key) {
    figures.offered++;
    if (usedIfIdeal[key].freeAt(storeUs()) > 0) {
      usedIfIdeal[key].use(storeUs());
      figures.ideal++;
    }
    switch (settings.mode()) {
      case LOCAL -> decideLocally(sidecar, key);
      case EXACT -> askUnlessProven(sidecar, key, Hands.NONE);
      case LEASED -> decideFromHand(sidecar, key);
    }
  }

  private void decideLocally(SimulatedSidecar sidecar, int key) {
    figures.withoutWaiting++;
    sidecar.own(key, limit).lease(1, 0, 1, COST, storeUs(), grant);
    if (grant.granted() == 1) {
      admit(key);
    } else {
      refuse(key);
    }
  }

  /** The steps of {@code LeasedGate}. */
  private void decideFromHand(SimulatedSidecar sidecar, int key) {
    long clockNs = sidecar.clockNs(nowNs);
    long name = name(key);
    int hand = sidecar.leasing.arrived(name, terms, clockNs);
    if (hand == Hands.NONE) {
      askUnlessProven(sidecar, key, hand);
    } else if (sidecar.leasing.take(hand, name, 1, clockNs, sidecar.taken)) {
      figures.withoutWaiting++;
      admit(key);
      if (sidecar.leasing.isAlmostEmpty(terms, sidecar.taken, clockNs)) {
        long want = sidecar.leasing.want(hand, terms, 1, clockNs);
        if (want > 0) {
          ask(sidecar, key, hand, 0, want);
        }
      }
    } else if (sidecar.leasing.isSpaced(hand, terms, clockNs)) {
      figures.withoutWaiting++;
      refuse(key);
    } else {
      askUnlessProven(sidecar, key, hand);
    }
  }

  /** Spreads keys over hands. */
  private static long name(int key) {
    return (key + 2) * 0x9E37_79B9_7F4A_7C15L;
  }

  private void askUnlessProven(SimulatedSidecar sidecar, int key, int hand) {
    long clockNs = sidecar.clockNs(nowNs);
    if (sidecar.isProven(key, clockNs)) {
      figures.withoutWaiting++;
      refuse(key);
    } else {
      long want = hand == Hands.NONE ? 0 : sidecar.leasing.want(hand, terms, 1, clockNs);
      ask(sidecar, key, hand, 1, want);
    }
  }

  private void ask(SimulatedSidecar sidecar, int key, int hand, long need, long want) {
    Question question = events.take();
    question.sidecar = sidecar;
    question.crashes = sidecar.crashes;
    question.key = key;
    question.hand = hand;
    question.need = need;
    question.want = want;
    question.sentNs = sidecar.clockNs(nowNs);
    question.askNs = sidecar.leasing.askNs(question.sentNs);
    question.replyNs = wayNs();
    if (network.nextDouble() < settings.slowShare()) {
      question.replyNs += SimulationSettings.SLOW_NS;
    }
    question.isReplyLost = network.nextDouble() < settings.lossShare();
    events.add(nowNs + wayNs(), Question.Step.ASKED, question);
  }

  /** One way between a sidecar and the store: half of it is fixed, the median of two is a delay. */
  private long wayNs() {
    long quarter = settings.delayNs() / 4;
    return quarter + drawn(Math.max(1, quarter / MEDIAN_OF_TWO), network);
  }

  /** The store has the question. */
  private void decide(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    int key = question.key;
    figures.op(shard(key), nowNs);
    long lifeUs = terms.lifeNs() / NS_PER_US;
    stored[key].lease(question.need, question.want, lifeUs, COST, storeUs(), grant);
    question.granted = grant.granted();
    question.kept = grant.kept();
    question.lifeUs = grant.lifeUs();
    question.decidedAtUs = grant.decidedAtUs();
    question.retryAfterUs = grant.retryAfterUs();
    question.grantedMark = grant.grantedMark(0);
    question.keptMark = grant.keptMark(0);
    figures.kept += question.kept;
    boolean isInTime =
        !question.isReplyLost
            && sidecar.crashes == question.crashes
            && isInTime(question, nowNs + question.replyNs);
    if (question.need > 0 && !isInTime) {
      figures.undecided++;
    } else if (question.granted > 0) {
      admit(key);
    } else if (question.need > 0) {
      refuse(key);
    }
    if (question.isReplyLost) {
      events.leave(question);
    } else {
      events.add(nowNs + question.replyNs, Question.Step.ANSWERED, question);
    }
  }

  /** Whether the answer finds who asked still waiting. */
  private boolean isInTime(Question question, long answeredNs) {
    return question.sidecar.clockNs(answeredNs) <= question.askNs;
  }

  private int shard(int key) {
    return (int) Long.remainderUnsigned(name(key) >>> Integer.SIZE, settings.shards());
  }

  /** The sidecar has the answer. */
  private void take(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    if (sidecar.crashes != question.crashes) {
      events.leave(question);
      return;
    }
    if (isInTime(question, nowNs)) {
      takeInTime(question);
    } else if (question.granted > 0) {
      sendBack(question, events.take(), question.granted, 0, question.grantedMark);
    }
    if (question.kept > 0) {
      keep(question);
    } else {
      events.leave(question);
    }
  }

  private void takeInTime(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    long clockNs = sidecar.clockNs(nowNs);
    boolean isRefused = question.granted < question.need;
    if (question.want > 0) {
      boolean isAtEdge = question.kept > 0 && question.lifeUs < terms.lifeNs() / NS_PER_US;
      sidecar.leasing.answered(
          question.hand,
          terms,
          question.askNs,
          question.kept,
          question.need == 0,
          isAtEdge,
          clockNs);
    }
    if (question.need == 0) {
      return;
    }
    sidecar.roundTrips.add(clockNs - question.sentNs);
    long retryAtNs = question.sentNs + question.retryAfterUs * NS_PER_US;
    if (question.hand != Hands.NONE) {
      boolean isShort = isRefused || question.want > 0 && question.kept == 0;
      sidecar.leasing.decided(question.hand, terms, isShort, question.sentNs, retryAtNs, clockNs);
    }
    if (isRefused) {
      sidecar.proven(question.key, Math.min(retryAtNs, question.sentNs + PROOF_NS));
    }
  }

  /** The steps of {@code Leases.kept}. */
  private void keep(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    Hands hands = sidecar.hands;
    long clockNs = sidecar.clockNs(nowNs);
    long endNs = LeaseLife.endNs(question.sentNs, question.lifeUs);
    int place = endNs > clockNs ? hands.reserve(question.hand, name(question.key)) : Hands.NO_PLACE;
    if (place == Hands.NO_PLACE) {
      sendBack(question, question, question.kept, question.lifeUs, question.keptMark);
      return;
    }
    question.place = place;
    question.lease = hands.publish(question.hand, place, question.kept, endNs);
    sweep(question, endNs - clockNs);
  }

  /** Looks at a lease at the first sweep from a moment on. */
  private void sweep(Question question, long inNs) {
    long atNs = question.sidecar.afterNs(nowNs, inNs);
    events.add((atNs / SWEEP_NS + 1) * SWEEP_NS, Question.Step.LEASE_ENDS, question);
  }

  private void end(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    if (sidecar.crashes != question.crashes) {
      events.leave(question);
      return;
    }
    if (Hands.isAlive(question.lease, sidecar.clockNs(nowNs))) {
      sweep(question, 0);
      return;
    }
    long unused = sidecar.hands.takeOut(question.hand, question.place, question.lease);
    if (unused == 0) {
      events.leave(question);
      return;
    }
    sidecar.hands.free(question.hand, question.place);
    sendBack(question, question, unused, question.lifeUs, question.keptMark);
  }

  private void sendBack(Question of, Question by, long unused, long lifeUs, long mark) {
    by.sidecar = of.sidecar;
    by.key = of.key;
    by.decidedAtUs = of.decidedAtUs;
    by.unused = unused;
    by.lifeUs = lifeUs;
    by.keptMark = mark;
    of.sidecar.proven(of.key, 0);
    events.add(nowNs + wayNs(), Question.Step.GIVEN_BACK, by);
  }

  private void giveBack(Question question) {
    figures.unused += question.lifeUs > 0 ? question.unused : 0;
    figures.op(shard(question.key), nowNs);
    marks[0] = question.keptMark;
    stored[question.key].giveBack(
        question.unused, question.decidedAtUs, question.lifeUs, COST, marks, storeUs());
    events.leave(question);
  }

  private void admit(int key) {
    figures.admitted++;
    figures.over = Math.max(figures.over, used[key].use(storeUs()));
  }

  private void refuse(int key) {
    figures.refused++;
    long free = used[key].freeAt(storeUs());
    if (free > 0) {
      figures.early++;
      figures.room += (double) free / limit.capacity();
    }
  }

  /** Frees what sidecars hold outside the heap. */
  @Override
  public void close() {
    for (SimulatedSidecar sidecar : sidecars) {
      sidecar.close();
    }
  }
}
