package dev.weir.proxy.admission;

import dev.weir.proxy.loop.FreeList;
import dev.weir.proxy.metrics.HeavyHitters;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.IdentityText;

/**
 * The keys that an event loop is asked about most, and those that it refuses most. The first
 * questions of a second are all counted; of those beyond a random one in so many, which stands for
 * them: so a loop with little to do counts exactly, and a busy one spends next to nothing.
 *
 * <p>One per event loop.
 */
public final class TopKeys {
  /** Questions of a second that are all counted. */
  public static final int COUNTED_PER_SECOND = 1_000;

  /** One in so many of those beyond is counted, on average. */
  public static final int ONE_IN = 64;

  /** Questions whose late verdicts are counted at one time. */
  static final int MAX_SAMPLES = 1_024;

  private static final long SECOND_NS = 1_000_000_000;

  private final IdentityText text;
  private final HeavyHitters asked;
  private final HeavyHitters refused;
  private final FreeList<KeySample> free = new FreeList<>(MAX_SAMPLES + 1, KeySample::new);
  private int takenCount;

  /** Questions to pass over before the next that is counted. */
  private int skip;

  /** For how many questions the next one stands that is counted. */
  private int weight = 1;

  private int leftOfSecond = COUNTED_PER_SECOND;
  private long secondNs;
  private long random;

  /**
   * What an event loop has counted.
   *
   * @param coversNs the time of the counts.
   */
  public record Counted(HeavyHitters asked, HeavyHitters refused, long coversNs) {}

  /**
   * @param text used by nobody else.
   * @param seed of the choice.
   */
  public TopKeys(IdentityText text, long seed, long nowNs) {
    this.text = text;
    asked = new HeavyHitters(seed, nowNs);
    refused = new HeavyHitters(~seed, nowNs);
    random = seed | 1;
    secondNs = nowNs;
  }

  /** Whether the next question is counted; asked once for each. */
  boolean isNext() {
    return skip-- <= 0;
  }

  /**
   * Counts a question.
   *
   * @param of its identities; null if it is not to be counted after all.
   * @return what {@link #decided} and {@link #keep} take; null if they need not be told.
   */
  KeySample ask(Rule rule, Identities of, long nowNs) {
    int weighs = weight;
    chooseNext(nowNs);
    if (of == null) {
      return null;
    }
    takenCount++;
    KeySample sample = free.take().set(rule, of, weighs, text);
    sample.countAll(asked, nowNs);
    return sample;
  }

  private void chooseNext(long nowNs) {
    if (nowNs - secondNs >= SECOND_NS) {
      secondNs = nowNs;
      leftOfSecond = COUNTED_PER_SECOND;
    }
    if (leftOfSecond > 0) {
      leftOfSecond--;
      weight = 1;
      skip = 0;
    } else {
      weight = ONE_IN;
      random ^= random << 13;
      random ^= random >>> 7;
      random ^= random << 17;
      skip = (int) Long.remainderUnsigned(random, 2 * ONE_IN - 1); // 63 on average
    }
  }

  /**
   * Keeps a question until its late verdict.
   *
   * @return null if so many are kept that its refusal will not be counted.
   */
  KeySample keep(KeySample of) {
    if (takenCount > MAX_SAMPLES) {
      drop(of);
      return null;
    }
    return of;
  }

  /** Counts the refusal of a question by a limit, and forgets the question. */
  void decided(KeySample of, Verdict verdict, long nowNs) {
    if (!verdict.allowed() && isByLimit(verdict.refusal())) {
      of.count(refused, verdict.policy(), nowNs);
    }
    drop(of);
  }

  private static boolean isByLimit(RefusalReason reason) {
    return switch (reason) {
      case OVER_LIMIT, NEVER_SATISFIABLE, BANNED -> true;
      default -> false;
    };
  }

  /** Forgets a question that is not decided. */
  void drop(KeySample of) {
    of.clear();
    free.give(of);
    takenCount--;
  }

  /** Copies what was counted, for another thread. */
  public Counted copy(long nowNs) {
    HeavyHitters copy = asked.copy(nowNs);
    return new Counted(copy, refused.copy(nowNs), copy.coversNs(nowNs));
  }
}
