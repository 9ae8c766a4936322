package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.RecordedUsers;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.Adoption;
import dev.weir.proxy.control.RecordSetFault;
import dev.weir.proxy.control.RecordSettings;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.control.RuleChoice;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.loop.InternalErrors;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RulesCopy;
import dev.weir.proxy.records.file.FileRecordStore;
import dev.weir.proxy.records.redis.RecordKeys;
import dev.weir.proxy.records.redis.RedisRecordStore;
import dev.weir.proxy.store.Store;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The records of one sidecar: opens their store, and puts its rules into use by one thread, {@code
 * weir-records}, which may wait for the store.
 */
final class SidecarRecords implements RecordsInUse, AutoCloseable {
  /** Milliseconds until rules that could not be read are read again. */
  private static final long AGAIN_MS = 500;

  /** The same of rules that cannot be taken: some faults pass, as budgets lose former names. */
  private static final long REFUSED_AGAIN_MS = 2_000;

  /** Milliseconds that a call to the store may take to end. */
  private static final long CLOSE_MS = 2_000;

  /** Milliseconds between two looks at which version the sidecars follow. */
  private static final long LOOK_MS = 50;

  private static final Logger LOG = LoggerFactory.getLogger(SidecarRecords.class);

  private final RecordStore store;
  private final RuleChoice rules;
  private final RecordedRules reader;
  private final RecordedRulesFollower follower;
  private final StoreNames names;
  private final ReloadNotes reloads;
  private final ScheduledThreadPoolExecutor thread;

  /** Reads users who are met, so that an away server holds up no rules. */
  private final ScheduledThreadPoolExecutor userThread;

  private final AtomicLong userCount = new AtomicLong();

  /** Whether rules are about to be read. */
  private final AtomicBoolean isToRead = new AtomicBoolean();

  /** The next reading that nothing has to be told for; null if there is none. Of the thread. */
  private Future<?> again;

  /** Completes when the rules in the store were read for the first time. */
  private final CompletableFuture<Void> read = new CompletableFuture<>();

  private SidecarRecords(RecordStore store, Settings settings, RuleChoice rules, RulesCopy copy) {
    this.store = store;
    this.rules = rules;
    reader = new RecordedRules(settings);
    follower = new RecordedRulesFollower(store, reader, rules, copy);
    thread = thread("weir-records");
    userThread = thread("weir-users");
    names = settings.names();
    reloads =
        new ReloadNotes(
            store,
            InstantSource.system(),
            mostMs -> ThreadLocalRandom.current().nextLong(mostMs),
            this::schedule);
  }

  private static ScheduledThreadPoolExecutor thread(String name) {
    ScheduledThreadPoolExecutor thread =
        new ScheduledThreadPoolExecutor(1, new DefaultThreadFactory(name, true));
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    thread.setRemoveOnCancelPolicy(true);
    return thread;
  }

  /**
   * Opens the store of records that settings name.
   *
   * @param servers of the process, which have not started; null if there are none.
   * @param rules are those of the file until there is a recorded set.
   * @throws IOException if records in files cannot be opened.
   */
  static SidecarRecords open(Settings settings, Store servers, RuleChoice rules)
      throws IOException {
    RecordSettings wanted = settings.records();
    return switch (wanted.store()) {
      case REDIS -> inRedis(settings, collected(wanted), servers, rules);
      case FILE -> inFolder(settings, collected(wanted), rules);
    };
  }

  /** Null for none. */
  private static AuditFile collected(RecordSettings wanted) {
    return wanted.auditFile() == null ? null : new AuditFile(wanted.auditFile());
  }

  private static SidecarRecords inFolder(Settings settings, AuditFile collected, RuleChoice rules)
      throws IOException {
    Path folder = settings.records().folder();
    try {
      RecordStore store = FileRecordStore.open(folder, Clock.systemUTC(), collected);
      return new SidecarRecords(store, settings, rules, null);
    } catch (RecordStoreException e) {
      throw new IOException("records.folder: " + e.getMessage(), e);
    }
  }

  private static SidecarRecords inRedis(
      Settings settings, AuditFile collected, Store servers, RuleChoice rules) {
    String service = settings.names().service();
    RecordKeys keys = new RecordKeys(service, settings.directory());
    RedisRecordStore records =
        new RedisRecordStore(
            servers.servers(), keys, new DirectoryNames(settings.names(), rules::rules), collected);
    servers.follow(records.feed());
    Path folder = settings.records().folder();
    RulesCopy copy = folder == null ? null : new RulesCopy(folder, service);
    return new SidecarRecords(records, settings, rules, copy);
  }

  /**
   * Decides by the last good copy, and listens for changes; before the process's store starts.
   *
   * @param loops whose users have records.
   * @param tables of their budgets.
   * @param nowNs by the clock of the checks.
   * @param deadlineNs how long a decision may wait for a user's record.
   */
  void begin(
      Metrics metrics,
      SidecarLoops loops,
      LimitTables tables,
      LongSupplier nowNs,
      long deadlineNs) {
    RecordedUsers users =
        new RecordedUsers(
            loops.users(),
            tables,
            loops.hasher(),
            store::userAsync,
            this::readUser,
            nowNs,
            deadlineNs);
    expose(metrics, users);
    rules.whenFileChanges(file -> reloads.add(file.digest(names)));
    follower.useCopy();
    store.listen(
        new RecordListener() {
          @Override
          public void rulesChanged(RecordVersion head) {
            readSoon();
          }

          @Override
          public void userChanged(String identity, RecordVersion version) {
            users.userChanged(identity, version);
          }

          @Override
          public void allUsersChanged() {
            users.allUsersChanged();
          }

          @Override
          public void usersCounted(long count) {
            userCount.set(count);
            users.usersCounted(count);
          }
        });
  }

