package dev.weir.bench.simulation;

import dev.weir.algorithms.lease.LeaseTable;
import dev.weir.algorithms.lease.LeaseTerms;
import dev.weir.algorithms.lease.Leasing;
import dev.weir.algorithms.lease.RoundTrips;
import dev.weir.algorithms.lease.Taken;
import dev.weir.algorithms.store.StoredBudgets;
import java.util.Arrays;

/**
 * The memory of one sidecar: hands with the rules of leases, what refusals prove, and a clock of
 * its own. A crash loses all but the clock.
 */
final class SimulatedSidecar implements AutoCloseable {
  private static final int MOST_HANDS = 1 << 14;

  /** How long a refusal proves anything, as in {@code admission.RefusalProofs}. */
  private static final long PROOF_NS = 5_000_000_000L;

  private static final int LEAST_HANDS = 8;

  private final int keys;
  private final long deadlineNs;
  private final long clockStartNs;
  private final int driftPpm;

  /** Times until which the store's last answer proves a refusal, by key. */
  private final long[] provenUntilNs;

  private final long[] refusedSinceNs;

  /** Own budgets by key, in mode local; else null. */
  private final StoredBudgets[] own;

  /** The ask for units to keep that was sent last, by key. */
  final Question[] underWay;

  final Taken taken = new Taken();
  LeaseTable hands;
  RoundTrips roundTrips;
  Leasing leasing;
  int crashes;

  /**
   * @param clockStartNs what its clock says when the simulation begins, 1 s or more.
   * @param driftPpm by how many millionths its clock is fast; negative if it is slow.
   */
  SimulatedSidecar(SimulationSettings settings, long clockStartNs, int driftPpm) {
    this.keys = settings.keys();
    this.deadlineNs = settings.network().deadlineNs();
    this.clockStartNs = clockStartNs;
    this.driftPpm = driftPpm;
    this.provenUntilNs = new long[keys];
    this.refusedSinceNs = new long[keys];
    this.underWay = new Question[keys];
    this.own = new StoredBudgets[settings.mode().needsStore() ? 0 : keys];
    begin();
  }

  private void begin() {
    roundTrips = new RoundTrips();
    emptyHands();
  }

  private void emptyHands() {
    int wanted = Math.max(LEAST_HANDS, 2 * Integer.highestOneBit(Math.max(1, keys)));
    hands = new LeaseTable(Math.min(MOST_HANDS, wanted));
    leasing = new Leasing(hands, roundTrips, deadlineNs);
    Arrays.fill(underWay, null);
  }

  /** Another server is there: what is in hand was granted by none that is asked from now on. */
  void dropHands() {
    hands.close();
    emptyHands();
  }

  /** Loses what it has in memory, and starts again at once. */
  void crash() {
    crashes++;
    hands.close();
    begin();
    Arrays.fill(provenUntilNs, 0);
    Arrays.fill(own, null);
  }

  /** The time by its clock; the product fits a long for an hour and half a million ppm. */
  long clockNs(long nowNs) {
    return clockStartNs + nowNs + nowNs * driftPpm / 1_000_000;
  }

  /** When its clock will have moved on by so much, or a little earlier. */
  long afterNs(long nowNs, long clockNs) {
    return nowNs + Math.max(0, (long) (clockNs / (1 + driftPpm / 1e6)));
  }

  boolean isProven(int key, long clockNs) {
    return clockNs < provenUntilNs[key];
  }

  /**
   * The steps of {@code RefusalProofs.note}.
   *
   * @param terms null unless units of the key may be out.
   */
  void refused(int key, long sentNs, long retryAtNs, LeaseTerms terms) {
    long sinceNs =
        terms != null && sentNs < provenUntilNs[key] + terms.lifeNs()
            ? refusedSinceNs[key]
            : sentNs;
    boolean mayUnitsBeOut = terms != null && sentNs - sinceNs < terms.lifeNs();
    long provenNs = mayUnitsBeOut ? Math.min(PROOF_NS, terms.pauseNs()) : PROOF_NS;
    refusedSinceNs[key] = sinceNs;
    provenUntilNs[key] = Math.min(retryAtNs, sentNs + provenNs);
  }

  /** The steps of {@code RefusalProofs.granted} and {@code givenBack}. */
  void forgetProof(int key) {
    provenUntilNs[key] = 0;
  }

  StoredBudgets own(int key, SimulatedLimit limit) {
    if (own[key] == null) {
      own[key] = limit.budgets(false);
    }
    return own[key];
  }

  @Override
  public void close() {
    hands.close();
  }
}
