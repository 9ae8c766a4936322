package dev.weir.proxy.metrics;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * The keys that occurred most in the present minute and the one before, among any number of keys,
 * in fixed memory (space-saving in lines of eight, with the randomised admission of Ben Basat and
 * others). A key that is not known takes the place of the one in its line that occurred least, and
 * inherits its count, with a chance of one in that count: so a flood of keys that each come once
 * does not push out one that comes often.
 *
 * <p>A count is exact as long as its line was never full. Otherwise it may be wrong by what was
 * inherited, and by what came before the key had a place: an exponentially distributed number, of
 * which the mean is the inherited count. So 19 of 20 counts are within twice the inherited count,
 * to which {@link Found#error} adds twice the standard deviation of the sampling.
 *
 * <p>Used by one thread, which makes {@linkplain #copy copies} for others. Allocates nothing after
 * construction but those.
 */
public final class HeavyHitters {
  /** Keys that have a place. */
  public static final int KEYS = 512;

  /** The length of a minute: older ones than the one before the present are forgotten. */
  public static final long WINDOW_NS = 60_000_000_000L;

  /** The longest text of an identity; longer ones are cut. */
  static final int TEXT_BYTES = 128;

  private static final int WAYS = 8;
  private static final long FREE = 0;

  /** With a chance of one in twenty a key has come more often, in inherited counts, unnoticed. */
  private static final int UNNOTICED = 3;

  private final long[] keys;
  private final String[] rules;
  private final Object[] kinds;
  private final int[] lengths;
  private final byte[] texts;
  private Window present;
  private Window former;
  private final long sinceNs;
  private long window;
  private long random;

  /** The counts of one minute. */
  private static final class Window {
    private final long[] counts;

    /** Parts of the counts that are of keys which had the place before. */
    private final long[] inherited;

    /** The variances that sampling has given the counts. */
    private final long[] variances;

    private long total;

    Window() {
      this(new long[KEYS], new long[KEYS], new long[KEYS], 0);
    }

    private Window(long[] counts, long[] inherited, long[] variances, long total) {
      this.counts = counts;
      this.inherited = inherited;
      this.variances = variances;
      this.total = total;
    }

    Window copy() {
      return new Window(counts.clone(), inherited.clone(), variances.clone(), total);
    }

    void clear() {
      Arrays.fill(counts, 0);
      Arrays.fill(inherited, 0);
      Arrays.fill(variances, 0);
      total = 0;
    }
  }

  /**
   * A key and how often it occurred.
   *
   * @param key as it was added.
   * @param rule by which it was counted.
   * @param kind of the identity.
   * @param identity in ASCII.
   * @param error by so much 19 of 20 counts are wrong at most.
   */
  public record Found(
      long key, String rule, String kind, String identity, long count, long error) {}

  /**
   * @param seed of the chances.
   */
  public HeavyHitters(long seed, long nowNs) {
    keys = new long[KEYS];
    rules = new String[KEYS];
    kinds = new Object[KEYS];
    lengths = new int[KEYS];
    texts = new byte[KEYS * TEXT_BYTES];
    present = new Window();
    former = new Window();
    random = seed | 1;
    sinceNs = nowNs;
    window = index(nowNs);
  }

  private HeavyHitters(HeavyHitters from) {
    keys = from.keys.clone();
    rules = from.rules.clone();
    kinds = from.kinds.clone();
    lengths = from.lengths.clone();
    texts = from.texts.clone();
    present = from.present.copy();
    former = from.former.copy();
    random = from.random;
    sinceNs = from.sinceNs;
    window = from.window;
  }

  private static long index(long nowNs) {
    return Math.floorDiv(nowNs, WINDOW_NS);
  }

  /** A copy as of now, for another thread. */
  public HeavyHitters copy(long nowNs) {
    passTo(nowNs);
    return new HeavyHitters(this);
  }

  /** The time that the counts cover. */
  public long coversNs(long nowNs) {
    return nowNs - Math.max(sinceNs, (window - 1) * WINDOW_NS);
  }

  /** Forgets what is older than the minute before that of now. */
  private void passTo(long nowNs) {
    long index = index(nowNs);
    if (index == window) {
      return;
    }
    Window last = present;
    present = former;
    former = last;
    present.clear();
    if (index != window + 1) {
      former.clear();
    }
    window = index;
    for (int slot = 0; slot < KEYS; slot++) {
      if (count(slot) == 0) {
        keys[slot] = FREE;
      }
    }
  }

  /**
   * Counts an occurrence of a key, or several of which it is a sample.
   *
   * @param key a secret hash.
   * @param weight the number of occurrences that it stands for, of which each had the same chance.
   * @param rule by which it is counted.
   * @param kind of the identity; its text is read later.
   * @param text holds the identity in ASCII.
   */
  public void add(
      long key,
      long weight,
      String rule,
      Object kind,
      DirectBuffer text,
      int offset,
      int length,
      long nowNs) {
    passTo(nowNs);
    long known = key == FREE ? 1 : key;
    present.total += weight;
    int least = line(known);
    for (int slot = least, end = least + WAYS; slot < end; slot++) {
      if (keys[slot] == known) {
        add(slot, weight);
        return;
      }
      if (count(slot) < count(least)) {
        least = slot;
      }
    }
    long inherited = count(least);
    if (inherited > 0 && Long.remainderUnsigned(nextRandom(), inherited + weight) >= weight) {
      return;
    }
    keys[least] = known;
    rules[least] = rule;
    kinds[least] = kind;
    lengths[least] = Math.min(length, TEXT_BYTES);
    text.getBytes(offset, texts, least * TEXT_BYTES, lengths[least]);
    present.counts[least] = inherited;
    present.inherited[least] = inherited;
    present.variances[least] = 0;
    former.counts[least] = 0;
    former.inherited[least] = 0;
    former.variances[least] = 0;
    add(least, weight);
  }

  private void add(int slot, long weight) {
    present.counts[slot] += weight;
    present.variances[slot] += weight * (weight - 1);
  }

  private static int line(long key) {
    return (int) (key ^ key >>> 32) & KEYS - WAYS;
  }

  private long count(int slot) {
    return present.counts[slot] + former.counts[slot];
  }

  /** The next number of Marsaglia's xorshift generator. */
  private long nextRandom() {
    random ^= random << 13;
    random ^= random >>> 7;
    random ^= random << 17;
    return random;
  }

  /** All occurrences, of keys without a place too. */
  public long total() {
    return present.total + former.total;
  }

  /** How often a key that has no place occurred at most, with a chance of 19 in 20. */
  public long unnoticed(long key) {
    long least = Long.MAX_VALUE;
    int line = line(key);
    for (int slot = line; slot < line + WAYS; slot++) {
      least = Math.min(least, count(slot));
    }
    return UNNOTICED * least;
  }

  /** Reads all keys that have a place, in no order. */
  public void read(Consumer<Found> to) {
    for (int slot = 0; slot < KEYS; slot++) {
      if (keys[slot] != FREE) {
        to.accept(found(slot));
      }
    }
  }

  private Found found(int slot) {
    long inherited = present.inherited[slot] + former.inherited[slot];
    double variance = present.variances[slot] + former.variances[slot];
    return new Found(
        keys[slot],
        rules[slot],
        kinds[slot].toString(),
        new String(texts, slot * TEXT_BYTES, lengths[slot], StandardCharsets.US_ASCII),
        count(slot),
        2 * inherited + (long) Math.ceil(2 * Math.sqrt(variance)));
  }
}
