package dev.weir.proxy.admission.ban;

import dev.weir.algorithms.SipHash;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A word for each of many keys, in a fixed piece of memory beside the heap: a time and a number.
 * Sets of {@link #WAYS} places, of which a key's hash chooses one; a place has two words:
 *
 * <pre>
 * byte    0        8        16
 *         | key    | word   |
 * writer  | any    | any    |
 * store   | CAS 0,k; volatile, by the owner of BUSY | CAS |
 * load    | volatile | volatile |
 *
 * word    63            24        8      0
 *         | time, ms     | number | tag  |
 * </pre>
 *
 * <p><b>Guarantees.</b> A word is read and changed only as that of its key. Of two threads that
 * change a word one succeeds, and the other one looks again. Where a set is full, the place whose
 * time is the earliest gets the new key. Lock-free: no thread waits for another one.
 *
 * <p><b>Why.</b> A place gets another key only by who has put {@link #BUSY} in the place of its
 * word, and no word but {@code BUSY} stands there until the key is the new one. A word has a tag of
 * its key, so that a CAS by who has found the former key fails. The key is read again behind the
 * word. Two threads that put the same new key in a full set may take two places; whoever looks
 * takes the one with the later time, so one of two simultaneous first words can be lost, and no
 * more.
 */
public final class WordTable {
  /** The result of {@link #find} if the key is not there. */
  public static final int NONE = -1;

  /** The largest number that a word has. */
  public static final int MAX_NUMBER = (1 << 16) - 1;

  public static final int WAYS = 8;

  /** The word of a place that is getting another key. */
  private static final long BUSY = -1;

  private static final int TIME_SHIFT = 24;
  private static final int NUMBER_SHIFT = 8;
  private static final int TAG_MASK = (1 << NUMBER_SHIFT) - 1;
  public static final int PLACE_BYTES = 2 * Long.BYTES;
  private static final int LINE_BYTES = 64;

  private final UnsafeBuffer places;
  private final int setMask;
  private final long secret;
  private final LongAdder evicted = new LongAdder();

  /**
   * A table in memory beside the heap.
   *
   * @param placeCount a power of two, {@link #WAYS} or more.
   * @param secret that nobody outside knows: nobody chooses the set of a key.
   */
  WordTable(int placeCount, long secret) {
    this(new UnsafeBuffer(aligned(placeCount * PLACE_BYTES)), secret);
  }

  /**
   * A table in given memory.
   *
   * @param places zeroes, of {@link #PLACE_BYTES} for each place.
   */
  public WordTable(UnsafeBuffer places, long secret) {
    this.places = places;
    this.setMask = places.capacity() / PLACE_BYTES / WAYS - 1;
    this.secret = secret;
  }

  private static ByteBuffer aligned(int bytes) {
    ByteBuffer memory = ByteBuffer.allocateDirect(bytes + LINE_BYTES).alignedSlice(LINE_BYTES);
    return memory.limit(bytes).slice().order(ByteOrder.nativeOrder());
  }

  /**
   * A word.
   *
   * @param timeMs 1 or more, less than 2^39.
   * @param number from 0 to {@link #MAX_NUMBER}.
   */
  public static long word(long key, long timeMs, int number) {
    return timeMs << TIME_SHIFT | (long) number << NUMBER_SHIFT | tag(key);
  }

  public static long timeMs(long word) {
    return word >>> TIME_SHIFT;
  }

  public static int number(long word) {
    return (int) (word >>> NUMBER_SHIFT) & MAX_NUMBER;
  }

  private static long tag(long key) {
    return key >>> Long.SIZE - NUMBER_SHIFT;
  }

  private int first(long key) {
    return ((int) SipHash.mix(key ^ secret) & setMask) * WAYS;
  }

  private long key(int place) {
    return places.getLongVolatile(place * PLACE_BYTES);
  }

  private long anyWord(int place) {
    return places.getLongVolatile(place * PLACE_BYTES + Long.BYTES);
  }

  private boolean wordCas(int place, long from, long to) {
    return places.compareAndSetLong(place * PLACE_BYTES + Long.BYTES, from, to);
  }

  /**
   * The word of a place that had a key.
   *
   * @return 0 if it has none, or the place has another key meanwhile.
   */
  public long word(int place, long key) {
    long word = anyWord(place);
    return word != BUSY && (word & TAG_MASK) == tag(key) && key(place) == key ? word : 0;
  }

  /**
   * The place of a key; {@link #NONE} if it is not there.
   *
   * @param key not 0.
   */
  public int find(long key) {
    int first = first(key);
    int found = NONE;
    long latest = 0;
    for (int place = first; place < first + WAYS; place++) {
      long there = key(place);
      if (there == 0) {
        break; // places of a set are taken in their order
      }
      if (there == key) {
        long word = word(place, key);
        if (found == NONE || word > latest) {
          found = place;
          latest = word;
        }
      }
    }
    return found;
  }

  /** Replaces the word of a key; fails if it is another one by now. */
  public boolean replace(int place, long from, long to) {
    return wordCas(place, from, to);
  }

  /**
   * Puts a key into its set that was not found there.
   *
   * @param liveFromMs words of an earlier time mean nothing any more.
   * @return false if another thread was in the way: then look again.
   */
  public boolean add(long key, long word, long liveFromMs) {
    int first = first(key);
    int earliest = first;
    long earliestWord = Long.MAX_VALUE;
    for (int place = first; place < first + WAYS; place++) {
      long there = key(place);
      if (there == 0) {
        return places.compareAndSetLong(place * PLACE_BYTES, 0, key) && wordCas(place, 0, word);
      }
      if (there == key) {
        return false; // another thread has just added it
      }
      long other = anyWord(place);
      if (other != BUSY && other < earliestWord) {
        earliest = place;
        earliestWord = other;
      }
    }
    if (earliestWord == Long.MAX_VALUE || !wordCas(earliest, earliestWord, BUSY)) {
      return false;
    }
    places.putLongVolatile(earliest * PLACE_BYTES, key);
    places.putLongVolatile(earliest * PLACE_BYTES + Long.BYTES, word);
    if (timeMs(earliestWord) >= liveFromMs) {
      evicted.increment();
    }
    return true;
  }

  /** How often a key gave way whose word still meant something. */
  long evictedCount() {
    return evicted.sum();
  }
}
