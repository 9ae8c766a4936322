package dev.weir.proxy.admission;

import static dev.weir.proxy.request.Verdict.NOTHING_HELD;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.metrics.WhatIfCounts;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentityText;
import java.util.Arrays;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Admission that asks a candidate about each check that the rules in use have been asked about, and
 * counts where the two differ. The verdict is that of the rules in use, and never waits for the
 * candidate's. The candidate has a handler of its own, with tables, store and counters of its own:
 * so it decides as if it were alone, and nothing of what it does is felt by the rules in use.
 *
 * <p>Either verdict may be late. A {@link Pair} waits for both; a request that leaves before the
 * rules in use have decided is not counted.
 *
 * <p>One per event loop; made only where there is a candidate to be followed.
 */
public final class WhatIf implements Admission {
  /** Requests of one event loop that may wait for either verdict; others are not compared. */
  static final int MAX_PAIRS = AdmissionHandler.PARKING_PLACES;

  /** In the name of a kept charge: the candidate has charged, and the rules in use have not. */
  private static final int CANDIDATE_ALONE = 1 << 30;

  private final AdmissionHandler rules;
  private final AdmissionHandler handler;
  private final Candidate.Asker asker;
  private final IdentityText text;
  private final CandidateHoldings holdings;
  private final FreeList<Pair> free = new FreeList<>(MAX_PAIRS, Pair::new);
  private int takenCount;

  /** Pairs that wait for the rules in use, by the place in their tickets. */
  private Pair[] awaiting = {};

  /** Null as long as there is no candidate. */
  private Candidate candidate;

  private WhatIfCounts counts = new WhatIfCounts();

  /** Whether both have charged the last question at once, so that both charges can be kept. */
  private boolean isCharged;

  /** The candidate's charge that is kept beside one of the rules in use, by its name. */
  private int[] keptBeside = {};

  /** The two verdicts on one request. */
  private final class Pair implements VerdictListener {
    private final VerdictListener ofCandidate = this::decidedByCandidate;
    private final UnsafeBuffer identity = new UnsafeBuffer(new byte[IdentityText.MAX_BYTES]);
    private int identityLength;
    private long identityHash;
    private VerdictListener listener;
    private WhatIfCounts into;

    /** The ticket of the rules in use, while their verdict is awaited. */
    private long ticket;

    private boolean isNowAwaited;
    private boolean isThenAwaited;

    /** Whether each has decided, and what. */
    private boolean isNowKnown;

    private boolean isThenKnown;
    private boolean passesNow;
    private boolean passesThen;
    private String now;
    private String then;

    /** The candidate's holding and its costs, until the verdict of the rules in use is told. */
    private int heldThen = NOTHING_HELD;

    private ReportedCost[] costsThen;

    private Pair begin(VerdictListener of) {
      listener = of;
      into = counts;
      isNowAwaited = false;
      isThenAwaited = false;
      isNowKnown = false;
      isThenKnown = false;
      identityLength = 0;
      identityHash = 0;
      return this;
    }

    private void decidedNow(Verdict verdict) {
      isNowKnown = true;
      passesNow = verdict.allowed();
      now = verdict.ruleId();
    }

    private void decidedThen(Verdict verdict) {
      isThenKnown = true;
      passesThen = verdict.allowed();
      then = verdict.ruleId();
      heldThen = verdict.holding();
      costsThen = verdict.reportedCosts();
    }

    /**
     * Tells with the verdict of the rules in use what the candidate holds; releases it if they
     * refuse.
     *
     * @param verdict null if the request has gone, or has its verdict already.
     */
    private void tellHeld(Verdict verdict) {
      if (heldThen == NOTHING_HELD) {
        return;
      }
      if (verdict != null && verdict.allowed()) {
        holdings.tell(verdict, heldThen, costsThen);
      } else {
        handler.release(heldThen, 0);
      }
      heldThen = NOTHING_HELD;
    }

    /** The rules in use have decided late. */
    @Override
    public void decided(long of, Verdict verdict) {
      VerdictListener told = listener;
      isCharged = false;
      decidedNow(verdict);
      tellHeld(verdict);
      leaveNow();
      told.decided(of, verdict);
    }

    /** Awaits the rules in use no longer. */
    private void leaveNow() {
      awaiting[(int) ticket] = null;
      isNowAwaited = false;
      endIfDone();
    }

    private void decidedByCandidate(long of, Verdict verdict) {
      decidedThen(verdict);
      if (!isNowAwaited) {
        tellHeld(null);
      }
      isThenAwaited = false;
      endIfDone();
    }

    private void endIfDone() {
      if (isNowAwaited || isThenAwaited) {
        return;
      }
      if (isNowKnown && isThenKnown) {
        into.add(now, passesNow, then, passesThen, identityHash, identity, identityLength);
      }
      listener = null;
      into = null;
      free.give(this);
      takenCount--;
    }

    private void keepIdentity() {
      if (asker.hasIdentity()) {
        identityHash = asker.identity().hash();
        identityLength = text.write(asker.key(), asker.identity(), identity, 0);
      }
    }
  }

  /**
   * @param rules those in use.
   * @param handler of the candidate, whose gates, metrics and identities are its own.
   * @param identities used by nobody else.
   * @param text as identities are written in the store.
   */
  public WhatIf(
      AdmissionHandler rules,
      AdmissionHandler handler,
      IdentityReader identities,
      IdentityText text) {
    this.rules = rules;
    this.handler = handler;
    this.asker = new Candidate.Asker(identities);
    this.text = text;
    this.holdings = new CandidateHoldings(handler);
  }

