package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.PlannedLimit;
import dev.weir.algorithms.UserTable;
import dev.weir.algorithms.UserWord;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.Plans;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the table of users what their records say. A user of whom a request finds nothing is read
 * once, for all event loops, and those whose questions wait are told when that has ended. While the
 * store is away, the user has what was known last, or else what the request says. Any thread.
 */
public final class RecordedUsers {
  /** Reads the record of a user: {@link RecordStore#userAsync}. */
  public interface Reader {
    CompletionStage<Optional<StoredRecord>> read(String identity, Executor by);
  }

  /** Runs what has to do with users who are read, by one thread. */
  public interface Worker {
    void run(Runnable task, long delayNs);
  }

  /** An event loop whose questions wait for users. */
  interface Waiter {
    /** The reading of a user has ended, well or not; any thread. */
    void ended(long hash);
  }

  /** The result of {@link #ask} if nothing is being read. */
  static final long NOT_READ = 0;

  /** How soon a user is asked for again of whom the store could say nothing. */
  static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  /** The users who are asked for at a time. */
  static final int MAX_ASKED = 4096;

  /** The users of whom it is known that the store could say nothing; a power of two. */
  private static final int MAX_FAILED = 4096;

  /** Bits of a user's hash that tell those of one place apart; the other bits have the time. */
  private static final long FAILED_HASH = -1L << 40;

  /** The users without a slot who are to be forgotten at a time; beyond, all are. */
  static final int MAX_UNMET = 4096;

  /** How long a record that was announced is waited for. */
  private static final long ANNOUNCED_NS = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_ATTEMPTS = 16;
  private static final Logger LOG = LoggerFactory.getLogger(RecordedUsers.class);

  private final Users users;
  private final LimitTables tables;
  private final KeyHasher hasher;
  private final Reader reader;
  private final Worker worker;
  private final LongSupplier nowNs;
  private final PlannedLimit planned = new PlannedLimit();
  private final PlannedUser changed = new PlannedUser();

  /** The users who are being read, by their hash. */
  private final Map<Long, Reading> readings = new ConcurrentHashMap<>();

  /** When the store could say nothing of a user last, by the lowest bits of the user's hash. */
  private final AtomicLongArray failed = new AtomicLongArray(MAX_FAILED);

  /** Changes of all users since nobody was to be forgotten once more. */
  private final AtomicInteger changesOfAll = new AtomicInteger();

  private final AtomicInteger unmetCount = new AtomicInteger();
  private final long deadlineNs;
  private volatile RuleSet rules = RuleSet.EMPTY;
  private volatile boolean areThere;
  private final LongAdder passedOver = new LongAdder();
  private final LongAdder reads = new LongAdder();
  private final LongAdder failures = new LongAdder();
  private final AtomicBoolean isNamed = new AtomicBoolean();

  /**
   * @param tables of the words that are converted when a user's plan changes.
   * @param hasher of identities, the one of all event loops.
   * @param nowNs by the clock of the checks.
   * @param deadlineNs how long a question may wait for its user.
   */
  public RecordedUsers(
      Users users,
      LimitTables tables,
      KeyHasher hasher,
      Reader reader,
      Worker worker,
      LongSupplier nowNs,
      long deadlineNs) {
    this.users = users;
    this.tables = tables;
    this.hasher = hasher;
    this.reader = reader;
    this.worker = worker;
    this.nowNs = nowNs;
    this.deadlineNs = deadlineNs;
    users.recorded(this);
  }

  /** Replaces the rules. */
  void use(RuleSet newRules) {
    rules = newRules;
  }

  /**
   * How many users have a record: until there is one, nobody is asked for. A count that goes down
   * to 0 again is not taken for the truth: users must not lose what they have to a wrong one.
   */
  public void usersCounted(long count) {
    if (count > 0) {
      areThere = true;
    }
  }

  /** Any user's record may have changed, or be about to. */
  public void allUsersChanged() {
    areThere = true;
    UserTable table = users.table();
    if (table != null) {
      forgetAll(table);
    }
  }

  /** Forgets all users now and, as records are written after that was announced, once more. */
  private void forgetAll(UserTable table) {
    table.forgetAll();
    if (changesOfAll.getAndIncrement() == 0) {
      worker.run(() -> forgetAllAgain(table, 1), ANNOUNCED_NS);
    }
  }

  /**
   * Forgets all users, and does so later if there was another change meanwhile.
   *
   * @param seen the changes that are old enough.
   */
  private void forgetAllAgain(UserTable table, int seen) {
    table.forgetAll();
    if (!changesOfAll.compareAndSet(seen, 0)) {
      int more = changesOfAll.get();
      worker.run(() -> forgetAllAgain(table, more), ANNOUNCED_NS);
    }
  }

  /** Forgets a user whom no request has met before the change, and one may meanwhile. */
  private void forgetLater(UserTable table, long hash) {
    if (unmetCount.incrementAndGet() > MAX_UNMET) {
      unmetCount.decrementAndGet();
      forgetAll(table);
      return;
    }
    worker.run(
        () -> {
          unmetCount.decrementAndGet();
          table.forget(hash);
        },
        ANNOUNCED_NS);
  }

