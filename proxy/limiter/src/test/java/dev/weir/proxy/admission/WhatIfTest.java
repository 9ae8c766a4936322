package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.WhatIfCounts;
import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import dev.weir.proxy.metrics.WhatIfReport;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import io.netty.channel.embedded.EmbeddedChannel;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A candidate beside the rules in use, both decided in memory. */
class WhatIfTest {
  private static final int SETS = Integer.getInteger("weir.what-if.sets", 40);
  private static final int REQUESTS = 300;
  private static final KeySpec USER = KeySpec.parse("header:x-user");

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final List<LimitTables> tables = new ArrayList<>();
  private final Question question = new Question();
  private WhatIfCounts counts = new WhatIfCounts();
  private long clockNs = 1;

  @AfterEach
  void close() {
    tables.forEach(LimitTables::close);
    channel.close();
  }

  private static IdentityReader identities() {
    IdentitySettings settings = IdentitySettings.DEFAULT;
    return new IdentityReader(
        settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 1024);
  }

  /** Decides alone. */
  private AdmissionHandler handler(RuleSet rules) {
    LimitTables own = LimitTables.allocate(new AdmissionSettings(2000, 1000, 0), 0);
    tables.add(own);
    AdmissionHandler handler =
        new AdmissionHandler(
            new LocalGate(own),
            identities(),
            new Metrics().newLoop(),
            new LoopClock(() -> clockNs),
            channel.eventLoop());
    if (rules != null) {
      handler.publish(rules);
    }
    return handler;
  }

  private static RuleSet set(List<RuleSpec> rules, RuleSpec everywhere) {
    return RuleSet.compile(rules, everywhere, false, RuleSet.EMPTY, 0, 1);
  }

  private static RuleSet set(RuleSpec.Builder... rules) {
    return set(List.of(rules).stream().map(RuleSpec.Builder::build).toList(), null);
  }

  private static RuleSpec.Builder rule(String rate) {
    return RuleSpec.builder("r").rate(Rate.parse(rate)).key(USER);
  }

  private WhatIf whatIf(RuleSet rules, RuleSet candidate, int permille) {
    WhatIf whatIf =
        new WhatIf(handler(rules), handler(null), identities(), StoreNames.DEFAULT.identityText());
    whatIf.publish(new Candidate(candidate, permille));
    counts = new WhatIfCounts();
    whatIf.count(counts);
    return whatIf;
  }

  private String ask(Admission of, RequestView request, long nowNs) {
    Verdict verdict = of.ask(question.traffic(request), null, nowNs).verdict();
    return verdict.ruleId()
        + " "
        + verdict.refusal()
        + " "
        + verdict.remaining()
        + " "
        + verdict.retryAfterNs()
        + " "
        + verdict.resetAfterNs();
  }

  private static RequestView get(String path, String user) {
    return TextRequest.of("GET", path, "x-user", user);
  }

  private WhatIfReport report() {
    return WhatIfReport.of(Instant.EPOCH, "100%", true, List.of(counts));
  }

  /** Rows as rule now, rule then and the four counts. */
  private List<String> rows() {
    return report().rows().stream()
        .map(
            row ->
                row.now()
                    + " "
                    + row.then()
                    + " "
                    + row.count(Outcome.BOTH_PASS)
                    + " "
                    + row.count(Outcome.BOTH_REFUSE)
                    + " "
                    + row.count(Outcome.ONLY_NOW)
                    + " "
                    + row.count(Outcome.ONLY_THEN))
        .toList();
  }

  private static List<RuleSpec> randomRules(Random random) {
    List<RuleSpec> rules = new ArrayList<>();
    for (String path : List.of("/a", "/b", "/**")) {
      if (random.nextInt(4) == 0) {
        continue;
      }
      RuleSpec.Builder rule = RuleSpec.builder("rule-" + rules.size());
      rule.match().path(PathPattern.parse(path));
      int kind = random.nextInt(10);
      if (kind < 2) {
        rules.add(rule.action(kind == 0 ? RuleAction.DENY : RuleAction.UNLIMITED).build());
        continue;
      }
      List<BudgetSpec.Builder> limits = new ArrayList<>();
      for (int i = 0; i <= random.nextInt(2); i++) {
        Algorithm[] algorithms = {
          Algorithm.GCRA, Algorithm.FIXED_WINDOW, Algorithm.SLIDING_COUNTER, Algorithm.TOKEN_BUCKET
        };
        limits.add(
            new BudgetSpec.Builder()
                .name("limit-" + i)
                .rate(Rate.parse(1 + random.nextInt(20) + "/" + (1 + random.nextInt(9)) + "s"))
                .key(randomKey(random))
                .algorithm(algorithms[random.nextInt(algorithms.length)]));
      }
      rule.limits(limits).key(USER);
      if (random.nextInt(6) == 0) {
        rule.dryRun(true);
      }
      rules.add(rule.build());
    }
    return rules;
  }

