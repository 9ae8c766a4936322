package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.PlannedRig.SECOND;
import static dev.weir.proxy.admission.PlannedRig.USER;
import static dev.weir.proxy.admission.PlannedRig.USERS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What this node admits while users change their plan. */
class PlannedAdmissionTest {
  private static final Map<String, Amount> PREMIUM = Map.of("premium", Amount.parse("1000/1m"));

  private final PlannedRig rig = new PlannedRig();

  @AfterEach
  void close() {
    rig.close();
  }

  private void use(RuleSpec.Builder rule, UsersSpec whose) {
    rig.use(rule, whose);
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
    return rig.ask(operation, tier);
  }

  private int passing(int count, String tier) {
    return rig.passing(count, tier);
  }

  /** Writes ann's record, of which the sidecar is told. */
  private void write(UserRecord record) {
    rig.recorded.userChanged("ann", rig.set("ann", record));
    rig.run();
    assertEquals(List.of(), rig.laterTasks, "the version was found");
  }

  private static UserOverride twice(long untilMs) {
    return new UserOverride(Instant.ofEpochMilli(untilMs), "launch", null, Map.of(), 2000);
  }

  /** Example 6 of the design. */
  @Test
  void anOverrideThatDoublesTheDayBitesAtItsEnd() {
    use(rule("10000/1d").algorithm(Algorithm.FIXED_WINDOW), USERS);
    long endMs = Users.unixMs(rig.nowNs) + 3_600_000;
    assertEquals(9_990, passing(9_990, ""));
    write(UserRecord.EMPTY.withOverride(twice(endMs)));
    assertEquals(10_010, ask(Operation.PEEK, "").remaining());
    assertEquals(2_010, passing(2_010, ""));
    assertEquals(8_000, ask(Operation.PEEK, "").remaining());
    rig.nowNs += 3_599 * SECOND;
    assertEquals(1, passing(1, ""));
    rig.nowNs += SECOND;
    assertEquals(0, passing(10, ""), "12,001 of 10,000 are used");
  }

