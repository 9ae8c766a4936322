package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.control.LimitHeaders;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.DescriptorCounters.Outcome;
import dev.weir.proxy.metrics.DescriptorNames;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a call gets, a test for each rule of envoyproxy/ratelimit, decided by this node. */
class RateLimiterTest {
  private static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1_000, 4, 0), 0);
  private final Metrics allMetrics = new Metrics();
  private final LoopMetrics metrics = allMetrics.newLoop();
  private final RateLimitErrors errors = new RateLimitErrors();
  private long nowNs = 365L * 7 * 30 * 86_400 * SECOND_NS / 210;
  private final LoopClock clock = new LoopClock(() -> nowNs);
  private final RateLimiter limiter = LimiterRig.local(tables, metrics, errors, clock);

  private RateLimitConfiguration used;

  @AfterEach
  void free() {
    tables.close();
  }

  private void use(String... texts) {
    RateLimitConfiguration next = Configurations.localAfter(used, texts);
    next.succeed();
    limiter.prepare(used, next).run();
    next.completeAdoption();
    used = next;
  }

  /** Uses a domain {@code d} of such descriptors, as YAML's flow has them. */
  private void nodes(String... nodes) {
    use("domain: d\ndescriptors:\n  - {" + String.join("}\n  - {", nodes) + "}\n");
  }

  private RateLimitVerdict ask(Call call) {
    clock.tick();
    return limiter.ask(call.get(), null, null, nowNs);
  }

  private RateLimitVerdict ask(String... descriptors) {
    Call call = Call.to("d");
    Arrays.stream(descriptors).forEach(call::descriptor);
    return ask(call);
  }

  private void passes(int times, String... descriptors) {
    for (int i = 0; i < times; i++) {
      assertFalse(ask(descriptors).isOverLimit(), "call " + (i + 1));
    }
  }

  private long count(Outcome outcome, String... names) {
    long[] count = {0};
    allMetrics.forEachDescriptor(
        (of, counters) -> count[0] += of.equals(List.of(names)) ? counters.count(outcome) : 0);
    return count[0];
  }

  @Test
  void refusesWhatIsOverTheLimit() {
    nodes("key: k, rate_limit: {unit: minute, requests_per_unit: 2}");
    passes(2, "k=v");
    RateLimitVerdict verdict = ask("k=v");
    assertTrue(verdict.isOverLimit() && verdict.status(0).isOver());
    assertEquals(0, verdict.status(0).remaining());
    passes(2, "k=w");
  }

  @Test
  void saysWhatIsLeftAndUntilWhen() {
    nodes("key: k, rate_limit: {unit: hour, requests_per_unit: 5, name: five}");
    nowNs += 100 * SECOND_NS + 1;
    RateLimitVerdict verdict = ask("k=v");
    assertEquals(LimitUnit.HOUR, verdict.status(0).unit());
    assertEquals(5, verdict.status(0).requestsPerUnit());
    assertEquals("five", verdict.status(0).name());
    assertEquals(4, verdict.status(0).remaining());
    assertEquals(3_500 * SECOND_NS, verdict.status(0).resetNs());
  }

  @Test
  void answersEachDescriptorInTheOrderOfTheCall() {
    nodes(
        "key: a, rate_limit: {unit: day, requests_per_unit: 1}",
        "key: b, rate_limit: {unit: day, requests_per_unit: 9}");
    passes(1, "b=1", "none=1", "a=1");
    RateLimitVerdict verdict = ask("b=1", "none=1", "a=1");
    assertEquals(3, verdict.count());
    assertEquals(7, verdict.status(0).remaining());
    assertNull(verdict.status(1).unit());
    assertFalse(verdict.status(0).isOver() || verdict.status(1).isOver());
    assertTrue(verdict.status(2).isOver() && verdict.isOverLimit());
  }

  @Test
  void passesWhatIsOfNoDomainInAFile() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 0}");
    RateLimitVerdict verdict = ask(Call.to("e").descriptor("k=v").descriptor("l=v"));
    assertEquals(2, verdict.count());
    assertFalse(verdict.isOverLimit());
    assertNull(verdict.status(0).unit());
    assertEquals(1, errors.ofDomain.sum());
  }

  @Test
  void saysOfTheUnlimitedThatAllIsLeft() {
    nodes("key: k, rate_limit: {unlimited: true}");
    RateLimitVerdict verdict = ask("k=v");
    assertNull(verdict.status(0).unit());
    assertEquals(4_294_967_295L, verdict.status(0).remaining());
  }

  @Test
  void letsNothingPassOfALimitOfZero() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 0}");
    assertTrue(ask("k=v").isOverLimit());
    assertFalse(ask(Call.to("d").descriptor("k=v2").hitsOfDescriptor(0)).isOverLimit());
  }

  @Test
  void passesANodeWithoutLimitAndChildren() {
    nodes("key: k, value: v", "key: k, rate_limit: {unit: day, requests_per_unit: 0}");
    assertFalse(ask("k=v").isOverLimit());
    assertTrue(ask("k=w").isOverLimit());
  }

  @Test
  void matchesOnlyWhereTheDepthIsThatOfTheFile() {
    use(
        """
        domain: d
        descriptors:
          - key: a
            rate_limit: {unit: day, requests_per_unit: 0}
            descriptors:
              - key: b
                rate_limit: {unit: day, requests_per_unit: 0}
        """);
    assertTrue(ask("a=1").isOverLimit());
    assertTrue(ask("a=1 b=2").isOverLimit());
    assertFalse(ask("a=1 b=2 c=3").isOverLimit());
    assertFalse(ask("b=2").isOverLimit());
    assertFalse(ask("a=1 c=2").isOverLimit());
    assertFalse(ask("").isOverLimit());
  }

  @Test
  void triesTheValueThenWildcardsInTheFilesOrderThenTheKey() {
    nodes(
        "key: k, rate_limit: {unit: day, requests_per_unit: 1, name: key}",
        "key: k, value: ab*, rate_limit: {unit: day, requests_per_unit: 1, name: first}",
        "key: k, value: abc*, rate_limit: {unit: day, requests_per_unit: 1, name: second}",
        "key: k, value: abcd, rate_limit: {unit: day, requests_per_unit: 1, name: exact}",
        "key: any*, rate_limit: {unit: day, requests_per_unit: 1, name: keys}");
    assertEquals("exact", ask("k=abcd").status(0).name());
    assertEquals("first", ask("k=abce").status(0).name());
    assertEquals("first", ask("k=ab").status(0).name());
    assertEquals("key", ask("k=a").status(0).name());
    assertEquals("key", ask("k=").status(0).name());
    assertEquals("keys", ask("anything=x").status(0).name());
    assertNull(ask("l=abcd").status(0).unit());
  }

  @ParameterizedTest
  @CsvSource({
    "/api/*/export, /api/v1/export, /api/v1/exports",
    "/api/*/export, /api/a/b/export, /api/export",
    "*.example.com, eu.example.com, example.com",
    "*/admin/*, /a/admin/b, /a/admin",
    "a*b*c, a-b-c, a-c-b",
    "aba*aba, ababaaba, ababa",
    "a*ab*b, aabb, aab",
    "x*, x, y",
    "*, anything, ",
  })
  void takesAStarAnywhereForAnyText(String pattern, String like, String unlike) {
    nodes("key: k, value: '" + pattern + "', rate_limit: {unit: day, requests_per_unit: 1}");
    passes(1, "k=" + like);
    assertTrue(ask("k=" + like).isOverLimit());
    if (unlike != null) {
      passes(2, "k=" + unlike);
    }
  }

  @Test
  void takesAStarAnywhereInAKeyWithoutAValue() {
    nodes("key: x-*-id, rate_limit: {unit: day, requests_per_unit: 1}");
    passes(1, "x-user-id=7");
    assertTrue(ask("x-user-id=7").isOverLimit());
    passes(2, "x-id=7");
  }

  @Test
  void countsAllValuesOfASharedThresholdTogetherWhereverItsStarsAre() {
    nodes(
        "key: k, value: '*/export/*', share_threshold: true,"
            + " rate_limit: {unit: day, requests_per_unit: 2}");
    passes(1, "k=/a/export/1");
    passes(1, "k=/b/export/2");
    assertTrue(ask("k=/c/export/3").isOverLimit());
    passes(2, "k=/c/import/3");
  }

  @Test
  void countsEachValueOfAWildcardApart() {
    nodes("key: k, value: a*, rate_limit: {unit: day, requests_per_unit: 1}");
    passes(1, "k=a1");
    passes(1, "k=a2");
    assertTrue(ask("k=a1").isOverLimit());
  }

  @Test
  void countsAllValuesOfASharedThresholdTogether() {
    use(
        """
        domain: d
        descriptors:
          - key: k
            value: a*
            share_threshold: true
            descriptors:
              - key: u
                rate_limit: {unit: day, requests_per_unit: 2}
        """);
    passes(1, "k=a1 u=1");
    passes(1, "k=a2 u=1");
    assertTrue(ask("k=a3 u=1").isOverLimit());
    passes(1, "k=a1 u=2");
  }

  @Test
  void countsDescriptorsApartWhoseTextsJoinedAreTheSame() {
    nodes(
        "key: a, rate_limit: {unit: day, requests_per_unit: 1}",
        "key: a_b, rate_limit: {unit: day, requests_per_unit: 1}");
    passes(1, "a=b_c");
    passes(1, "a_b=c");
    assertTrue(ask("a=b_c").isOverLimit());
  }

  @Test
  void takesTheCallsHitsAndADescriptorsOwn() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 10}");
    assertEquals(7, ask(Call.to("d").hits(3).descriptor("k=v")).status(0).remaining());
    assertEquals(6, ask(Call.to("d").hits(0).descriptor("k=v")).status(0).remaining());
    RateLimitVerdict verdict =
        ask(Call.to("d").hits(3).descriptor("k=v").hitsOfDescriptor(5).descriptor("k=w"));
    assertEquals(1, verdict.status(0).remaining());
    assertEquals(7, verdict.status(1).remaining());
  }

  @Test
  void looksAndTakesNothingWhereADescriptorSaysNoHits() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 2}");
    Call peek = Call.to("d").descriptor("k=v").hitsOfDescriptor(0);
    assertEquals(2, ask(peek).status(0).remaining());
    passes(2, "k=v");
    RateLimitVerdict verdict = ask(peek);
    assertFalse(verdict.isOverLimit());
    assertEquals(0, verdict.status(0).remaining());
  }

  @Test
  void remembersAReportPastTheLimitForThePeekBehindIt() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 2}");
    Call peek = Call.to("d").descriptor("k=v").hitsOfDescriptor(0);
    assertTrue(ask(Call.to("d").descriptor("k=v").hitsOfDescriptor(3)).isOverLimit());
    assertTrue(ask(peek).isOverLimit());
    nowNs += TimeUnit.DAYS.toNanos(1);
    assertFalse(ask(peek).isOverLimit());
  }

  @Test
  void sparesRefusedHitsWhereTheFileSaysSo() {
    nodes("key: k, weir: {refused-hits: spare}, rate_limit: {unit: day, requests_per_unit: 5}");
    assertTrue(ask(Call.to("d").hits(6).descriptor("k=v")).isOverLimit());
    RateLimitVerdict verdict = ask(Call.to("d").hits(4).descriptor("k=v"));
    assertEquals(1, verdict.status(0).remaining());
  }

  @Test
  void letsOneHitBePastTheHighestCountThatThereIs() {
    nodes("key: k, rate_limit: {unit: second, requests_per_unit: 4294967295}");
    Call call = Call.to("d").descriptor("k=v").hitsOfDescriptor(-1);
    assertTrue(ask(call).isOverLimit());
    assertTrue(ask("k=v").isOverLimit());
    nowNs += SECOND_NS;
    passes(1, "k=v");
  }

  @Test
  void takesALimitThatTheCallBringsAlong() {
    nodes("key: k, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 9}");
    Call one = Call.to("d").descriptor("k=v").limit(1, LimitUnit.HOUR);
    assertFalse(ask(one).isOverLimit());
    RateLimitVerdict verdict = ask(one);
    assertTrue(verdict.isOverLimit());
    assertEquals(1, verdict.status(0).requestsPerUnit());
    assertEquals(LimitUnit.HOUR, verdict.status(0).unit());
    assertEquals("", verdict.status(0).name());
    assertFalse(ask(Call.to("e").descriptor("k=v").limit(0, LimitUnit.DAY)).isOverLimit());
  }

  @Test
  void keepsTheCountUnderTheLimitThatACallBringsAlong() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 3}");
    passes(2, "k=v");
    RateLimitVerdict more = ask(Call.to("d").descriptor("k=v").limit(10, LimitUnit.DAY));
    assertEquals(7, more.status(0).remaining());
    assertTrue(ask("k=v").isOverLimit());
  }

  @Test
  void keepsTheCountThroughAReload() {
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 3}");
    passes(3, "k=v");
    nodes("key: k, rate_limit: {unit: day, requests_per_unit: 5}");
    assertEquals(1, ask("k=v").status(0).remaining());
  }

  @Test
  void aChangedLimitGivesNobodyAFreshBudget() {
    nodes("key: k, weir: {algorithm: gcra}, rate_limit: {unit: hour, requests_per_unit: 5}");
    passes(5, "k=v");
    nodes("key: k, weir: {algorithm: gcra}, rate_limit: {unit: hour, requests_per_unit: 6}");
    passes(1, "k=v");
    assertTrue(ask("k=v").isOverLimit());
    nodes(
        "key: k, weir: {algorithm: sliding-counter}, rate_limit: {unit: hour, requests_per_unit:"
            + " 7}");
    passes(1, "k=v");
    assertTrue(ask("k=v").isOverLimit());
    passes(7, "k=w");
  }

  @Test
  void passesAllInShadowModeAndCountsWhatItWouldRefuse() {
    nodes("key: k, shadow_mode: true, rate_limit: {unit: day, requests_per_unit: 1}");
    passes(1, "k=v");
    RateLimitVerdict verdict = ask("k=v");
    assertFalse(verdict.isOverLimit() || verdict.status(0).isOver());
    assertEquals(0, verdict.status(0).remaining());
    assertEquals(1, count(Outcome.SHADOW_MODE, "d", "k"));
    assertEquals(1, count(Outcome.OVER_LIMIT, "d", "k"));
  }

  @Test
  void refusesByQuotasOnlyIfAllOfThemAreOver() {
    nodes(
        "key: q, quota_mode: true, rate_limit: {unit: day, requests_per_unit: 1}",
        "key: r, quota_mode: true, rate_limit: {unit: day, requests_per_unit: 2}",
        "key: n, rate_limit: {unit: day, requests_per_unit: 3}");
    passes(1, "q=1", "r=1", "n=1");
    RateLimitVerdict one = ask("q=1", "r=1", "n=1");
    assertTrue(one.status(0).isOver());
    assertFalse(one.isOverLimit());
    assertTrue(ask("q=1", "r=1", "n=1").isOverLimit());
    assertTrue(ask("n=1", "r=2").isOverLimit());
  }

  @Test
  void looksAtNoLimitThatAnotherReplaces() {
    nodes(
        "key: a, rate_limit: {unit: day, requests_per_unit: 0, name: general}",
        "key: b, rate_limit: {unit: day, requests_per_unit: 5, replaces: [{name: general}]}");
    assertTrue(ask("a=1").isOverLimit());
    RateLimitVerdict verdict = ask("a=1", "b=1");
    assertFalse(verdict.isOverLimit());
    assertNull(verdict.status(0).unit());
    assertEquals(4, verdict.status(1).remaining());
  }

  @ParameterizedTest
  @CsvSource({
    "SECOND, 1",
    "MINUTE, 60",
    "HOUR, 3600",
    "DAY, 86400",
    "WEEK, 604800",
    "MONTH, 2592000",
    "YEAR, 31536000"
  })
  void countsInWindowsFromTheEpoch(LimitUnit unit, long seconds) {
    nodes("key: k, rate_limit: {unit: " + unit + ", requests_per_unit: 1}");
    nowNs = 3 * seconds * SECOND_NS - 1;
    assertEquals(SECOND_NS, ask("k=v").status(0).resetNs());
    assertTrue(ask("k=v").isOverLimit());
    nowNs++;
    RateLimitVerdict verdict = ask("k=v");
    assertFalse(verdict.isOverLimit());
    assertEquals(seconds * SECOND_NS, verdict.status(0).resetNs());
  }

  @Test
  void takesNothingOfARefusedCallWhereTheDomainSaysSo() {
    use(
        """
        domain: d
        weir: {all-or-nothing: true}
        descriptors:
          - key: a
            rate_limit: {unit: day, requests_per_unit: 5}
          - key: b
            rate_limit: {unit: day, requests_per_unit: 1}
        """);
    passes(1, "a=1", "b=1");
    RateLimitVerdict refused = ask("a=1", "b=1");
    assertTrue(refused.isOverLimit());
    assertEquals(4, refused.status(0).remaining());
    assertEquals(3, ask("a=1").status(0).remaining());
  }

  /** The call passes, as one of its limits is not over: so what it takes of that counts. */
  @Test
  void takesOfEachThatHasRoomWhereAllLimitsAreQuotas() {
    RateLimiter quotas =
        LimiterRig.of(
            LimiterRig.admission(tables, metrics, clock),
            metrics,
            errors,
            clock,
            0,
            new RateLimitAnswers(LimitHeaders.OFF, false, true));
    quotas
        .prepare(
            null,
            Configurations.local(
                """
                domain: d
                weir: {all-or-nothing: true}
                descriptors:
                  - key: a
                    rate_limit: {unit: day, requests_per_unit: 1}
                  - key: b
                    rate_limit: {unit: day, requests_per_unit: 3}
                """))
        .run();
    clock.tick();
    RateLimitCall both = Call.to("d").descriptor("a=1").descriptor("b=1").get();
    for (int i = 0; i < 3; i++) {
      RateLimitVerdict verdict = quotas.ask(both, null, null, nowNs);
      assertFalse(verdict.isOverLimit(), "call " + (i + 1));
      assertEquals(2 - i, verdict.status(1).remaining());
    }
    assertTrue(quotas.ask(both, null, null, nowNs).isOverLimit());
  }

  @Test
  void decidesByAnotherAlgorithmWhereTheFileSaysSo() {
    nodes(
        "key: k, weir: {algorithm: gcra, burst: 2},"
            + " rate_limit: {unit: minute, requests_per_unit: 60}");
    passes(2, "k=v");
    RateLimitVerdict refused = ask("k=v");
    assertTrue(refused.isOverLimit());
    assertEquals(SECOND_NS, refused.status(0).resetNs());
    nowNs += SECOND_NS;
    passes(1, "k=v");
  }

  @Test
  void countsHitsAsDashboardsHaveThem() {
    nodes("key: k, value: v, rate_limit: {unit: day, requests_per_unit: 10}");
    ask(Call.to("d").hits(9).descriptor("k=v"));
    ask(Call.to("d").hits(3).descriptor("k=v"));
    ask(Call.to("d").hits(2).descriptor("k=v"));
    assertEquals(14, count(Outcome.TOTAL_HITS, "d", "k_v"));
    assertEquals(9, count(Outcome.WITHIN_LIMIT, "d", "k_v"));
    assertEquals(2 + 2, count(Outcome.OVER_LIMIT, "d", "k_v"));
    assertEquals(1 + 1, count(Outcome.NEAR_LIMIT, "d", "k_v"));
  }

  @Test
  void namesFiguresByValuesWhereTheFileSaysSo() {
    use(
        """
        domain: d
        descriptors:
          - key: plain
            rate_limit: {unit: day, requests_per_unit: 9}
          - key: detailed
            detailed_metric: true
            rate_limit: {unit: day, requests_per_unit: 9}
          - key: top
            descriptors:
              - key: valued
                value_to_metric: true
                rate_limit: {unit: day, requests_per_unit: 9}
          - key: shared
            value: s*
            share_threshold: true
            detailed_metric: true
            rate_limit: {unit: day, requests_per_unit: 9}
        """);
    ask("plain=1", "detailed=1", "top=1 valued=2", "shared=s3");
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "plain"));
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "detailed_1"));
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "top", "valued_2"));
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "shared_s*"));
  }

  @Test
  void findsEachOfManyDomainsAndNoOther() {
    int count = 300;
    String limit = "\ndescriptors: [{key: k, rate_limit: {unit: day, requests_per_unit: 1}}]";
    String[] files = new String[count];
    Arrays.setAll(files, i -> "domain: d" + i + limit);
    use(files);
    for (int i = 0; i < count; i++) {
      ask(Call.to("d" + i).descriptor("k=v"));
      assertEquals(1, count(Outcome.TOTAL_HITS, "d" + i, "k"));
    }
    ask(Call.to("d" + count).descriptor("k=v"));
    ask(Call.to("d").descriptor("k=v"));
    assertEquals(2, errors.ofDomain.sum());
  }

  @Test
  void boundsTheNamesThatRequestsCanMake() {
    nodes("key: k, detailed_metric: true, rate_limit: {unit: day, requests_per_unit: 9}");
    for (int i = 0; i < DescriptorNames.MAX_COUNT + 5; i++) {
      ask("k=" + i);
    }
    assertEquals(5, count(Outcome.TOTAL_HITS, "d", "other"));
  }

  @Test
  void forgetsFiguresOfLimitsThatNoFileHasAnyMore() {
    String limit = "rate_limit: {unit: day, requests_per_unit: 9}";
    nodes("key: gone, " + limit, "key: stays, " + limit);
    ask("gone=1", "stays=1");
    nodes("key: stays, " + limit, "key: comes, " + limit);
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "stays"));
    assertEquals(0, count(Outcome.TOTAL_HITS, "d", "gone"), "kept for ever");
  }

  @Test
  void forgetsNamesThatRequestsMadeOnceTheirDomainIsAnother() {
    String nodes = "\ndescriptors: [{key: k, detailed_metric: true, rate_limit: {unit: day}}]";
    use("domain: d" + nodes, "domain: e");
    for (int i = 0; i < DescriptorNames.MAX_COUNT + 1; i++) {
      ask("k=" + i);
    }
    use("domain: d" + nodes, "domain: e\ndescriptors: [{key: k}]");
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "k_7"));
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "other"));
    use("domain: d" + nodes.replace("day", "hour"), "domain: e");
    assertEquals(0, count(Outcome.TOTAL_HITS, "d", "k_7"), "kept for ever");
    ask("k=new");
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "k_new"), "no place");
  }

  @Test
  void keepsNoLongNameThatARequestMakes() {
    nodes(
        "key: k, detailed_metric: true, rate_limit: {unit: day, requests_per_unit: 9}",
        "key: v, value_to_metric: true, rate_limit: {unit: day, requests_per_unit: 9}");
    String longest = "x".repeat(LimitFigures.MAX_BYTES - Integer.BYTES - 2);
    ask("k=" + longest, "k=" + longest + "x", "v=" + longest + "xx");
    ask(Call.to("d").descriptor(longest + "xyz=1").limit(5, LimitUnit.DAY));
    assertEquals(1, count(Outcome.TOTAL_HITS, "d", "k_" + longest));
    assertEquals(3, count(Outcome.TOTAL_HITS, "d", "other"));
  }

  @Test
  void tellsFieldsOfTheDescriptorThatIsClosestToItsEnd() {
    nodes(
        "key: a, rate_limit: {unit: day, requests_per_unit: 5}",
        "key: b, rate_limit: {unit: day, requests_per_unit: 2}");
    RateLimitVerdict answered = ask("a=1", "b=1");
    assertSame(answered.status(1), answered.closest());
    ask("b=1");
    answered = ask("b=1", "a=1");
    assertSame(answered.status(0), answered.closest());
    assertNull(ask("none=1").closest());
  }
}