  private static KeySpec randomKey(Random random) {
    String[] keys = {"header:x-user", "ip", "all", "header:x-user"};
    return KeySpec.parse(keys[random.nextInt(keys.length)]);
  }

  private static RuleSpec randomEverywhere(Random random) {
    return random.nextBoolean()
        ? null
        : RuleSpec.ofEverywhere(
            List.of(
                new BudgetSpec.Builder()
                    .name("each")
                    .rate(Rate.parse(1 + random.nextInt(30) + "/5s"))
                    .key(randomKey(random))));
  }

  @Test
  void eachOfTheTwoDecidesAsIfItWereAlone() {
    for (int seed = 0; seed < SETS; seed++) {
      Random random = new Random(seed);
      RuleSet[] sets = new RuleSet[4];
      for (int i = 0; i < 2; i++) {
        List<RuleSpec> specs = randomRules(random);
        RuleSpec everywhere = randomEverywhere(random);
        sets[i] = set(specs, everywhere);
        sets[i + 2] = set(specs, everywhere);
      }
      WhatIf whatIf = whatIf(sets[0], sets[1], 1000);
      AdmissionHandler rulesAlone = handler(sets[2]);
      AdmissionHandler candidateAlone = handler(sets[3]);
      long[] expected = new long[Outcome.values().length];
      long nowNs = 1;
      for (int i = 0; i < REQUESTS; i++) {
        nowNs += random.nextInt((int) TimeUnit.MILLISECONDS.toNanos(300));
        clockNs = nowNs;
        String path = new String[] {"/a", "/b", "/c"}[random.nextInt(3)];
        String user = "u" + random.nextInt(4);
        RequestView request =
            random.nextInt(8) == 0 ? TextRequest.of("GET", path) : get(path, user);
        String then = ask(candidateAlone, request, nowNs);
        String now = ask(rulesAlone, request, nowNs);
        assertEquals(now, ask(whatIf, request, nowNs), "seed " + seed + ", request " + i);
        boolean passesNow = now.contains(" null ");
        boolean passesThen = then.contains(" null ");
        Outcome outcome =
            passesNow
                ? passesThen ? Outcome.BOTH_PASS : Outcome.ONLY_THEN
                : passesThen ? Outcome.ONLY_NOW : Outcome.BOTH_REFUSE;
        expected[outcome.ordinal()]++;
        int kept = whatIf.keep();
        int keptNow = rulesAlone.keep();
        int keptThen = passesNow ? candidateAlone.keep() : Admission.NOTHING_KEPT;
        boolean goesBack = random.nextInt(3) == 0;
        end(whatIf, kept, goesBack);
        end(rulesAlone, keptNow, goesBack);
        end(candidateAlone, keptThen, goesBack);
        for (Outcome one : Outcome.values()) {
          assertEquals(
              expected[one.ordinal()],
              counts.total(one),
              "seed " + seed + ", request " + i + ": " + one + ", now " + now + ", then " + then);
        }
      }
      tables.forEach(LimitTables::close);
      tables.clear();
    }
  }

  @Test
  void aCandidateGetsItsChargeBackWhereTheRulesInUseChargeNothing() {
    RuleSpec.Builder unlimited = RuleSpec.builder("free").action(RuleAction.UNLIMITED);
    for (RuleSet now : List.of(set(unlimited), set())) {
      WhatIf whatIf = whatIf(now, set(rule("1/1h")), 1000);
      for (int i = 0; i < 3; i++) {
        ask(whatIf, get("/", "ann"), 1);
        end(whatIf, whatIf.keep(), true);
      }
      ask(whatIf, get("/", "ann"), 1);
      end(whatIf, whatIf.keep(), false);
      ask(whatIf, get("/", "ann"), 1);
      assertEquals(Admission.NOTHING_KEPT, whatIf.keep(), "the candidate has charged nothing");
      assertEquals(4, counts.total(Outcome.BOTH_PASS));
      assertEquals(1, counts.total(Outcome.ONLY_THEN));
    }
  }

  private static void end(Admission of, int kept, boolean goesBack) {
    if (kept == Admission.NOTHING_KEPT) {
      return;
    }
    if (goesBack) {
      of.giveBack(kept);
    } else {
      of.letStand(kept);
    }
  }

