package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What this node admits while users change their plan. */
class PlannedAdmissionTest {
  private static final long SECOND = 1_000_000_000;
  private static final String USER = "header:x-user-id";
  private static final String PLAN = "header:x-plan";

  private static final UsersSpec USERS =
      new UsersSpec(
          KeySpec.parse(USER),
          List.of("free", "premium", "partner"),
          List.of(KeyPart.parse(PLAN)),
          "shop");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final LimitTables tables =
      LimitTables.allocate(new AdmissionSettings(1000, 1000, 64), 64);
  private final Users users = new Users(1000);
  private final Question question = new Question();
  private long nowNs = 1_000 * SECOND;
  private RuleSet rules = RuleSet.EMPTY;
  private final KeyHasher hasher = KeyHasher.withKey(1, 2);
  private final Map<String, StoredRecord> records = new HashMap<>();
  private final LoopClock clock = new LoopClock(() -> nowNs);
  private final List<Runnable> tasks = new ArrayList<>();
  private int reads;
  private boolean isAway;
  private final RecordedUsers recorded =
      new RecordedUsers(
          users, tables, hasher, this::read, (task, delay) -> tasks.add(task), () -> nowNs);
  private final AdmissionHandler handler =
      new AdmissionHandler(
          new LocalGate(tables),
          new AddressLists(),
          new dev.weir.proxy.admission.ban.Bans(""),
          users,
          new IdentityReader(
              IdentitySettings.DEFAULT, hasher, new ClientIpReader(IdentitySettings.DEFAULT), 1024),
          new Metrics().newLoop(),
          clock,
          channel.eventLoop());

  @AfterEach
  void close() {
    users.close();
    tables.close();
    channel.close();
  }

  private void use(RuleSpec.Builder rule, UsersSpec whose) {
    RuleSpec spec = rule.key(KeySpec.parse(USER)).build();
    rules = RuleSet.compile(List.of(spec), null, whose, false, rules, 0, nowNs);
    handler.publish(rules);
    rules.succeed();
    rules.completeAdoption();
    recorded.use(rules);
  }

  private static RuleSpec.Builder rule(String rate, String... tiers) {
    RuleSpec.Builder rule = RuleSpec.builder("r").rate(Rate.parse(rate));
    return tiers.length == 0
        ? rule
        : rule.tiers(
            Map.of(
                "premium",
                Amount.parse(tiers[0]),
                "partner",
                tiers.length > 1 ? Amount.parse(tiers[1]) : Amount.UNLIMITED));
  }

  private Verdict ask(Operation operation, String tier) {
    question.start(operation, Purpose.DECISION).rule("r");
    identity(USER, "ann");
    if (!tier.isEmpty()) {
      identity(PLAN, tier);
    }
    clock.tick();
    return handler.ask(question, (ticket, verdict) -> {}, nowNs).verdict();
  }

  private void identity(String name, String value) {
    question.identity(name, new UnsafeBuffer(value.getBytes()), 0, value.length());
  }

  private int passing(int count, String tier) {
    int passed = 0;
    for (int i = 0; i < count; i++) {
      passed += ask(Operation.CHECK, tier).allowed() ? 1 : 0;
    }
    return passed;
  }

  private Optional<StoredRecord> read(String identity) throws RecordStoreException {
    reads++;
    if (isAway) {
      throw new RecordStoreException("away");
    }
    return Optional.ofNullable(records.get(identity));
  }

  private void run() {
    List<Runnable> all = new ArrayList<>(tasks);
    tasks.clear();
    all.forEach(Runnable::run);
  }

  /** Writes ann's record, of which the sidecar is told. */
  private void write(UserRecord record) {
    RecordVersion version = RecordVersion.parse(records.size() + reads + 1 + "-9f3a21bc");
    RecordName name = new RecordName(RecordName.Kind.USER, "ann");
    records.put("ann", new StoredRecord(name, version, record.toJson()));
    recorded.userChanged("ann", version);
    run();
    assertEquals(List.of(), tasks, "the version was found");
  }

  private static UserOverride twice(long untilMs) {
    return new UserOverride(Instant.ofEpochMilli(untilMs), "launch", null, Map.of(), 2000);
  }

