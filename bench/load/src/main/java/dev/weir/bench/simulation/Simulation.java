package dev.weir.bench.simulation;

import dev.weir.algorithms.lease.LeaseLife;
import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.store.LeaseGrant;
import dev.weir.algorithms.store.StoredBudgets;
import dev.weir.bench.keys.MovingZipf;
import dev.weir.proxy.rule.spec.Mode;
import java.util.SplittableRandom;
import org.agrona.collections.LongArrayList;

/**
 * Requests at a fleet, one after the other, in simulated time. A sidecar decides in the steps of
 * {@code admission.LeasedGate}, {@code ExactGate} and {@code LeaseKeeper}, by the same hands and
 * the same rules, and has one event loop. Not simulated are batches, which change how questions
 * travel but not what is asked, and {@code on-store-failure}: without an answer in time a request
 * does not pass.
 *
 * <p>A request that the store grants counts as used when the store grants it, one that is decided
 * from a hand when it is taken.
 */
final class Simulation implements AutoCloseable {
  /** A start of windows of any usual length, in the store's time: midnight in UTC. */
  private static final long STORE_START_US = 20_000L * 86_400 * 1_000_000;

  /** Between two looks at the ends of leases, as in {@code admission.LeaseKeeper}. */
  private static final long SWEEP_NS = 10_000_000;

  private static final long NS_PER_US = 1_000;
  private static final long NS_PER_S = 1_000_000_000;
  private static final long[] ONE_UNIT = {1};

  /** The median of the sum of two waits without memory, as a share of the sum's mean. */
  private static final double MEDIAN_OF_TWO = 1.678_35 / 2;

  private final SimulationSettings settings;
  private final LeaseTerms terms;
  private final SimulatedLimit limit;
  private final SimulationFigures figures;
  private final SplittableRandom traffic;
  private final SplittableRandom network;
  private final MovingZipf sidecarShares;
  private final MovingZipf keyShares;
  private final SimulatedSidecar[] sidecars;
  private final EventQueue events = new EventQueue();

  private StoredBudgets[] stored;

  /** The server that is to take the store's place; null if none is. */
  private Replica replica;

  private int failovers;
  private final Uses[] used;
  private final Uses[] usedIfIdeal;
  private final LeaseGrant grant = new LeaseGrant(1);
  private final long[] marks = new long[1];
  private final long cost;
  private final long[] costs;

  /** Requests that are being served, or asked for. */
  private LongArrayList served = new LongArrayList();

  private LongArrayList asked = new LongArrayList();
  private long nowNs;

  Simulation(SimulationSettings settings) {
    this(settings, settings.limited());
  }

  /**
   * @param decides what sidecars and store decide by, if it is not what is promised.
   */
  Simulation(SimulationSettings settings, SimulatedLimit decides) {
    this.settings = settings;
    SimulatedLimit promised = settings.limited();
    cost = settings.traffic().cost();
    costs = new long[] {cost};
    limit = decides;
    terms = limit.terms();
    figures = new SimulationFigures(settings);
    SplittableRandom seeded = new SplittableRandom(settings.seed());
    traffic = seeded.split();
    network = seeded.split();
    SplittableRandom clocks = seeded.split();
    sidecarShares = new MovingZipf(settings.sidecars(), SimulationSettings.SIDECAR_EXPONENT);
    keyShares = new MovingZipf(settings.keys(), SimulationSettings.KEY_EXPONENT);
    sidecars = new SimulatedSidecar[settings.sidecars()];
    for (int i = 0; i < sidecars.length; i++) {
      long startNs = NS_PER_S + clocks.nextLong(1_000 * NS_PER_S);
      int most = settings.faults().driftPpm();
      int drift = clocks.nextInt(-most, most + 1);
      sidecars[i] = new SimulatedSidecar(settings, startNs, drift);
    }
    stored = fresh();
    if (settings.faults().hasFailover()) {
      replica = new Replica(fresh(), settings.faults().lostWritesNs() / NS_PER_US);
    }
    used = new Uses[settings.keys()];
    usedIfIdeal = new Uses[settings.keys()];
    for (int key = 0; key < used.length; key++) {
      used[key] = promised.uses();
      usedIfIdeal[key] = promised.uses();
    }
  }

  private StoredBudgets[] fresh() {
    StoredBudgets[] budgets = new StoredBudgets[settings.keys()];
    for (int key = 0; key < budgets.length; key++) {
      budgets[key] = limit.budgets(settings.mode() == Mode.LEASED);
    }
    return budgets;
  }

