package dev.weir.proxy.admission;

import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Admission on one event loop, users and their records, with time and the store in a test's hand.
 */
final class PlannedRig implements AutoCloseable {
  static final long SECOND = 1_000_000_000;
  static final long DEADLINE = 5_000_000;
  static final String USER = "header:x-user-id";
  static final String PLAN = "header:x-plan";

  static final UsersSpec USERS =
      new UsersSpec(
          KeySpec.parse(USER),
          List.of("free", "premium", "partner"),
          List.of(KeyPart.parse(PLAN)),
          "shop");

  final EmbeddedChannel channel = new EmbeddedChannel();
  final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1000, 1000, 64), 64);
  final Users users = new Users(1000);
  final Question question = new Question();
  final Map<String, StoredRecord> records = new HashMap<>();
  final LoopClock clock = new LoopClock(this::nowNs);
  final KeyHasher hasher = KeyHasher.withKey(1, 2);

  final IdentityReader reader =
      new IdentityReader(
          IdentitySettings.DEFAULT, hasher, new ClientIpReader(IdentitySettings.DEFAULT), 1024);

  /** What is to be done for users now, and what only later. */
  private final Queue<Runnable> tasks = new ArrayDeque<>();

  final List<Runnable> laterTasks = new ArrayList<>();

  /** Readings that the store has not answered, while answers are held. */
  final Queue<Runnable> heldAnswers = new ArrayDeque<>();

  long nowNs = 1_000 * SECOND;
  int reads;
  boolean isAway;
  boolean holdsAnswers;

  /** The last verdict that was told late; null once another question was asked. */
  Verdict late;

  /** The source that tells users apart. */
  String user = USER;

  /** Whether nobody can say whether a user is being read. */
  boolean isBroken;

  RuleSet rules = RuleSet.EMPTY;

  final RecordedUsers recorded =
      new RecordedUsers(
          users,
          tables,
          hasher,
          this::read,
          (task, delay) -> (delay == 0 ? tasks : laterTasks).add(task),
          this::recordsNowNs,
          DEADLINE);

  final AdmissionHandler handler =
      new AdmissionHandler(
          new LocalGate(tables),
          new AddressLists(),
          new Bans(""),
          users,
          reader,
          new Metrics().newLoop(),
          clock,
          channel.eventLoop());

  PlannedRig() {
    channel.freezeTime();
  }

  private long nowNs() {
    return nowNs;
  }

  private long recordsNowNs() {
    if (isBroken) {
      throw new IllegalStateException("broken");
    }
    return nowNs;
  }

  void use(RuleSpec.Builder rule, UsersSpec whose) {
    RuleSpec spec = rule.key(KeySpec.parse(user)).build();
    rules = RuleSet.compile(List.of(spec), null, whose, false, rules, 0, nowNs);
    handler.publish(rules);
    rules.succeed();
    rules.completeAdoption();
    recorded.use(rules);
  }

  /** A check or a look of ann's, who may give a tier. */
  Question question(Operation operation, String user, String tier) {
    question.start(operation, Purpose.DECISION).rule("r");
    identity(this.user, user);
    if (!tier.isEmpty()) {
      identity(PLAN, tier);
    }
    return question;
  }

  void identity(String name, String value) {
    byte[] bytes = value.getBytes();
    question.identity(name, new UnsafeBuffer(bytes), 0, bytes.length);
  }

  Asked ask(Question asked, VerdictListener listener) {
    clock.tick();
    return handler.ask(asked, listener, nowNs);
  }

  /** The verdict; if it is late, that which is told once the record was read. */
  Verdict ask(Operation operation, String tier) {
    late = null;
    Asked asked = ask(question(operation, "ann", tier), (ticket, verdict) -> late = verdict);
    if (asked.verdict() == null) {
      run();
    }
    return asked.verdict() == null ? late : asked.verdict();
  }

  int passing(int count, String tier) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += ask(Operation.CHECK, tier).allowed() ? 1 : 0;
    }
    return passed;
  }

  private CompletionStage<Optional<StoredRecord>> read(String identity, Executor by) {
    reads++;
    CompletableFuture<Optional<StoredRecord>> answer = new CompletableFuture<>();
    Runnable answering = () -> answer(identity, answer);
    if (holdsAnswers) {
      heldAnswers.add(() -> by.execute(answering));
    } else {
      answering.run();
    }
    return answer;
  }

  private void answer(String identity, CompletableFuture<Optional<StoredRecord>> answer) {
    if (isAway) {
      answer.completeExceptionally(new RecordStoreException("away"));
    } else {
      answer.complete(Optional.ofNullable(records.get(identity)));
    }
  }

  /** Does what is to be done for users now, and tells the event loop. */
  void run() {
    while (!tasks.isEmpty()) {
      tasks.remove().run();
    }
    channel.runPendingTasks();
  }

  /** Has the store answer what it was asked so far. */
  void answerAll() {
    while (!heldAnswers.isEmpty()) {
      heldAnswers.remove().run();
    }
    run();
  }

  /** Does what waits for a time, too. */
  void runLater() {
    List<Runnable> all = new ArrayList<>(laterTasks);
    laterTasks.clear();
    all.forEach(Runnable::run);
    run();
  }

  /** Lets time pass on the event loop. */
  void pass(long ns) {
    nowNs += ns;
    channel.advanceTimeBy(ns, TimeUnit.NANOSECONDS);
    channel.runScheduledPendingTasks();
  }

  /** Sets a user's record, of which nobody is told. */
  RecordVersion set(String user, UserRecord record) {
    RecordVersion version = RecordVersion.parse(records.size() + reads + 1 + "-9f3a21bc");
    RecordName name = new RecordName(RecordName.Kind.USER, user);
    records.put(user, new StoredRecord(name, version, record.toJson()));
    return version;
  }

  @Override
  public void close() {
    users.close();
    tables.close();
    channel.close();
  }
}