  @Test
  void tellsTheTenIdentitiesThatDifferMost() {
    WhatIf whatIf = whatIf(set(rule("2/1h")), set(rule("5/1h")), 1000);
    for (int user = 0; user < 20; user++) {
      for (int i = 0; i < user % 10; i++) {
        ask(whatIf, get("/", "u " + user), 1);
      }
    }
    assertEquals(List.of("r r 34 20 36 0"), rows());
    List<WhatIfReport.Differing> most = report().rows().get(0).identities();
    assertEquals(WhatIfReport.MOST_IDENTITIES, most.size());
    assertEquals("u%2015", most.get(0).identity());
    most.forEach(one -> assertEquals(3, one.onlyNow(), one.toString()));
  }

  @Test
  void countsRequestsByBothTheirRules() {
    RuleSpec.Builder other = RuleSpec.builder("other").action(RuleAction.DENY);
    other.match().path(PathPattern.parse("/x"));
    WhatIf whatIf = whatIf(set(rule("1/1h")), set(other), 1000);
    ask(whatIf, get("/x", "a"), 1);
    ask(whatIf, get("/x", "a"), 1);
    ask(whatIf, get("/y", "a"), 1);
    assertEquals(List.of("r null 0 0 1 0", "r other 0 1 0 1"), rows().stream().sorted().toList());
    assertEquals(
        "192.0.2.1",
        report().rows().get(0).identities().get(0).identity(),
        "without limits an identity is the address");
  }

  @Test
  void asksAboutAllRequestsOfAPartOfTheIdentities() {
    WhatIf whatIf = whatIf(set(rule("100/1h")), set(rule("1/1h")), 250);
    int users = 400;
    for (int i = 0; i < 3; i++) {
      for (int user = 0; user < users; user++) {
        ask(whatIf, get("/", "u" + user), 1);
      }
    }
    long asked = counts.total(Outcome.BOTH_PASS);
    assertTrue(asked > 70 && asked < 130, asked + " of " + users);
    assertEquals(2 * asked, counts.total(Outcome.ONLY_THEN), "each of them is asked about always");
  }

  @Test
  void asksAboutEachRequestOfABudgetOfAllCallers() {
    WhatIf whatIf = whatIf(set(rule("100/1h")), set(rule("1/1h").key(KeySpec.ALL)), 1);
    for (int user = 0; user < 10; user++) {
      ask(whatIf, get("/", "u" + user), 1);
    }
    assertEquals(List.of("r r 1 0 0 9"), rows());
  }

  @Test
  void aSecretIsToldHashed() {
    RuleSpec.Builder byKey = rule("1/1h").key(KeySpec.parse("api-key"));
    WhatIf whatIf = whatIf(set(rule("100/1h")), set(byKey), 1000);
    for (int i = 0; i < 2; i++) {
      ask(whatIf, TextRequest.of("GET", "/", "x-api-key", "sesame"), 1);
    }
    String identity = report().rows().get(0).identities().get(0).identity();
    assertTrue(identity.matches("#[0-9a-f]{32}"), identity);
  }

  @Test
  void aReplacedCandidateBeginsWithFreshBudgets() {
    RuleSet first = set(rule("1/1h"));
    WhatIf whatIf = whatIf(set(rule("100/1h")), first, 1000);
    ask(whatIf, get("/", "a"), 1);
    ask(whatIf, get("/", "a"), 1);
    RuleSet none = RuleSet.compile(List.of(), false, first, 0, 1);
    RuleSpec same = rule("1/1h").build();
    whatIf.publish(new Candidate(RuleSet.compile(List.of(same), false, none, 0, 1), 1000));
    ask(whatIf, get("/", "a"), 1);
    ask(whatIf, get("/", "a"), 1);
    assertEquals(List.of("r r 2 0 0 2"), rows());
  }

  @Test
  void allocatesNothing() {
    WhatIf whatIf = whatIf(set(rule("10/1s")), set(rule("5/1s")), 500);
    RequestView[] requests = new RequestView[64];
    for (int i = 0; i < requests.length; i++) {
      requests[i] = get("/", "user-" + i);
    }
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 8; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 5_000; i++) {
        long nowNs = 1 + (round * 5_000L + i) * 1_000_000;
        assert whatIf.ask(question.traffic(requests[i % 64]), null, nowNs).verdict() != null;
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least, "bytes allocated for 5,000 questions");
    assertTrue(counts.total(Outcome.ONLY_THEN) > 1000);
  }

  @Test
  void asksNobodyWithoutACandidate() {
    WhatIf whatIf =
        new WhatIf(
            handler(set(rule("1/1h"))),
            handler(null),
            identities(),
            StoreNames.DEFAULT.identityText());
    assertTrue(ask(whatIf, get("/", "a"), 1).startsWith("r null"));
    assertNull(whatIf.ask(question.traffic(get("/", "b")), null, 1).verdict().refusal());
    assertEquals(List.of(), rows());
  }
}
