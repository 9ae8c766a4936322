package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import dev.weir.algorithms.PlannedLimit;
import dev.weir.algorithms.UserTable;
import dev.weir.algorithms.UserWord;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.RecordFault;
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
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the table of users what their records say. A user that a request meets first is read by
 * another thread; until then, and while the store is away, the user has what was known last, or
 * else what the request says. Any thread.
 */
public final class RecordedUsers {
  /** Reads the record of a user. */
  public interface Reader {
    /** Empty if the user has none. */
    Optional<StoredRecord> read(String identity) throws RecordStoreException;
  }

  /** Runs what waits for the store, by one thread. */
  public interface Worker {
    void run(Runnable task, long delayNs);
  }

  /** How soon a user is asked for again of whom the store could say nothing. */
  static final long AGAIN_NS = TimeUnit.SECONDS.toNanos(1);

  /** The users who are asked for at a time; a power of two. */
  static final int MAX_ASKED = 4096;

  /** How long a record that was announced is waited for. */
  private static final long ANNOUNCED_NS = TimeUnit.SECONDS.toNanos(2);

  private static final long LOOK_NS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_ATTEMPTS = 16;
  private static final long NOBODY = 0;
  private static final Logger LOG = LoggerFactory.getLogger(RecordedUsers.class);

  private final Users users;
  private final LimitTables tables;
  private final KeyHasher hasher;
  private final Reader reader;
  private final Worker worker;
  private final LongSupplier nowNs;
  private final PlannedLimit planned = new PlannedLimit();
  private final PlannedUser changed = new PlannedUser();

  /** Since when users are asked for, by the lowest bits of their hash; {@link #NOBODY}. */
  private final AtomicLongArray askedNs = new AtomicLongArray(MAX_ASKED);

  private final AtomicInteger askedCount = new AtomicInteger();
  private volatile RuleSet rules = RuleSet.EMPTY;
  private volatile boolean areThere;
  private final LongAdder passedOver = new LongAdder();
  private final AtomicBoolean isNamed = new AtomicBoolean();

  /**
   * @param tables of the words that are converted when a user's plan changes.
   * @param hasher of identities, the one of all event loops.
   * @param nowNs by the clock of the checks.
   */
  public RecordedUsers(
      Users users,
      LimitTables tables,
      KeyHasher hasher,
      Reader reader,
      Worker worker,
      LongSupplier nowNs) {
    this.users = users;
    this.tables = tables;
    this.hasher = hasher;
    this.reader = reader;
    this.worker = worker;
    this.nowNs = nowNs;
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

  /** Any user's record may have changed. */
  public void allUsersChanged() {
    areThere = true;
    UserTable table = users.table();
    if (table != null) {
      table.forgetAll();
    }
  }

  /**
   * A user's record has changed, or is gone.
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
      table.forgetAll(); // a hash does not say whose it is
    }
  }

  /** Whether users have records that a request has to know. */
  boolean areThere() {
    return areThere && rules.users() != null && rules.users().directory() != null;
  }

  /** Asks for a user of whom nothing is known, unless somebody has asked within a second. */
  void ask(Identity who) {
    long hash = who.hash();
    int place = place(hash);
    long since = askedNs.get(place);
    long now = nowNs.getAsLong();
    if (IdentityReader.hasValue(who)
        && (since == NOBODY || now - since >= AGAIN_NS)
        && askedCount.get() < MAX_ASKED
        && askedNs.compareAndSet(place, since, now)) {
      String name = IdentityReader.valueOf(who);
      askedCount.incrementAndGet();
      worker.run(() -> answer(hash, name), 0);
    }
  }

  private static int place(long hash) {
    return (int) hash & MAX_ASKED - 1;
  }

  private void answer(long hash, String identity) {
    askedCount.decrementAndGet();
    if (read(hash, identity)) {
      askedNs.set(place(hash), NOBODY);
    }
  }

  /** False if the store does not answer: the user is asked for again after a second. */
  private boolean read(long hash, String identity) {
    try {
      learn(hash, reader.read(identity).map(this::parse).orElse(null));
      return true;
    } catch (RecordStoreException away) {
      return false;
    }
  }

  /** Reads a user until the record has a version, or it takes too long: then requests ask. */
  private void await(long hash, String identity, RecordVersion version, long untilNs) {
    boolean isThere = false;
    try {
      Optional<StoredRecord> record = reader.read(identity);
      isThere = record.map(StoredRecord::version).filter(version::equals).isPresent();
      learn(hash, record.map(this::parse).orElse(null));
    } catch (RecordStoreException away) {
      // It is read again below.
    }
    if (isThere) {
      return;
    }
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
            read(hash, identity);
          }
          known.complete(null);
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
    return record == null
        ? tier
        : plans.now(plans.of(record), tier, Users.unixMs(nowNs.getAsLong()));
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