  private void expose(Metrics metrics, RecordedUsers users) {
    metrics.counter(
        "weir_records_users_passed_over",
        "Parts of users' records that were passed over, as they are not known to this version.",
        users::passedOverCount);
    metrics.counters(
        "weir_records_users_read",
        "Users whose records were read for a request, by outcome.",
        "outcome",
        Map.of("read", users::readCount, "failed", users::failedCount));
    metrics.gauge(
        "weir_records_rules_version",
        "The number of the version of recorded rules that was taken last; 0 without one.",
        () -> rules().head().number());
    metrics.gauge(
        "weir_records_rules_in_use",
        "1 while recorded rules decide, 0 while those of the settings file do.",
        () -> rules().isPresent() ? 1 : 0);
    metrics.gauge(
        "weir_records_rules_refused",
        "1 while the rules in the store cannot be taken, or are lost, and those before them stay.",
        () -> fault() == null ? 0 : 1);
    metrics.counters(
        "weir_records_rules",
        "Versions of recorded rules, by outcome.",
        "outcome",
        Map.of("taken", follower::takenCount, "rejected", follower::rejectedCount));
    metrics.gauge(
        "weir_records_away_seconds",
        "For how long the store of records has not answered; 0 while it does.",
        store::awaySeconds);
    metrics.counter(
        "weir_records_reloads_not_audited",
        "Changes of rules by the settings file that the audit will never have, as its store was"
            + " away too long.",
        reloads::lostCount);
    if (store instanceof RedisRecordStore inRedis) {
      metrics.counter(
          "weir_records_damaged",
          "Records met in Redis that are no JSON, each time; the log names each once.",
          inRedis::damagedCount);
      metrics.counter(
          "weir_records_rules_read_whole",
          "Readings of all recorded rules, not only of what has changed.",
          inRedis::readAllCount);
    }
    metrics.gauge(
        "weir_records_users",
        "Users who have a record, as they are counted beside the records.",
        userCount::get);
  }

  /** Reads the rules though nothing was told of them, and waits for that. */
  void readFirst(long timeoutNs) {
    readSoon();
    awaitFirst(timeoutNs);
  }

  /** Waits until the rules in the store were read, but no longer than that. */
  void awaitFirst(long timeoutNs) {
    try {
      read.get(timeoutNs, TimeUnit.NANOSECONDS);
    } catch (TimeoutException | ExecutionException notYet) {
      LOG.warn("records: no answer yet: {} decide until there is one", follower.named());
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private void readSoon() {
    if (isToRead.compareAndSet(false, true)) {
      schedule(this::follow, 0);
    }
  }

  private void follow() {
    isToRead.set(false); // first: what changes from now on is read once more
    boolean isRead = follower.follow();
    if (isRead) {
      read.complete(null);
    }
    if (again != null) {
      again.cancel(false);
    }
    if (!isRead || follower.fault() != null) {
      again = schedule(this::follow, isRead ? REFUSED_AGAIN_MS : AGAIN_MS);
    }
  }

  private Future<?> schedule(Runnable task, long delayMs) {
    return schedule(thread, task, TimeUnit.MILLISECONDS.toNanos(delayMs));
  }

  private void readUser(Runnable task, long delayNs) {
    schedule(userThread, task, delayNs);
  }

  /** Null if the process ends. */
  private static Future<?> schedule(
      ScheduledThreadPoolExecutor thread, Runnable task, long delayNs) {
    try {
      return thread.schedule(guarded(task), delayNs, TimeUnit.NANOSECONDS);
    } catch (RejectedExecutionException stopped) {
      return null;
    }
  }

  private static Runnable guarded(Runnable task) {
    return () -> {
      try {
        task.run();
      } catch (RuntimeException | Error bug) {
        InternalErrors.caught("following records", bug);
      }
    };
  }

  @Override
  public RecordStore store() {
    return store;
  }

  @Override
  public RecordSet rules() {
    return follower.inUse();
  }

  @Override
  public RecordSetFault fault() {
    return follower.fault();
  }

  @Override
  public RecordedRules.Reading compile(RecordSet set) {
    return reader.read(set, rules.rules());
  }

  @Override
  public RecordedRules.Reading compile(byte[] document) {
    return reader.readDocument(document, rules.rules());
  }

  @Override
  public CompletionStage<Adoption> adoption(RecordVersion version, Duration wait) {
    CompletableFuture<Adoption> answer = new CompletableFuture<>();
    long endNs = System.nanoTime() + wait.toNanos();
    schedule(() -> look(version, endNs, answer), 0);
    return answer;
  }

  private void look(RecordVersion version, long endNs, CompletableFuture<Adoption> answer) {
    Adoption now = adoption(version);
    boolean isAll = now != null && now.using() == now.live();
    if (isAll || endNs - System.nanoTime() <= 0) {
      answer.complete(now);
    } else {
      schedule(() -> look(version, endNs, answer), LOOK_MS);
    }
  }

  /** Null if the store does not tell. */
  private Adoption adoption(RecordVersion version) {
    try {
      return Adoption.of(store, version);
    } catch (RecordStoreException away) {
      return null;
    }
  }

  /**
   * Ends the threads, and closes the store; then nobody reads what is known of users, or has event
   * loops take rules.
   */
  @Override
  public void close() {
    thread.shutdownNow();
    userThread.shutdownNow();
    store.close();
    try {
      userThread.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS);
      thread.awaitTermination(CLOSE_MS, TimeUnit.MILLISECONDS);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }
}