  /**
   * A user's record has changed or is gone, or is about to be.
   *
   * @param identity the value that tells users apart; or a hash of it, of secret ones.
   * @param version that it has once it has changed.
   */
  public void userChanged(String identity, RecordVersion version) {
    areThere = true;
    UsersSpec spec = rules.users();
    UserTable table = users.table();
    if (spec == null || table == null) {
      return;
    }
    long hash = IdentityReader.hashOf(identity, hasher);
    if (table.find(hash) != UserTable.NONE) {
      long untilNs = nowNs.getAsLong() + ANNOUNCED_NS;
      worker.run(() -> await(hash, identity, version, untilNs), 0);
    } else if (spec.identity().part(0).isSecret()) {
      forgetAll(table); // a hash does not say whose it is
    } else {
      forgetLater(table, hash);
    }
  }

  /** Whether users have records that a request has to know. */
  boolean areThere() {
    return areThere && rules.users() != null && rules.users().directory() != null;
  }

  /** How long a question may wait for its user, from the time at which the user was asked for. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** One reading of a user, for all who wait for it. */
  private static final class Reading {
    private final long sinceNs;
    private final List<Waiter> waiters = new ArrayList<>(1);
    private boolean hasEnded;

    Reading(long sinceNs) {
      this.sinceNs = sinceNs;
    }

    /** False if it has ended, so that nothing is to be waited for. */
    private synchronized boolean join(Waiter waiter) {
      if (!hasEnded && waiter != null && !waiters.contains(waiter)) {
        waiters.add(waiter);
      }
      return !hasEnded;
    }

    private synchronized List<Waiter> end() {
      hasEnded = true;
      return waiters;
    }
  }

  /**
   * Asks for a user of whom nothing is known, unless somebody has asked already, or the store could
   * say nothing within the last second.
   *
   * @param waiter is told when the reading ends; null for nobody.
   * @return since when the user is being read; {@link #NOT_READ} if the user is not.
   */
  long ask(Identity who, Waiter waiter) {
    long hash = who.hash();
    long now = nowNs.getAsLong();
    if (hasFailed(hash, now)) {
      return NOT_READ;
    }
    Reading reading = readings.get(hash);
    if (reading == null) {
      if (readings.size() >= MAX_ASKED || !IdentityReader.hasValue(who)) {
        return NOT_READ;
      }
      reading = new Reading(now);
      Reading other = readings.putIfAbsent(hash, reading);
      if (other == null) {
        reading.join(waiter);
        String name = IdentityReader.valueOf(who);
        worker.run(() -> read(hash, name), 0);
        return now;
      }
      reading = other;
    }
    return reading.join(waiter) ? reading.sinceNs : NOT_READ;
  }

  private void read(long hash, String identity) {
    answer(hash, identity).thenAccept(isRead -> ended(hash, !isRead));
  }

  private void ended(long hash, boolean isAway) {
    (isAway ? failures : reads).increment();
    if (isAway) {
      failed.set(failedPlace(hash), hash & FAILED_HASH | failedMs(nowNs.getAsLong()));
    }
    Reading reading = readings.remove(hash);
    if (reading != null) {
      reading.end().forEach(waiter -> waiter.ended(hash));
    }
  }

  /** Whether the store could say nothing of a user within a second. */
  private boolean hasFailed(long hash, long now) {
    long last = failed.get(failedPlace(hash));
    return last != 0
        && ((last ^ hash) & FAILED_HASH) == 0
        && failedMs(now) - (last & ~FAILED_HASH) < TimeUnit.NANOSECONDS.toMillis(AGAIN_NS);
  }

  private static int failedPlace(long hash) {
    return (int) hash & MAX_FAILED - 1;
  }

  private static long failedMs(long now) {
    return TimeUnit.NANOSECONDS.toMillis(now) & ~FAILED_HASH;
  }

  /** Reads a user's record and learns what it says; completes with false if nobody answers. */
  private CompletionStage<Boolean> answer(long hash, String identity) {
    return reader
        .read(identity, this::runSoon)
        .thenApply(
            record -> {
              learn(hash, record.map(this::parse).orElse(null));
              return true;
            })
        .exceptionally(RecordedUsers::notRead);
  }

  /** Nobody has answered, or it could not be learnt. */
  private static boolean notRead(Throwable fault) {
    Throwable cause = fault instanceof CompletionException ? fault.getCause() : fault;
    if (!(cause instanceof RecordStoreException)) {
      InternalErrors.caught("reading a user", cause);
    }
    return false;
  }

  private void runSoon(Runnable task) {
    worker.run(task, 0);
  }

  /** Reads a user until the record has a version, or it takes too long: then requests ask. */
  private void await(long hash, String identity, RecordVersion version, long untilNs) {
    reader
        .read(identity, this::runSoon)
        .thenApply(
            record -> {
              learn(hash, record.map(this::parse).orElse(null));
              return record.map(StoredRecord::version).filter(version::equals).isPresent();
            })
        .exceptionally(RecordedUsers::notRead) // it is read again below
        .thenAccept(
            isThere -> {
              if (!isThere) {
                awaitOn(hash, identity, version, untilNs);
              }
            });
  }

