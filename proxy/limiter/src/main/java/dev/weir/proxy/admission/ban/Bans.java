package dev.weir.proxy.admission.ban;

import dev.weir.algorithms.SipHash;
import dev.weir.proxy.rule.RuleBans;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.store.fleet.BanBook;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The bans of a process: which identities are banned, and until when; and how often each was
 * refused lately. Memory is taken when the first rule has a ban. Any thread; lock-free.
 *
 * <p>A ban is a word: its end, and how many bans of the identity it is the last of. It stays where
 * it is after its end, as the next ban is longer; the table forgets what has ended first. Refusals
 * are counted in a window that begins with the first of them. They are not counted in the limit
 * table, as keys without room share a budget there: a stranger could ban somebody else by filling
 * it.
 *
 * <p>Keys are the same on all sidecars that have the same hash key, so that they can tell each
 * other of bans without telling of whom.
 */
public final class Bans {
  /** The most bans that are known, ended ones included; and as many counts of refusals. */
  static final int PLACES = 1 << 18;

  /** The memory of bans; counts of refusals take as much. */
  static final int BYTES = PLACES * WordTable.PLACE_BYTES;

  /** Attempts after which a change is given up, each of which another thread undid. */
  private static final int MAX_ATTEMPTS = 64;

  /** Times are positive although a ban may have ended before the process began: nine years. */
  private static final long ORIGIN_MS = 1L << 38;

  private static final long MAX_MS = (1L << 39) - 1;

  /** Ends of one ban that differ by no more are the same. */
  private static final long SAME_MS = 1_000;

  private static final long NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

  /** Tells these uses of the hash from others with a fixed key. */
  private static final SipHash HIGH = new SipHash(0, 5);

  private static final SipHash LOW = new SipHash(0, 6);

  private final SipHash hash;

  /** Null if the log does not tell of bans. */
  private final BanLog log;

  private final LongAdder begun = new LongAdder();
  private final LongAdder learned = new LongAdder();
  private volatile Tables tables;

  /** Tells other sidecars; null if there is no store. */
  private volatile BanNews news;

  private record Tables(WordTable bans, WordTable refusals) {}

  /**
   * @param hashKey the same on all sidecars of a fleet.
   */
  public Bans(String hashKey) {
    this(hashKey, new BanLog());
  }

  private Bans(String hashKey, BanLog log) {
    this.log = log;
    byte[] key = hashKey.getBytes(StandardCharsets.UTF_8);
    UnsafeBuffer bytes = new UnsafeBuffer(key);
    hash = new SipHash(HIGH.hash(bytes, 0, key.length), LOW.hash(bytes, 0, key.length));
  }

  /** The bans of rules that take no effect: the log does not tell of them. */
  public static Bans untold(String hashKey) {
    return new Bans(hashKey, null);
  }

  /** Takes the memory for rules of which some have bans, if it is not taken yet. */
  public synchronized void use(RuleSet rules) {
    boolean areAny = rules.rules().stream().anyMatch(rule -> rule.spec().ban() != null);
    if (areAny && tables == null) {
      KeyHasher random = KeyHasher.random();
      UnsafeBuffer nothing = new UnsafeBuffer(new byte[Long.BYTES]);
      long secret = random.hash(nothing, 0, Long.BYTES);
      tables = new Tables(new WordTable(PLACES, secret), new WordTable(PLACES, ~secret));
    }
  }

  /**
   * The key of an identity's bans under a rule; not 0.
   *
   * @param era tells keys from those of bans that were forgotten; 0 if none ever are.
   */
  long key(RuleBans rule, int group, Identity identity, int era) {
    long key = hash.hash(identity.bytes(), 0, identity.length()) ^ rule.seed(group) ^ era;
    return key == 0 ? 1 : key;
  }

  private static long ms(long nowNs) {
    return ORIGIN_MS + nowNs / NS_PER_MS;
  }

  /** How much longer a key is banned, in nanoseconds; 0 if it is not. */
  long leftNs(long key, long nowNs) {
    WordTable bans = tables.bans;
    int place = bans.find(key);
    return place == WordTable.NONE ? 0 : untilEndNs(bans.word(place, key), nowNs);
  }

  private static long untilEndNs(long word, long nowNs) {
    return Math.max(0, (WordTable.timeMs(word) - ORIGIN_MS) * NS_PER_MS - nowNs);
  }

  /**
   * Counts a refusal of a key, and bans it if that was one too many. A key that is banned by now,
   * as requests that were decided late are refused, is not counted.
   *
   * @return for how many nanoseconds it is banned; 0 if it is not.
   */
  long refused(RuleBans rule, long key, long nowNs) {
    long leftNs = leftNs(key, nowNs);
    if (leftNs > 0) {
      return leftNs;
    }
    return countRefusal(rule, key, ms(nowNs)) < rule.after() ? 0 : ban(rule, key, nowNs);
  }