  SimulationFigures run() {
    double arrivalNs = NS_PER_S / settings.requestsPerSecond() * settings.traffic().onShare();
    double crashNs = (double) settings.faults().crashEveryNs() / sidecars.length;
    long nextMoveNs = SimulationSettings.MOVE_NS;
    long nextCrashNs = crashNs == 0 ? EventQueue.NEVER : drawn(crashNs, network);
    long nextFailoverNs = replica == null ? EventQueue.NEVER : settings.lengthNs() / 2;
    long onNs = drawn(arrivalNs, traffic);
    long nextArrivalNs = whenOn(onNs);
    sidecarShares.move(traffic);
    while (true) {
      long nextFaultNs = Math.min(nextCrashNs, nextFailoverNs);
      long nextNs = Math.min(Math.min(nextArrivalNs, nextMoveNs), nextFaultNs);
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
        onNs += drawn(arrivalNs, traffic);
        nextArrivalNs = whenOn(onNs);
      } else if (nowNs == nextMoveNs) {
        sidecarShares.move(traffic);
        nextMoveNs += SimulationSettings.MOVE_NS;
      } else if (nowNs == nextFailoverNs) {
        failOver();
        nextFailoverNs = EventQueue.NEVER;
      } else {
        sidecars[network.nextInt(sidecars.length)].crash();
        nextCrashNs += drawn(crashNs, network);
      }
    }
  }

  /** When requests have come for so long, but for the times in which none does. */
  private long whenOn(long onNs) {
    SimulationSettings.Traffic of = settings.traffic();
    return onNs / of.onNs() * (of.onNs() + of.offNs()) + onNs % of.onNs();
  }

  /** Another server takes over; all sidecars see that at once. */
  private void failOver() {
    stored = replica.promote(storeUs());
    replica = null;
    failovers++;
    for (SimulatedSidecar sidecar : sidecars) {
      sidecar.dropHands();
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
      case PATIENCE_ENDS -> letGo(question);
    }
  }

  private void arrive(SimulatedSidecar sidecar, int key) {
    figures.offered++;
    if (usedIfIdeal[key].freeAt(storeUs()) >= cost) {
      usedIfIdeal[key].use(storeUs(), cost);
      figures.ideal++;
    }
    switch (settings.mode()) {
      case LOCAL -> decideLocally(sidecar, key);
      case EXACT -> askUnlessProven(sidecar, key, LeaseTable.NONE);
      case LEASED -> decideFromHand(sidecar, key);
    }
  }

  private void decideLocally(SimulatedSidecar sidecar, int key) {
    figures.withoutWaiting++;
    sidecar.own(key, limit).lease(1, 0, 1, costs, storeUs(), grant);
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
    if (hand == LeaseTable.NONE) {
      askUnlessProven(sidecar, key, hand);
    } else if (sidecar.hands.take(hand, name, cost, clockNs, sidecar.taken)) {
      figures.withoutWaiting++;
      admit(key);
      if (sidecar.leasing.isAlmostEmpty(terms, sidecar.taken, clockNs)) {
        long want = sidecar.leasing.want(hand, terms, cost, clockNs);
        if (want > 0) {
          asked.clear();
          ask(sidecar, key, hand, want);
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
    } else if (hand == LeaseTable.NONE || !join(sidecar, key, clockNs)) {
      asked.clear();
      asked.addLong(clockNs + settings.network().deadlineNs());
      ask(sidecar, key, hand);
    }
  }

  /** The steps of {@code LeaseWaiters.join}. */
  private boolean join(SimulatedSidecar sidecar, int key, long clockNs) {
    Question ask = sidecar.underWay[key];
    if (ask == null || clockNs >= patienceNs(ask)) {
      return false;
    }
    ask.waiting.addLong(clockNs + settings.network().deadlineNs());
    if (ask.waiting.size() == 1) {
      Question patience = events.take();
      patience.sidecar = sidecar;
      patience.key = key;
      patience.askNs = ask.askNs;
      long atNs = sidecar.afterNs(nowNs, patienceNs(ask) - clockNs);
      events.add(atNs, Question.Step.PATIENCE_ENDS, patience);
    }
    return true;
  }

  private long patienceNs(Question ask) {
    return ask.sentNs + settings.network().deadlineNs() / 2;
  }

  private void letGo(Question patience) {
    Question ask = patience.sidecar.underWay[patience.key];
    if (ask != null && ask.askNs == patience.askNs) {
      serve(ask);
    }
    events.leave(patience);
  }

  /** Those that have waited take what there is, and the others ask together. */
  private void serve(Question ask) {
    SimulatedSidecar sidecar = ask.sidecar;
    int key = ask.key;
    int hand = ask.hand;
    long clockNs = sidecar.clockNs(nowNs);
    final LongArrayList spare = served;
    served = ask.waiting;
    spare.clear();
    ask.waiting = spare;
    asked.clear();
    for (int i = 0; i < served.size(); i++) {
      if (sidecar.hands.take(hand, name(key), cost, clockNs, sidecar.taken)) {
        admit(key);
      } else if (sidecar.isProven(key, clockNs)) {
        refuse(key);
      } else {
        asked.addLong(served.getLong(i));
      }
    }
    if (asked.size() > 0) {
      ask(sidecar, key, hand);
    }
  }

  /** Asks for the requests that are {@link #asked} for, and what is wanted beside them. */
  private void ask(SimulatedSidecar sidecar, int key, int hand) {
    long clockNs = sidecar.clockNs(nowNs);
    ask(
        sidecar,
        key,
        hand,
        hand == LeaseTable.NONE ? 0 : sidecar.leasing.want(hand, terms, cost, clockNs));
  }

  private void ask(SimulatedSidecar sidecar, int key, int hand, long want) {
    Question question = events.take();
    question.sidecar = sidecar;
    question.crashes = sidecar.crashes;
    question.key = key;
    question.hand = hand;
    final LongArrayList spare = question.needs;
    question.needs = asked;
    spare.clear();
    asked = spare;
    question.waiting.clear();
    question.want = want;
    question.sentNs = sidecar.clockNs(nowNs);
    question.askNs = sidecar.leasing.askNs(question.sentNs);
    question.replyNs = wayNs();
    if (network.nextDouble() < settings.network().slowShare()) {
      question.replyNs += SimulationSettings.SLOW_NS;
    }
    question.isReplyLost = network.nextDouble() < settings.faults().lossShare();
    if (want > 0) {
      sidecar.underWay[key] = question;
    }
    events.add(nowNs + wayNs(), Question.Step.ASKED, question);
  }

  /** One way between a sidecar and the store: half of it is fixed, the median of two is a delay. */
  private long wayNs() {
    long quarter = settings.network().delayNs() / 4;
    return quarter + drawn(Math.max(1, quarter / MEDIAN_OF_TWO), network);
  }

  private void decide(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    int key = question.key;
    figures.op(shard(key), nowNs);
    long lifeUs = terms.lifeNs() / NS_PER_US;
    int need = question.needs.size();
    stored[key].lease(need, question.want, lifeUs, costs, storeUs(), grant);
    if (replica != null) {
      replica.lease(key, need, question.want, lifeUs, cost, storeUs());
    }
    question.failovers = failovers;
    question.granted = grant.granted();
    question.kept = grant.kept() * cost;
    question.lifeUs = grant.lifeUs();
    question.decidedAtUs = grant.decidedAtUs();
    question.retryAfterUs = grant.retryAfterUs();
    question.grantedMark = grant.grantedMark(0);
    question.keptMark = grant.keptMark(0);
    figures.kept += question.kept;
    boolean comes = !question.isReplyLost && sidecar.crashes == question.crashes;
    long answeredNs = sidecar.clockNs(nowNs + question.replyNs);
    for (int i = 0; i < need; i++) {
      if (!comes || answeredNs > question.needs.getLong(i)) {
        figures.undecided++;
      } else if (i < question.granted) {
        admit(key);
      } else {
        refuse(key);
      }
    }
    long endNs = sidecar.afterNs(nowNs, question.askNs - sidecar.clockNs(nowNs));
    events.add(
        question.isReplyLost ? endNs : nowNs + question.replyNs, Question.Step.ANSWERED, question);
  }

  /** Whether the answer finds who asked first still waiting. */
  private boolean isInTime(Question question) {
    long dueNs = question.needs.size() == 0 ? question.askNs : question.needs.getLong(0);
    return question.sidecar.clockNs(nowNs) <= dueNs;
  }

  private int shard(int key) {
    return (int) Long.remainderUnsigned(name(key) >>> Integer.SIZE, settings.shards());
  }

  /** The sidecar has the answer, or it is lost and there is none. */
  private void take(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    if (sidecar.crashes != question.crashes) {
      figures.undecided += question.waiting.size();
      events.leave(question);
      return;
    }
    if (sidecar.underWay[question.key] == question) {
      sidecar.underWay[question.key] = null;
    }
    if (question.isReplyLost) {
      serve(question);
      events.leave(question);
      return;
    }
    if (isInTime(question)) {
      takeInTime(question);
    }
    long late = lateGrants(question);
    if (late > 0) {
      sendBack(question, events.take(), late * cost, 0, question.grantedMark);
    }
    boolean isKept = question.kept > 0 && publish(question);
    serve(question);
    if (isKept) {
      sweep(question, LeaseLife.endNs(question.sentNs, question.lifeUs) - sidecar.clockNs(nowNs));
    } else {
      events.leave(question);
    }
  }

  /** Requests that were granted when they no longer waited. */
  private long lateGrants(Question question) {
    long clockNs = question.sidecar.clockNs(nowNs);
    long late = 0;
    for (int i = 0; i < question.granted; i++) {
      late += clockNs > question.needs.getLong(i) ? 1 : 0;
    }
    return late;
  }

  private void takeInTime(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    long clockNs = sidecar.clockNs(nowNs);
    boolean isRefused = question.granted < question.needs.size();
    if (question.want > 0) {
      boolean isAtEdge = question.kept > 0 && question.lifeUs < terms.lifeNs() / NS_PER_US;
      sidecar.leasing.answered(
          question.hand,
          terms,
          question.askNs,
          question.kept,
          question.want * cost,
          question.needs.size() == 0,
          isAtEdge,
          clockNs);
    }
    if (question.needs.size() == 0) {
      return;
    }
    sidecar.roundTrips.add(clockNs - question.sentNs);
    long retryAtNs = question.sentNs + question.retryAfterUs * NS_PER_US;
    if (question.hand != LeaseTable.NONE) {
      boolean isShort = isRefused || question.want > 0 && question.kept == 0;
      sidecar.leasing.decided(question.hand, terms, isShort, question.sentNs, retryAtNs, clockNs);
    }
    if (question.granted > 0) {
      sidecar.forgetProof(question.key);
    }
    if (isRefused) {
      boolean isLeased = settings.mode() == Mode.LEASED;
      sidecar.refused(question.key, question.sentNs, retryAtNs, isLeased ? terms : null);
    }
  }

  /** The steps of {@code LeaseKeeper.kept}; whether units are in hand now. */
  private boolean publish(Question question) {
    if (question.failovers != failovers) {
      return false;
    }
    SimulatedSidecar sidecar = question.sidecar;
    LeaseTable hands = sidecar.hands;
    long clockNs = sidecar.clockNs(nowNs);
    long endNs = LeaseLife.endNs(question.sentNs, question.lifeUs);
    int place =
        endNs > clockNs ? hands.reserve(question.hand, name(question.key)) : LeaseTable.NO_PLACE;
    if (place == LeaseTable.NO_PLACE) {
      sendBack(question, events.take(), question.kept, question.lifeUs, question.keptMark);
      return false;
    }
    question.place = place;
    question.lease = hands.publish(question.hand, place, question.kept, endNs);
    return true;
  }

  /** Looks at a lease at the first sweep from a moment on. */
  private void sweep(Question question, long inNs) {
    long atNs = question.sidecar.afterNs(nowNs, inNs);
    events.add((atNs / SWEEP_NS + 1) * SWEEP_NS, Question.Step.LEASE_ENDS, question);
  }

  private void end(Question question) {
    SimulatedSidecar sidecar = question.sidecar;
    if (sidecar.crashes != question.crashes || question.failovers != failovers) {
      events.leave(question);
      return;
    }
    if (LeaseTable.isAlive(question.lease, sidecar.clockNs(nowNs))) {
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
    by.failovers = of.failovers;
    by.decidedAtUs = of.decidedAtUs;
    by.unused = unused;
    by.lifeUs = lifeUs;
    by.keptMark = mark;
    of.sidecar.forgetProof(of.key);
    events.add(nowNs + wayNs(), Question.Step.GIVEN_BACK, by);
  }

  private void giveBack(Question question) {
    if (question.failovers == failovers) {
      giveBackTo(question.key, question);
    }
    events.leave(question);
  }

  private void giveBackTo(int key, Question question) {
    long units = question.unused;
    long mark = question.keptMark;
    figures.unused += question.lifeUs > 0 ? units : 0;
    figures.op(shard(key), nowNs);
    marks[0] = mark;
    stored[key].giveBack(units, question.decidedAtUs, question.lifeUs, ONE_UNIT, marks, storeUs());
    if (replica != null) {
      replica.giveBack(key, units, question.decidedAtUs, question.lifeUs, mark, storeUs());
    }
  }

  private void admit(int key) {
    figures.admitted++;
    figures.over = Math.max(figures.over, used[key].use(storeUs(), cost));
  }

  private void refuse(int key) {
    figures.refused++;
    long free = used[key].freeAt(storeUs());
    if (free >= cost) {
      figures.early++;
      figures.room += (double) free / limit.capacity();
    }
  }

  @Override
  public void close() {
    for (SimulatedSidecar sidecar : sidecars) {
      sidecar.close();
    }
  }
}