  private void awaitOn(long hash, String identity, RecordVersion version, long untilNs) {
    if (nowNs.getAsLong() < untilNs) {
      worker.run(() -> await(hash, identity, version, untilNs), LOOK_NS);
    } else {
      users.table().forget(hash); // the next request asks again, be it late or never written
    }
  }

  /** The part of a record that is known here; one that nobody can read says nothing. */
  private UserRecord parse(StoredRecord record) {
    try {
      return UserRecord.parseKept(record.json(), this::passOver);
    } catch (BadRecordException bad) {
      bad.faults().forEach(this::passOver);
      return UserRecord.EMPTY;
    }
  }

  private void passOver(RecordFault fault) {
    passedOver.increment();
    if (isNamed.compareAndSet(false, true)) {
      LOG.warn(
          "records: a part of a user's record is passed over, and others from now on without a"
              + " word: {}",
          fault);
    }
  }

  /** How many users were read for requests, be there a record or not. */
  public long readCount() {
    return reads.sum();
  }

  /** How often the store could say nothing of a user whom a request asked for. */
  public long failedCount() {
    return failures.sum();
  }

  /** How many parts of records were passed over, as they are not known here. */
  public long passedOverCount() {
    return passedOver.sum();
  }

  /**
   * Reads a user of whom no request may have come yet.
   *
   * @return completes once the user is known, or the store has not answered.
   */
  public CompletionStage<Void> know(String identity) {
    CompletableFuture<Void> known = new CompletableFuture<>();
    worker.run(
        () -> {
          UserTable table = users.table();
          long hash = IdentityReader.hashOf(identity, hasher);
          if (table != null && table.meet(hash) != UserTable.NONE) {
            answer(hash, identity).thenAccept(isRead -> known.complete(null));
          } else {
            known.complete(null);
          }
        },
        0);
    return known;
  }

  /**
   * Sets what a user has.
   *
   * @param record null if the user has none.
   */
  synchronized void learn(long hash, UserRecord record) {
    UserTable table = users.table();
    int slot = table.find(hash);
    for (int attempt = 0; slot != UserTable.NONE && attempt < MAX_ATTEMPTS; attempt++) {
      long word = table.word(slot, hash);
      Plan plan = plan(word, record);
      int source = record != null ? UserWord.RECORD : said(word);
      if (convert(slot, hash, word) && table.set(slot, hash, word, plan.number(), source, true)) {
        convert(slot, hash, table.word(slot, hash));
        reclaimPlans();
        return;
      }
    }
  }

  /** Has plans forgotten that nobody has any more, once there may be many of them. */
  private void reclaimPlans() {
    long now = nowNs.getAsLong();
    if (users.plans().isReclaimDue(now)) {
      BitSet named = new BitSet();
      users.table().addPlans(named);
      BitSet kept = users.plans().reclaim(named, now);
      rules.rules().forEach(rule -> rule.retainPlans(kept::get));
    }
  }

  /** Who says the tier of a user without a record. */
  private static int said(long word) {
    return UserWord.source(word) == UserWord.RECORD ? 0 : UserWord.source(word);
  }

  private Plan plan(long word, UserRecord record) {
    Plans plans = users.plans();
    Plan known = plans.of(UserWord.plan(word));
    boolean isOfTier = UserWord.source(word) != UserWord.RECORD;
    Plan said = isOfTier ? known : plans.tierOf(known);
    UsersSpec spec = rules.users();
    Plan tier = said.tier() == null && spec != null ? plans.usual(spec) : said;
    return record == null ? tier : plans.now(record, tier, Users.unixMs(nowNs.getAsLong()));
  }

  /**
   * Converts what a user has used to the plan that a slot names, so that no word is two plans
   * behind.
   */
  private boolean convert(int slot, long hash, long word) {
    changed.set(users, slot, hash);
    changed.read();
    boolean isDone = true;
    UsersSpec spec = rules.users();
    for (Rule rule : rules.rules()) {
      for (Budget own : rule.budgets()) {
        if (own.isOfUsers()
            && own.spec().limit().takesBurst()
            && own.spec().key().equals(spec.identity())) {
          isDone &= convert(hash, own.latest());
        }
      }
    }
    return isDone && users.table().word(slot, hash) == word;
  }

  private boolean convert(long hash, Budget own) {
    Budget planned = changed.budget(own);
    Budget budget = planned == null ? own : planned;
    Limit limit = budget.share() == null ? budget.limit() : budget.share();
    LimitTable table = tables.of(limit);
    Limit under = changed.under(budget, limit, this.planned);
    long now = nowNs.getAsLong();
    boolean isDone = table.convert(hash ^ budget.seed(), under, now);
    return !own.spec().mode().needsStore()
        ? isDone
        : isDone & table.convert(hash ^ LocalGate.SHARE_SEED ^ budget.seed(), under, now);
  }
}