  /** Replaces the candidate and forgets its bans. Requests that wait keep theirs. */
  public void replace(Candidate next) {
    handler.forgetBans();
    publish(next);
  }

  /** Goes on with the same rules, renewed. Requests that wait keep the earlier ones. */
  public void publish(Candidate next) {
    candidate = next;
    handler.publish(next.rules());
  }

  /** Counts into {@code next} from now on. */
  public void count(WhatIfCounts next) {
    counts = next;
  }

  /** Does as {@link AdmissionHandler#ending}, for the candidate. */
  public boolean ending() {
    return handler.ending();
  }

  @Override
  public Asked ask(Question question, VerdictListener listener, long nowNs) {
    isCharged = false;
    if (candidate == null || question.operation() != Operation.CHECK) {
      return rules.ask(question, listener, nowNs);
    }
    if (takenCount == MAX_PAIRS) {
      counts.uncompared();
      return rules.ask(question, listener, nowNs);
    }
    Pair pair = free.take().begin(listener);
    takenCount++;
    boolean isOnce = question.isOnce();
    Asked now;
    boolean isAsked = false;
    try {
      now = rules.ask(question, pair, nowNs);
      isAsked = true;
    } finally {
      if (!isAsked) {
        pair.endIfDone();
      }
    }
    if (now.verdict() == null) {
      await(now.ticket(), pair);
    } else {
      pair.decidedNow(now.verdict());
    }
    try {
      if (!isOnce) {
        question.once(null, 0, 0); // the rules in use may have read the request's field
      }
      askCandidate(question, pair, nowNs);
      if (now.verdict() != null) {
        pair.tellHeld(now.verdict());
      }
    } catch (RuntimeException | Error bug) {
      InternalErrors.caught("a comparison", bug);
      counts.uncompared();
    }
    pair.endIfDone();
    return now;
  }

  private void await(long ticket, Pair pair) {
    int place = (int) ticket;
    if (place >= awaiting.length) {
      awaiting = Arrays.copyOf(awaiting, Math.max(place + 1, 2 * awaiting.length));
    }
    awaiting[place] = pair;
    pair.ticket = ticket;
    pair.isNowAwaited = true;
  }

  private void askCandidate(Question question, Pair pair, long nowNs) {
    asker.read(candidate, question);
    if (!asker.isInPart()) {
      return;
    }
    Asked then = handler.ask(question, pair.ofCandidate, nowNs);
    if (then.verdict() == null) {
      pair.isThenAwaited = true;
    } else {
      pair.decidedThen(then.verdict());
      isCharged = pair.isNowKnown && pair.passesNow && pair.passesThen;
    }
    if (!pair.isNowKnown || !pair.isThenKnown || pair.passesNow != pair.passesThen) {
      pair.keepIdentity();
    }
  }

  @Override
  public void ended(long ticket, RequestEnd end) {
    rules.left(ticket);
    if (end.holding() != NOTHING_HELD) {
      if (!holdings.isAlone(end.holding())) {
        rules.settle(end);
      }
      holdings.ended(end);
    }
    int place = (int) ticket;
    Pair pair = ticket == SETTLED || place >= awaiting.length ? null : awaiting[place];
    if (pair != null && pair.ticket == ticket) {
      pair.tellHeld(null);
      pair.leaveNow();
    }
  }

  @Override
  public long dueNs(long ticket) {
    return rules.dueNs(ticket);
  }

  @Override
  public void prefetch(Question[] questions, int count) {
    rules.prefetch(questions, count);
  }

  @Override
  public void endTogether() {
    rules.endTogether();
    handler.endTogether();
  }

  @Override
  public void sendGathered(long nowNs) {
    rules.sendGathered(nowNs);
    handler.sendGathered(nowNs);
  }

  @Override
  public int keep() {
    int kept = rules.keep();
    int beside = isCharged ? handler.keep() : NOTHING_KEPT;
    isCharged = false;
    if (kept == NOTHING_KEPT) {
      return beside == NOTHING_KEPT ? NOTHING_KEPT : beside | CANDIDATE_ALONE;
    }
    if (kept >= keptBeside.length) {
      keptBeside = Arrays.copyOf(keptBeside, Math.max(kept + 1, 2 * keptBeside.length));
    }
    keptBeside[kept] = beside;
    return kept;
  }

  /** A candidate alone would get its charge back too, as the service was not asked. */
  @Override
  public void giveBack(int kept) {
    int beside = beside(kept);
    if (!isOfCandidateAlone(kept)) {
      rules.giveBack(kept);
    }
    if (beside != NOTHING_KEPT) {
      handler.giveBack(beside);
    }
  }

  @Override
  public void letStand(int kept) {
    int beside = beside(kept);
    if (!isOfCandidateAlone(kept)) {
      rules.letStand(kept);
    }
    if (beside != NOTHING_KEPT) {
      handler.letStand(beside);
    }
  }

  private static boolean isOfCandidateAlone(int kept) {
    return (kept & CANDIDATE_ALONE) != 0;
  }

  /** The candidate's charge of a name that {@link #keep} has returned. */
  private int beside(int kept) {
    return isOfCandidateAlone(kept) ? kept ^ CANDIDATE_ALONE : keptBeside[kept];
  }
}