  /** Counts a refusal; returns how many there were in the window with it. */
  private int countRefusal(RuleBans rule, long key, long nowMs) {
    WordTable refusals = tables.refusals;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int place = refusals.find(key);
      long word = place == WordTable.NONE ? 0 : refusals.word(place, key);
      long startMs = WordTable.timeMs(word);
      boolean isSame = word != 0 && nowMs - startMs < rule.windowMs();
      int count = isSame ? Math.min(WordTable.number(word) + 1, WordTable.MAX_NUMBER) : 1;
      long next = WordTable.word(key, isSame ? startMs : nowMs, count);
      boolean isCounted =
          place == WordTable.NONE
              ? refusals.add(key, next, nowMs - rule.windowMs() + 1)
              : refusals.replace(place, word, next);
      if (isCounted) {
        return count;
      }
    }
    return 0;
  }

  private long ban(RuleBans rule, long key, long nowNs) {
    WordTable bans = tables.bans;
    long nowMs = ms(nowNs); // rounded down, as a ban of 300 s would be told as 301 s
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int place = bans.find(key);
      long word = place == WordTable.NONE ? 0 : bans.word(place, key);
      long endMs = WordTable.timeMs(word);
      if (endMs > nowMs) {
        return untilEndNs(word, nowNs); // another thread, or sidecar, was faster
      }
      boolean isRemembered = nowMs < endMs + rule.forgetMs();
      int times = isRemembered ? Math.min(WordTable.number(word) + 1, WordTable.MAX_NUMBER) : 1;
      long next = WordTable.word(key, nowMs + rule.banMs(times), times);
      if (place == WordTable.NONE ? bans.add(key, next, nowMs) : bans.replace(place, word, next)) {
        clear(tables.refusals, key);
        begun.increment();
        tell(rule, key, nowNs);
        if (log != null) {
          log.begun(rule.ruleId(), rule.banMs(times), times, nowNs);
        }
        return untilEndNs(next, nowNs);
      }
    }
    return 0;
  }

  private void tell(RuleBans rule, long key, long nowNs) {
    BanNews toTell = news;
    if (toTell != null) {
      toTell.add(rule, key, nowNs);
    }
  }

  /**
   * Bans a key as an operator says; a ban that ends later stays. On all sidecars.
   *
   * @param forNs how long; 0 ends its ban.
   */
  void set(RuleBans rule, long key, long forNs, long nowNs) {
    if (forNs == 0) {
      end(rule, key, nowNs);
      return;
    }
    long forMs = TimeUnit.NANOSECONDS.toMillis(forNs);
    if (take(key, new BanBook.Ban("", forMs, 1, forMs + rule.forgetMs()), nowNs)) {
      begun.increment();
      tell(rule, key, nowNs);
    }
  }

  /** Ends the ban of a key, and forgets its refusals and earlier bans; on all sidecars. */
  void end(RuleBans rule, long key, long nowNs) {
    end(key);
    tell(rule, key, nowNs);
  }

  private void end(long key) {
    clear(tables.bans, key);
    clear(tables.refusals, key);
  }

  /** Makes the word of a key, if it has one, mean nothing. */
  private static void clear(WordTable table, long key) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int place = table.find(key);
      long word = place == WordTable.NONE ? 0 : table.word(place, key);
      if (place == WordTable.NONE || WordTable.timeMs(word) == 1) {
        return;
      }
      table.replace(place, word, WordTable.word(key, 1, 0));
    }
  }

  /** Tells other sidecars of bans from now on; before the first rules are used. */
  public BanBook share() {
    news = new BanNews(this);
    return news;
  }

  boolean isOpen() {
    return tables != null;
  }

  /** The ban of a key as others are told of it. */
  BanBook.Ban ban(String name, long key, long forgetMs, long nowNs) {
    WordTable bans = tables.bans;
    int place = bans.find(key);
    long word = place == WordTable.NONE ? 0 : bans.word(place, key);
    int times = WordTable.number(word);
    long leftMs = times == 0 ? 0 : WordTable.timeMs(word) - ms(nowNs);
    long keptMs = times == 0 ? BanNews.ENDED_KEPT_MS : Math.max(1, leftMs + forgetMs);
    return new BanBook.Ban(name, leftMs, times, keptMs);
  }

  /**
   * Takes over a ban of another sidecar: the later end and the higher number stay, unless the own
   * one is forgotten by now. Refusals before it count for no later ban, as if it had begun here.
   */
  void learned(long key, BanBook.Ban told, long nowNs) {
    if (told.times() <= 0) {
      end(key);
    } else if (take(key, told, nowNs)) {
      learned.increment();
    }
  }

  /** Whether a ban changes that of its key. */
  private boolean take(long key, BanBook.Ban told, long nowNs) {
    WordTable bans = tables.bans;
    long nowMs = ms(nowNs);
    long forgetMs = told.keptMs() - told.leftMs();
    long toldEndMs = Math.max(1, Math.min(nowMs + told.leftMs(), MAX_MS));
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int place = bans.find(key);
      long word = place == WordTable.NONE ? 0 : bans.word(place, key);
      boolean isRemembered = nowMs < WordTable.timeMs(word) + forgetMs;
      long ownEndMs = isRemembered ? WordTable.timeMs(word) : 1;
      int ownNumber = isRemembered ? WordTable.number(word) : 0;
      long endMs = Math.max(ownEndMs, toldEndMs);
      int number = Math.max(ownNumber, Math.min(told.times(), WordTable.MAX_NUMBER));
      // The way to the store and back makes an end later: by less than a second it is the same.
      if (number == ownNumber && endMs <= ownEndMs + SAME_MS) {
        return false;
      }
      long next = WordTable.word(key, endMs, number);
      boolean isDone =
          place == WordTable.NONE ? bans.add(key, next, nowMs) : bans.replace(place, word, next);
      if (isDone) {
        clear(tables.refusals, key);
        return true;
      }
    }
    return false;
  }

  /** How many bans have begun here. */
  public long begunCount() {
    return begun.sum();
  }

  /** How many bans, and changes of bans, other sidecars have told of. */
  public long learnedCount() {
    return learned.sum();
  }

  /** How many bans the store was not told of, as too many waited for it. */
  public long untoldCount() {
    BanNews toTell = news;
    return toTell == null ? 0 : toTell.lostCount();
  }

  /** How many bans were forgotten before their end, as the table was full. */
  public long forgottenCount() {
    Tables taken = tables;
    return taken == null ? 0 : taken.bans.evictedCount();
  }
}