  /** Example 6 of the design. */
  @Test
  void anOverrideThatDoublesTheDayBitesAtItsEnd() {
    use(rule("10000/1d").algorithm(Algorithm.FIXED_WINDOW), USERS);
    long endMs = Users.unixMs(nowNs) + 3_600_000;
    assertEquals(9_990, passing(9_990, ""));
    write(UserRecord.EMPTY.withOverride(twice(endMs)));
    assertEquals(10_010, ask(Operation.PEEK, "").remaining());
    assertEquals(2_010, passing(2_010, ""));
    assertEquals(8_000, ask(Operation.PEEK, "").remaining());
    nowNs += 3_599 * SECOND;
    assertEquals(1, passing(1, ""));
    nowNs += SECOND;
    assertEquals(0, passing(10, ""), "12,001 of 10,000 are used");
  }

  @Test
  void aRecordIsReadOnceAndSpeaksBeforeTheRequest() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(150, ""));
    assertEquals(0, reads, "there are no records");
    write(UserRecord.EMPTY.withTier("premium"));
    assertEquals(1, reads);
    assertEquals(900, passing(1_000, ""));
    write(UserRecord.EMPTY.withTier("free"));
    assertEquals(0, passing(10, "premium"));
    nowNs += 600 * SECOND;
    assertEquals(100, passing(150, "premium"));
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("300/1m")));
    assertEquals(200, passing(300, "premium"));
    records.clear();
    recorded.allUsersChanged();
    passing(1, "");
    run();
    nowNs += 1_000; // Conversions round up to nanoseconds.
    assertEquals(700, passing(800, "premium"), "by the request's tier again");
    int before = reads;
    passing(10, "");
    run();
    assertEquals(before, reads, "known to have no record");
  }

  /** Nobody can count in one step with the records, which are on other servers. */
  @Test
  void aUserKeepsWhatTheRecordSaysThoughTheCountSaysThatThereIsNone() {
    use(rule("100/1m", "1000/1m"), USERS);
    write(UserRecord.EMPTY.withTier("premium"));
    recorded.usersCounted(1);
    recorded.usersCounted(0);
    recorded.allUsersChanged();
    recorded.usersCounted(-1);
    passing(1, "");
    run();
    assertEquals(999, ask(Operation.PEEK, "").remaining(), 1, "premium");
  }

  @Test
  void aChangeThatIsAnnouncedWhileItsServerIsAwayIsReadOnceThatAnswers() {
    use(rule("100/1m", "1000/1m"), USERS);
    recorded.usersCounted(1);
    passing(1, "");
    run();
    isAway = true;
    RecordVersion version = RecordVersion.parse("7-9f3a21bc");
    recorded.userChanged("ann", version);
    for (int look = 0; look < 4; look++) {
      run();
      nowNs += SECOND;
    }
    assertEquals(List.of(), tasks, "nobody waits for ever");
    isAway = false;
    RecordName name = new RecordName(RecordName.Kind.USER, "ann");
    String json = UserRecord.EMPTY.withTier("premium").toJson();
    records.put("ann", new StoredRecord(name, version, json));
    passing(1, "");
    run();
    assertEquals(998, ask(Operation.PEEK, "").remaining(), 10, "premium");
  }

  private static final UsersSpec WITHOUT_TIERS =
      new UsersSpec(KeySpec.parse(USER), List.of(), List.of(), "shop");

  /** Removes ann's record, of which the sidecar is told. */
  private void remove() {
    records.clear();
    recorded.allUsersChanged();
    passing(1, "");
    run();
  }

  @Test
  void recordsDecideWhereThereAreNoTiersAndWhatWasUsedStaysUsed() {
    use(rule("100/1m"), WITHOUT_TIERS);
    recorded.usersCounted(1);
    assertEquals(60, passing(60, ""));
    run();
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("1000/1m")));
    assertEquals(940, ask(Operation.PEEK, "").remaining());
    assertEquals(440, passing(440, ""));
    remove();
    assertEquals(0, passing(10, ""), "501 of 100 are used");
    nowNs += 600 * SECOND;
    assertEquals(100, passing(150, ""));
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("1000/1m")));
    assertEquals(900, ask(Operation.PEEK, "").remaining(), "no fresh budget");
  }

  @Test
  void aUserOfWhomNoRequestHasComeIsKnownOnceSomebodyLooks() {
    use(rule("100/1m", "1000/1m"), USERS);
    write(UserRecord.EMPTY.withTier("premium"));
    assertEquals(100, ask(Operation.PEEK, "").remaining(), "nobody has read the record");
    recorded.know("ann");
    run();
    assertEquals(1_000, ask(Operation.PEEK, "").remaining());
    recorded.know("bob");
    run();
    records.clear();
    recorded.know("ann");
    run();
    assertEquals(100, ask(Operation.PEEK, "").remaining(), "the first tier");
    assertEquals(100, passing(150, ""));
  }

  @Test
  void whileTheStoreIsAwayAUserHasWhatWasKnownLastAndIsAskedForOnceASecond() {
    use(rule("100/1m", "1000/1m"), USERS);
    passing(1, "");
    write(UserRecord.EMPTY.withTier("premium"));
    isAway = true;
    recorded.allUsersChanged();
    reads = 0;
    for (int i = 0; i < 20; i++) {
      assertTrue(passing(10, "") == 10);
      run();
      nowNs += SECOND / 10;
    }
    assertEquals(2, reads);
    isAway = false;
    nowNs += SECOND;
    passing(1, "");
    run();
    assertEquals(3, reads);
    nowNs += 10 * SECOND;
    passing(1, "");
    run();
    assertEquals(3, reads);
  }

  /** Example 1 of the design. */
  @Test
  void ofAFreeUsers150HundredPassAndThen900AreLeftOfPremium() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(100, ""));
    Verdict refused = ask(Operation.CHECK, "");
    assertEquals(600_000_000, refused.retryAfterNs());
    assertEquals(0, passing(49, ""));
    assertEquals(900, ask(Operation.PEEK, "premium").remaining());
    assertEquals(900, passing(901, "premium"));
    assertEquals(0, passing(1, "free"), "1000 are used");
    nowNs += 60 * SECOND;
    assertEquals(100, passing(150, "free"), "which have come back within the minute");
  }

  @Test
  void noWindowHasMoreThanTheLargerPlanWhicheverComesLast() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(500, passing(500, "premium"));
    assertEquals(0, passing(1, "free"));
    assertEquals(500, passing(600, "premium"));
    assertEquals(0, passing(10, "free"));
    assertEquals(0, passing(10, "premium"));
    nowNs += 6 * SECOND;
    assertEquals(0, passing(5, "free"), "a tenth of the free plan came back, or of premium's");
  }

  @Test
  void whatWasUsedStaysUsedOverAReloadThatChangesTheNumbers() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(150, ""));
    use(rule("200/1m", "2000/1m"), USERS);
    assertEquals(1_900, passing(2_000, "premium"));
  }

  @Test
  void aLimitMayGainAndLoseTiers() {
    use(rule("100/1m"), null);
    assertEquals(100, passing(150, ""));
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(0, passing(1, "free"));
    assertEquals(900, passing(1_000, "premium"));
    assertEquals(0, passing(1, "free"));
    use(rule("100/1m"), null);
    assertEquals(0, passing(1, ""));
    nowNs += 60 * SECOND;
    assertEquals(100, passing(150, ""));
  }

  @Test
  void unlimitedIsNotChargedAndNothingComesBackSooner() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(150, ""));
    assertEquals(500, passing(500, "partner"));
    assertEquals(0, passing(1, "free"));
    nowNs += 600_000_000;
    assertEquals(1, passing(10, "free"));
  }

  @Test
  void countsAreTheSameUnderAnotherNumber() {
    for (Algorithm algorithm :
        List.of(
            Algorithm.FIXED_WINDOW,
            Algorithm.SLIDING_COUNTER,
            Algorithm.SLIDING_LOG,
            Algorithm.TOKEN_BUCKET,
            Algorithm.LEAKY_BUCKET)) {
      nowNs += 600 * SECOND;
      use(rule("10/1m", "50/1m").algorithm(algorithm), USERS);
      nowNs += 600 * SECOND;
      assertEquals(10, passing(15, ""), algorithm::toString);
      assertEquals(40, passing(50, "premium"), algorithm::toString);
      assertEquals(0, passing(1, ""), algorithm::toString);
      assertTrue(ask(Operation.PEEK, "partner").allowed());
    }
  }
}
