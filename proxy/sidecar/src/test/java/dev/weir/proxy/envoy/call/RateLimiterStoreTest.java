package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.ModelAdmission;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Calls whose limits the store decides on. */
class RateLimiterStoreTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final String TWO =
      """
      domain: d
      descriptors:
        - key: a
          rate_limit: {unit: year, requests_per_unit: 2}
        - key: b
          rate_limit: {unit: year, requests_per_unit: 9}
      """;

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1_000, 4, 0), 0);
  private final LoopMetrics metrics = new Metrics().newLoop();
  private final RateLimitErrors errors = new RateLimitErrors();
  private final ModelServer server = new ModelServer(1);
  private final ModelServer other = new ModelServer(2);
  private ModelStore store;
  private RateLimiter limiter;

  /** What was told of a call: {@code ok} or {@code over}, and what is left of each descriptor. */
  private final List<String> told = new ArrayList<>();

  private void start(String text, ModelServer... servers) {
    start(text, false, StoreNames.DEFAULT, servers);
  }

  private void start(String text, boolean isCluster, StoreNames names, ModelServer... servers) {
    store = new ModelStore(List.of(servers), List.of(), isCluster, metrics.store(), DEADLINE_NS);
    Topology topology = isCluster ? Topology.CLUSTER : Topology.STANDALONE;
    limiter =
        LimiterRig.of(
            ModelAdmission.withoutRules(store, topology, DEADLINE_NS, tables, metrics, names),
            metrics,
            errors,
            store.clock(),
            0,
            RateLimitAnswers.DEFAULT);
    limiter.prepare(null, Configurations.exact(text)).run();
  }

  @AfterEach
  void close() {
    store.close();
    tables.close();
  }

  private void ask(Call call) {
    RateLimitVerdict asked = ask(call.get());
    if (!asked.isOpen()) {
      told.add("at once " + text(asked));
    }
    store.run();
  }

  private RateLimitVerdict ask(RateLimitCall call) {
    return limiter.ask(call, (whose, late) -> told.add(text(late)), null, store.clock().nowNs());
  }

  private static String text(RateLimitVerdict verdict) {
    if (verdict.fault() != null) {
      return verdict.fault().toString();
    }
    StringBuilder text = new StringBuilder(verdict.isOverLimit() ? "over" : "ok");
    for (int i = 0; i < verdict.count(); i++) {
      DescriptorStatus status = verdict.status(i);
      text.append(' ').append(status.isOver() ? "!" : "").append(status.remaining());
    }
    return text.toString();
  }

  private static Call both() {
    return Call.to("d").descriptor("a=1").descriptor("b=1");
  }

  private void assertTold(String... what) {
    assertEquals(List.of(what), told);
    told.clear();
  }

  @Test
  void asksForAllDescriptorsOfACallInOneCallOfTheStore() {
    start(TWO, server);
    ask(both());
    assertEquals(1, server.pendingCount());
    assertTold();
    server.answer();
    assertTold("ok 1 8");
    assertEquals(0, server.pendingCount());
  }

  @Test
  void countsRefusedHitsAndThoseOfOtherDescriptors() {
    start(TWO, server);
    for (int i = 0; i < 4; i++) {
      ask(both());
      server.answer();
    }
    assertTold("ok 1 8", "ok 0 7", "over !0 6", "over !0 5");
    assertEquals(Set.of(4L), Set.copyOf(server.charges().values()));
  }

  @Test
  void sharesAnEntryOfTheBatchAmongCallsThatCountTheSame() {
    start(TWO, server);
    ask(Call.to("d").descriptor("b=0"));
    ask(both());
    ask(both());
    ask(Call.to("d").descriptor("a=1").hits(2));
    ask(both());
    server.answer();
    assertEquals(1, server.pendingCount());
    server.answer();
    assertEquals("ok 8", told.get(0));
    List<String> later = told.subList(1, told.size());
    assertTrue(later.containsAll(List.of("ok 1 8", "ok 0 7")), told.toString());
    assertEquals(2, later.stream().filter(one -> one.startsWith("over")).count());
  }

  @Test
  void looksWithoutTakingAnything() {
    start(TWO, server);
    ask(Call.to("d").descriptor("a=1").hits(3));
    server.answer();
    ask(Call.to("d").descriptor("a=1").hitsOfDescriptor(0));
    server.answer();
    ask(Call.to("d").descriptor("b=1").hitsOfDescriptor(0));
    server.answer();
    assertTold("over !0", "over !0", "ok 9");
  }

  /** As a rule's door does: the store is not asked what it has just said. */
  @Test
  void refusesHereWhatTheStoreHasJustRefused() {
    start(TWO.replaceFirst("\n", "\nweir: {refused-hits: spare}\n"), server);
    for (int i = 0; i < 3; i++) {
      ask(Call.to("d").descriptor("a=1"));
      server.answer();
    }
    assertTold("ok 1", "ok 0", "over !0");
    int asked = server.executed().size();
    for (int i = 0; i < 20; i++) {
      ask(Call.to("d").descriptor("a=1"));
      answerAll();
    }
    assertEquals(0, server.executed().size() - asked, "questions to the store, of 20 calls");
    assertEquals(Set.of("at once over !0"), Set.copyOf(told));
  }

  @Test
  void decidesByUnitsThatTheStoreGrantedAheadWhereTheFileSaysSo() {
    start(
        """
        domain: d
        weir: {mode: leased, refused-hits: spare}
        descriptors:
          - key: a
            rate_limit: {unit: minute, requests_per_unit: 100000}
        """,
        server);
    int calls = 1_000;
    for (int i = 0; i < calls; i++) {
      ask(Call.to("d").descriptor("a=1"));
      answerAll();
      store.pass(TimeUnit.MICROSECONDS.toNanos(100));
    }
    assertEquals(calls, told.stream().filter(one -> one.contains("ok ")).count());
    int asked = server.executed().size();
    assertTrue(asked < calls / 4, asked + " questions to the store");
  }

  @Test
  void answersAtOnceWhereNothingIsCharged() {
    start(TWO, server);
    ask(Call.to("d").descriptor("c=1"));
    ask(Call.to("e").descriptor("a=1"));
    assertTold("at once ok 0", "at once ok 0");
    assertEquals(0, server.pendingCount());
  }

  @Test
  void saysThatThereIsNoDecisionWhereTheStoreGivesNone() {
    start(TWO, server);
    ask(both());
    store.pass(DEADLINE_NS);
    assertTold("STORE");
    while (server.pendingCount() > 0) { // too late, and it goes back
      server.answer();
      store.run();
    }
    assertEquals(0, server.charges().values().stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void saysThatThereIsNoDecisionWhereTheStoreIsNotThere() {
    start(TWO, server);
    server.opensAtOnce = false;
    server.lose(false);
    store.run();
    ask(both());
    assertTold("at once STORE");
  }

  @Test
  void decidesOnDescriptorsOfSeveralServers() {
    start(TWO, server, other);
    for (int i = 0; i < 20; i++) {
      ask(Call.to("d").descriptor("a=" + i).descriptor("b=" + i));
      while (server.pendingCount() + other.pendingCount() > 0) {
        if (server.pendingCount() > 0) {
          server.answer();
        } else {
          other.answer();
        }
      }
    }
    assertEquals(20, told.stream().filter(one -> one.equals("ok 1 8")).count());
    assertTrue(server.charges().size() > 0 && other.charges().size() > 0);
  }

  private static String allOrNothing(String text) {
    return "domain: d\nweir: {all-or-nothing: true}\n" + text.substring(text.indexOf("desc"));
  }

  private void answerAll() {
    while (server.pendingCount() + other.pendingCount() > 0) {
      (server.pendingCount() > 0 ? server : other).answer();
      store.run();
    }
  }

  private List<String> refunds() {
    return Stream.of(server, other)
        .flatMap(each -> each.executed().stream())
        .filter(one -> one.startsWith("refund"))
        .toList();
  }

  @Test
  void takesAllOrNothingInOneCheckWhereTheDomainSaysSo() {
    start(allOrNothing(TWO), server);
    for (int i = 0; i < 3; i++) {
      ask(both());
      assertEquals(1, server.pendingCount());
      server.answer();
    }
    assertTold("ok 1 8", "ok 0 7", "over !0 7");
    assertEquals(Set.of(2L), Set.copyOf(server.charges().values()));
    assertEquals(List.of(), refunds());
    ask(Call.to("d").descriptor("a=1").hitsOfDescriptor(0).descriptor("b=1").hitsOfDescriptor(3));
    answerAll();
    assertTold("over !0 7"); // a look that is over refuses the call, and b goes back
    ask(Call.to("d").descriptor("c=1").descriptor("b=1").hitsOfDescriptor(7));
    answerAll();
    assertTold("ok 0 0");
  }

  /** What the others of a refused call are told is what is left without it. */
  @Test
  void tellsOfEachOfARefusedCallWhetherItWouldHavePassed() {
    start(allOrNothing(TWO), server);
    ask(Call.to("d").descriptor("a=1").hitsOfDescriptor(3).descriptor("b=1").hitsOfDescriptor(10));
    ask(Call.to("d").descriptor("b=1").hitsOfDescriptor(9).descriptor("a=1").hitsOfDescriptor(3));
    answerAll();
    assertTold("over !0 !0", "over 9 !0");
    assertEquals(0, server.charges().values().stream().mapToLong(Long::longValue).sum());
  }

  @Test
  void givesBackWhatARefusedCallHasTakenOfSeveralServers() {
    start(allOrNothing(TWO), server, other);
    for (int i = 0; i < 20; i++) {
      Call call = Call.to("d").descriptor("a=" + i).descriptor("b=" + i);
      for (int tries = 0; tries < 3; tries++) {
        ask(call);
        answerAll();
      }
      assertTold("ok 1 8", "ok 0 7", "over !0 7");
    }
    assertTrue(
        refunds().size() > 0 && refunds().size() < 20, "some are of one server, some of two");
    assertEquals(Set.of(2L), Set.copyOf(server.charges().values()));
    assertEquals(Set.of(2L), Set.copyOf(other.charges().values()));
  }

  @Test
  void takesOneByOneWhatOneCheckCannotHave() {
    start(allOrNothing(TWO), server);
    ask(both().descriptor("b=1"));
    answerAll();
    assertTold("ok 1 8 7");
    Call many = Call.to("d").descriptor("a=2").hitsOfDescriptor(3);
    for (int i = 0; i < 8; i++) {
      many.descriptor("b=2" + i);
    }
    ask(many);
    answerAll();
    assertTold("over !0 9 9 9 9 9 9 9 9");
    assertEquals(8, refunds().size());
  }

  @Test
  void takesAllOrNothingOfLimitsThatAreLeased() {
    start(
        """
        domain: d
        weir: {all-or-nothing: true, mode: leased, refused-hits: spare}
        descriptors:
          - key: a
            rate_limit: {unit: day, requests_per_unit: 2}
          - key: b
            rate_limit: {unit: day, requests_per_unit: 9}
        """,
        server);
    for (int i = 0; i < 3; i++) {
      ask(both());
      answerAll();
    }
    assertTold("ok 1 8", "ok 0 7", "over !0 7");
    assertEquals(Set.of(2L), Set.copyOf(server.charges().values()));
    ask(Call.to("d").descriptor("a=1"));
    answerAll();
    assertTold("at once over !0"); // as the store has just refused it
  }

  @Test
  void givesBackWhatWasTakenTogetherTooLate() {
    start(allOrNothing(TWO), server);
    ask(both());
    store.pass(DEADLINE_NS);
    assertTold("STORE");
    answerAll();
    assertEquals(0, server.charges().values().stream().mapToLong(Long::longValue).sum());
  }

  /** A shadow's refusal refuses nothing: it is taken by itself, and goes back with the call. */
  @Test
  void takesAShadowByItself() {
    start(
        allOrNothing(TWO)
            + "  - key: s\n    shadow_mode: true\n"
            + "    rate_limit: {unit: year, requests_per_unit: 1}\n",
        server);
    Call call = both().descriptor("s=1");
    for (int i = 0; i < 3; i++) {
      ask(call);
      answerAll();
    }
    assertTold("ok 1 8 0", "ok 0 7 0", "over !0 7 0");
    assertEquals(List.of(), refunds());
  }

  @Test
  void decidesHereWhereTheFileSaysSo() {
    start(
        """
        domain: d
        descriptors:
          - key: a
            weir: {mode: local}
            rate_limit: {unit: year, requests_per_unit: 2}
        """,
        server);
    ask(Call.to("d").descriptor("a=1"));
    assertTold("at once ok 1");
  }

  @Test
  void namesBudgetsByDomainKeysValuesAndUnit() {
    start(TWO, false, new StoreNames("shop", false, Set.of(), ""), server);
    ask(Call.to("d").descriptor("a=x:y"));
    server.answer();
    String name = server.executed().get(0);
    assertTrue(name.matches("check \\[rl:\\{p\\d{3}}:descriptor:d\\+a=x%3Ay:shop:year]"), name);
  }

  @Test
  void namesTheBudgetOfASharedThresholdByItsPattern() {
    start(
        """
        domain: d
        descriptors:
          - key: a
            value: x*
            share_threshold: true
            rate_limit: {unit: week, requests_per_unit: 2}
        """,
        server);
    ask(Call.to("d").descriptor("a=xy"));
    server.answer();
    String name = server.executed().get(0);
    assertTrue(name.matches("check \\[rl:\\{p\\d{3}}:descriptor:d\\+a=x%2A\\*:week]"), name);
  }

  @Test
  void hashesANameThatWouldBeTooLong() {
    start(TWO, server);
    ask(Call.to("d").descriptor("a=" + "x".repeat(5_000)));
    server.answer();
    ask(Call.to("d").descriptor("a=" + "x".repeat(4_999) + "y"));
    server.answer();
    assertTold("ok 1", "ok 1");
    String name = server.executed().get(0);
    assertTrue(name.matches("check \\[rl:\\{p\\d{3}}:descriptor:#[0-9a-f]{32}:year]"), name);
  }

  @Test
  void keepsNoMoreThanSoManyDescriptorsThatWait() {
    start(TWO, server);
    RateLimitCall waiting = both().get();
    int most = 16 * 1024 / 2;
    for (int i = 0; i < most; i++) {
      assertTrue(ask(waiting).isOpen());
    }
    RateLimitVerdict refused = ask(waiting);
    assertFalse(refused.isOpen());
    assertEquals(RateLimitVerdict.Fault.BUSY, refused.fault());
    while (server.pendingCount() > 0) {
      server.answer();
      store.run();
    }
    assertEquals(most, told.size());
    told.clear();
    ask(Call.to("d").descriptor("b=2"));
    server.answer();
    assertTold("ok 8");
  }

  /** Asks so many calls that all wait, and ends them; returns the objects of their verdicts. */
  private Set<RateLimitVerdict> waiting(int count, RateLimitCall call) {
    Set<RateLimitVerdict> verdicts = Collections.newSetFromMap(new IdentityHashMap<>());
    for (int i = 0; i < count; i++) {
      RateLimitVerdict verdict = ask(call);
      assertTrue(verdict.isOpen());
      verdicts.add(verdict);
    }
    answerAll();
    return verdicts;
  }

  @Test
  void keepsTheMemoryOfAThousandCallsThatWaited() {
    start(TWO, server);
    Set<RateLimitVerdict> kept = waiting(1_000, both().get());
    kept.retainAll(waiting(1_000, both().get()));
    assertEquals(1_000, kept.size());
  }

  @Test
  void keepsTheMemoryOfFewerCallsWithManyDescriptorsThatWaited() {
    start(TWO, server);
    Call many = both();
    for (int i = 0; i < 7; i++) {
      many.descriptor("c=1");
    }
    Set<RateLimitVerdict> kept = waiting(300, many.get());
    kept.retainAll(waiting(300, many.get()));
    assertEquals(256, kept.size());
  }

  /** The last descriptor's texts are behind the call's bytes: nothing else fails in reading one. */
  @Test
  void aCallThatFailsLeavesNoPlaceTaken() {
    start(TWO, server);
    RateLimitCall broken = both().get();
    broken.descriptor();
    broken.entry(1_000, 1, 1_000, 1);
    for (int i = 0; i < 1_000; i++) {
      assertThrows(IndexOutOfBoundsException.class, () -> ask(broken));
    }
    while (server.pendingCount() > 0) {
      server.answer();
      store.run();
    }
    assertTold();
    ask(Call.to("d").descriptor("b=2"));
    server.answer();
    assertTold("ok 8");
  }

  @Test
  void aCallWhoseClientHasLeftStaysCharged() {
    start(TWO, server);
    ask(both().get()).leave();
    server.answer();
    assertTold();
    assertFalse(server.charges().isEmpty());
  }
}