  @Test
  void aRecordIsReadOnceAndSpeaksBeforeTheRequest() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(150, ""));
    assertEquals(0, rig.reads, "there are no records");
    write(UserRecord.EMPTY.withTier("premium"));
    assertEquals(1, rig.reads);
    assertEquals(900, passing(1_000, ""));
    write(UserRecord.EMPTY.withTier("free"));
    assertEquals(0, passing(10, "premium"));
    rig.nowNs += 600 * SECOND;
    assertEquals(100, passing(150, "premium"));
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("300/1m")));
    assertEquals(200, passing(300, "premium"));
    rig.records.clear();
    rig.recorded.allUsersChanged();
    passing(1, "");
    rig.run();
    rig.nowNs += 1_000; // Conversions round up to nanoseconds.
    assertEquals(700, passing(800, "premium"), "by the request's tier again");
    int before = rig.reads;
    passing(10, "");
    rig.run();
    assertEquals(before, rig.reads, "known to have no record");
  }

  /** A store announces a change first, and makes it then. */
  @Test
  void aUserWhomARequestMeetsBetweenAnnouncementAndWriteHasTheNewRecordInTheEnd() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.userChanged("ann", RecordVersion.parse("7-9f3a21bc"));
    assertIsReadAgain();
  }

  @Test
  void aSecretUserWhomARequestMeetsThenHasTheNewRecordInTheEnd() {
    rig.user = "header:x-api-token";
    UsersSpec secret =
        new UsersSpec(KeySpec.parse(rig.user), List.of("free", "premium"), List.of(), "shop");
    use(RuleSpec.builder("r").rate(Rate.parse("100/1m")).tiers(PREMIUM), secret);
    rig.recorded.userChanged("a hash of ann", RecordVersion.parse("7-9f3a21bc"));
    assertIsReadAgain();
  }

  private void assertIsReadAgain() {
    assertEquals(100, ask(Operation.CHECK, "").limit());
    rig.set("ann", UserRecord.EMPTY.withTier("premium"));
    rig.run();
    assertEquals(100, ask(Operation.CHECK, "").limit(), "the change was told before");
    rig.runLater();
    passing(1, "");
    rig.run();
    assertEquals(1_000, ask(Operation.CHECK, "").limit());
    assertEquals(List.of(), rig.laterTasks);
  }

  @Test
  void aChangeOfAllUsersWhileTheyAreToBeForgottenOnceMoreHasThemForgottenAfterIt() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.allUsersChanged();
    rig.recorded.allUsersChanged();
    assertEquals(1, rig.laterTasks.size(), "one waits at a time");
    rig.runLater();
    assertEquals(1, rig.laterTasks.size());
    assertIsReadAgain();
  }

  @Test
  void ofTooManyUsersWhomNobodyHasMetAllAreForgottenOnceMore() {
    use(rule("100/1m", "1000/1m"), USERS);
    for (int i = 0; i < RecordedUsers.MAX_UNMET; i++) {
      rig.recorded.userChanged("user" + i, RecordVersion.parse("7-9f3a21bc"));
    }
    rig.recorded.userChanged("bob", RecordVersion.parse("7-9f3a21bc"));
    rig.recorded.userChanged("ann", RecordVersion.parse("7-9f3a21bc"));
    assertEquals(RecordedUsers.MAX_UNMET + 1, rig.laterTasks.size());
    rig.laterTasks.subList(0, RecordedUsers.MAX_UNMET).forEach(Runnable::run);
    rig.laterTasks.subList(0, RecordedUsers.MAX_UNMET).clear();
    rig.runLater();
    assertIsReadAgain();
  }

  /** An explainer may still have the rules before a reload. */
  @Test
  void whoOnlyLooksGivesTheReaderOfRecordsNoRules() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.usersCounted(1);
    new QuestionRules(rig.reader, rig.users, true, () -> rig.nowNs).use(RuleSet.EMPTY);
    assertTrue(rig.recorded.areThere());
  }

  /** Nobody can count in one step with the records, which are on other servers. */
  @Test
  void aUserKeepsWhatTheRecordSaysThoughTheCountSaysThatThereIsNone() {
    use(rule("100/1m", "1000/1m"), USERS);
    passing(1, "");
    write(UserRecord.EMPTY.withTier("premium"));
    rig.recorded.usersCounted(1);
    rig.recorded.usersCounted(0);
    rig.recorded.allUsersChanged();
    rig.recorded.usersCounted(-1);
    passing(1, "");
    rig.run();
    assertEquals(999, ask(Operation.PEEK, "").remaining(), 1, "premium");
  }

  @Test
  void aChangeThatIsAnnouncedWhileItsServerIsAwayIsReadOnceThatAnswers() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.usersCounted(1);
    passing(1, "");
    rig.run();
    rig.isAway = true;
    RecordVersion version = RecordVersion.parse("7-9f3a21bc");
    rig.recorded.userChanged("ann", version);
    for (int look = 0; look < 4; look++) {
      rig.runLater();
      rig.nowNs += SECOND;
    }
    assertEquals(List.of(), rig.laterTasks, "nobody waits for ever");
    rig.isAway = false;
    RecordName name = new RecordName(RecordName.Kind.USER, "ann");
    String json = UserRecord.EMPTY.withTier("premium").toJson();
    rig.records.put("ann", new StoredRecord(name, version, json));
    passing(1, "");
    rig.run();
    assertEquals(998, ask(Operation.PEEK, "").remaining(), 10, "premium");
  }

  private static final UsersSpec WITHOUT_TIERS =
      new UsersSpec(KeySpec.parse(USER), List.of(), List.of(), "shop");

  /** Removes ann's record, of which the sidecar is told. */
  private void remove() {
    rig.records.clear();
    rig.recorded.allUsersChanged();
    rig.runLater();
    assertEquals(List.of(), rig.laterTasks, "forgotten once more");
    passing(1, "");
    rig.run();
  }

  @Test
  void recordsDecideWhereThereAreNoTiersAndWhatWasUsedStaysUsed() {
    use(rule("100/1m"), WITHOUT_TIERS);
    rig.recorded.usersCounted(1);
    assertEquals(60, passing(60, ""));
    rig.run();
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("1000/1m")));
    assertEquals(940, ask(Operation.PEEK, "").remaining());
    assertEquals(440, passing(440, ""));
    remove();
    assertEquals(0, passing(10, ""), "501 of 100 are used");
    rig.nowNs += 600 * SECOND;
    assertEquals(100, passing(150, ""));
    write(UserRecord.EMPTY.withLimit("r", Amount.parse("1000/1m")));
    assertEquals(900, ask(Operation.PEEK, "").remaining(), "no fresh budget");
  }

  @Test
  void aUserOfWhomNoRequestHasComeIsKnownOnceSomebodyLooks() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.userChanged("ann", rig.set("ann", UserRecord.EMPTY.withTier("premium")));
    rig.run();
    assertEquals(100, ask(Operation.PEEK, "").remaining(), "nobody has read the record");
    rig.recorded.know("ann");
    rig.run();
    assertEquals(1_000, ask(Operation.PEEK, "").remaining());
    rig.recorded.know("bob");
    rig.run();
    rig.records.clear();
    rig.recorded.know("ann");
    rig.run();
    assertEquals(100, ask(Operation.PEEK, "").remaining(), "the first tier");
    assertEquals(100, passing(150, ""));
  }

  @Test
  void whileTheStoreIsAwayAUserHasWhatWasKnownLastAndIsAskedForOnceASecond() {
    use(rule("100/1m", "1000/1m"), USERS);
    passing(1, "");
    write(UserRecord.EMPTY.withTier("premium"));
    rig.isAway = true;
    rig.recorded.allUsersChanged();
    rig.reads = 0;
    for (int i = 0; i < 20; i++) {
      assertTrue(passing(10, "") == 10);
      rig.run();
      rig.nowNs += SECOND / 10;
    }
    assertEquals(2, rig.reads);
    rig.isAway = false;
    rig.nowNs += SECOND;
    passing(1, "");
    rig.run();
    assertEquals(3, rig.reads);
    rig.nowNs += 10 * SECOND;
    passing(1, "");
    rig.run();
    assertEquals(3, rig.reads);
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
    rig.nowNs += 60 * SECOND;
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
    rig.nowNs += 6 * SECOND;
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
    rig.nowNs += 60 * SECOND;
    assertEquals(100, passing(150, ""));
  }

  @Test
  void unlimitedIsNotChargedAndNothingComesBackSooner() {
    use(rule("100/1m", "1000/1m"), USERS);
    assertEquals(100, passing(150, ""));
    assertEquals(500, passing(500, "partner"));
    assertEquals(0, passing(1, "free"));
    rig.nowNs += 600_000_000;
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
      rig.nowNs += 600 * SECOND;
      use(rule("10/1m", "50/1m").algorithm(algorithm), USERS);
      rig.nowNs += 600 * SECOND;
      assertEquals(10, passing(15, ""), algorithm::toString);
      assertEquals(40, passing(50, "premium"), algorithm::toString);
      assertEquals(0, passing(1, ""), algorithm::toString);
      assertTrue(ask(Operation.PEEK, "partner").allowed());
    }
  }

  @Test
  void aThousandOverridesAnHourLeaveNoMorePlansThanAreInUse() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.usersCounted(1);
    passing(1, "");
    for (int i = 0; i < 3_000; i++) {
      rig.nowNs += SECOND;
      long endMs = Users.unixMs(rig.nowNs) + 3_600_000 + i;
      write(UserRecord.EMPTY.withOverride(twice(endMs)));
    }
    assertTrue(rig.users.planCount() < 1_100, () -> rig.users.planCount() + " plans");
    rig.nowNs += 60 * SECOND;
    assertEquals(200, passing(300, ""), "the last one holds");
  }

  @Test
  void aUserWhoseSlotWasTakenIsReadAgain() {
    use(rule("100/1m", "1000/1m"), USERS);
    rig.recorded.usersCounted(1);
    rig.set("ann", UserRecord.EMPTY.withTier("premium"));
    assertEquals(1000, ask(Operation.CHECK, "").limit());
    for (int i = 0; rig.users.forgottenCount() < 4 * rig.users.table().slotCount(); i++) {
      rig.ask(rig.question(Operation.CHECK, "user" + i, ""), (ticket, verdict) -> {});
      rig.run();
    }
    int before = rig.reads;
    assertEquals(1000, ask(Operation.CHECK, "").limit());
    assertEquals(before + 1, rig.reads);
  }
}
