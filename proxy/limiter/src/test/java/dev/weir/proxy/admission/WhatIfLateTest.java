package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.WhatIfCounts;
import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import dev.weir.proxy.metrics.WhatIfReport;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import dev.weir.proxy.store.map.Topology;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A candidate beside the rules in use, of which either is decided late. */
class WhatIfLateTest {
  private static final long DEADLINE_NS = TimeUnit.MILLISECONDS.toNanos(16);
  private static final RequestEnd GONE = new RequestEnd();

  private final Metrics metrics = new Metrics();
  private final List<ModelServer> servers =
      IntStream.rangeClosed(1, 20).mapToObj(ModelServer::new).toList();
  private final ModelServer now = new ModelServer(21);
  private final ModelStore storeNow = store(List.of(now));
  private final List<ModelStore> stores = new ArrayList<>(List.of(storeNow));
  private final List<LimitTables> tables = new ArrayList<>();
  private final Question question = new Question();
  private final WhatIfCounts counts = new WhatIfCounts();
  private final List<String> told = new ArrayList<>();
  private ModelServer then;

  @AfterEach
  void close() {
    stores.forEach(ModelStore::close);
    tables.forEach(LimitTables::close);
  }

  private ModelStore store(List<ModelServer> of) {
    return new ModelStore(of, List.of(), false, metrics.newLoop().store(), DEADLINE_NS);
  }

  private static RuleSpec rule(Mode mode, String rate) {
    return rule(mode, rate, false);
  }

  private static RuleSpec rule(Mode mode, String rate, boolean isIdempotent) {
    return RuleSpec.builder("r")
        .idempotency(isIdempotent)
        .key(KeySpec.parse("header:x-user"))
        .algorithm(Algorithm.FIXED_WINDOW)
        .rate(Rate.parse(rate))
        .mode(mode)
        .onStoreFailure(OnStoreFailure.CLOSED)
        .build();
  }

  private AdmissionHandler handler(ModelStore store, Topology topology, RuleSpec rule) {
    LimitTables own = LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 0);
    tables.add(own);
    return ModelAdmission.of(store, topology, DEADLINE_NS, own, metrics.newLoop(), rule);
  }

  /** Rules in use of a mode, with one server; the candidate has some. */
  private WhatIf whatIf(Mode mode, List<ModelServer> ofCandidate) {
    return whatIf(rule(mode, "2/365d"), rule(Mode.EXACT, "1/365d"), ofCandidate);
  }

  private WhatIf whatIf(RuleSpec inUse, RuleSpec candidate, List<ModelServer> ofCandidate) {
    then = ofCandidate.get(0);
    ModelStore storeThen = store(ofCandidate);
    stores.add(storeThen);
    Topology topology = ofCandidate.size() == 1 ? Topology.STANDALONE : Topology.SHARDED;
    IdentitySettings settings = IdentitySettings.DEFAULT;
    WhatIf whatIf =
        new WhatIf(
            handler(storeNow, Topology.STANDALONE, inUse),
            handler(storeThen, topology, candidate),
            new IdentityReader(
                settings, KeyHasher.withKey(1, 2), new ClientIpReader(settings), 1024),
            StoreNames.DEFAULT.identityText());
    whatIf.publish(
        new Candidate(RuleSet.compile(List.of(candidate), false, RuleSet.EMPTY, 0), 1000));
    whatIf.count(counts);
    return whatIf;
  }

  private Asked ask(WhatIf whatIf, String user) {
    question.traffic(TextRequest.of("GET", "/", "x-user", user));
    return whatIf.ask(
        question,
        (ticket, verdict) -> told.add(user + " " + verdict.allowed()),
        storeNow.clock().nowNs());
  }

  private String outcomes() {
    return Arrays.stream(Outcome.values()).map(counts::total).toList().toString();
  }

  @Test
  void comparesInWhicheverOrderTheTwoDecide() {
    WhatIf whatIf = whatIf(Mode.EXACT, servers.subList(0, 1));
    assertNull(ask(whatIf, "ann").verdict());
    now.answer();
    assertEquals(1, told.size(), "the candidate is not waited for");
    assertEquals("[0, 0, 0, 0]", outcomes());
    then.answer();
    assertEquals("[1, 0, 0, 0]", outcomes());
    assertNull(ask(whatIf, "ann").verdict());
    then.answer();
    assertEquals(1, told.size());
    now.answer();
    assertEquals("[1, 0, 0, 1]", outcomes());
    assertNull(ask(whatIf, "ann").verdict());
    assertEquals(0, then.pendingCount(), "it knows that it refuses");
    now.answer();
    assertEquals(List.of("ann true", "ann true", "ann false"), told);
    assertEquals("[1, 1, 0, 1]", outcomes());
    WhatIfReport report = WhatIfReport.of(Instant.EPOCH, "100%", true, List.of(counts));
    assertEquals(
        List.of(new WhatIfReport.Differing("ann", 0, 1)), report.rows().get(0).identities());
  }

  @Test
  void aRequestThatLeavesIsNotComparedAndNorIsItsPlaceTaken() {
    WhatIf whatIf = whatIf(Mode.EXACT, servers.subList(0, 1));
    for (int order = 0; order < 2; order++) {
      long ticket = ask(whatIf, "u" + order).ticket();
      if (order == 0) {
        then.answer();
      }
      whatIf.ended(ticket, GONE);
      whatIf.ended(ticket, GONE);
      if (order == 1) {
        then.answer();
      }
      now.answer();
    }
    assertEquals("[0, 0, 0, 0]", outcomes());
    ask(whatIf, "bob");
    now.answer();
    then.answer();
    assertEquals("[1, 0, 0, 0]", outcomes());
    assertEquals(List.of("bob true"), told);
  }

  @Test
  void aStoreThatIsAwayConcernsTheCandidateOnly() {
    WhatIf whatIf = whatIf(Mode.LOCAL, servers.subList(0, 1));
    assertEquals(true, ask(whatIf, "ann").verdict().allowed());
    then.lose(false);
    stores.get(1).pass(2 * DEADLINE_NS);
    assertEquals("[0, 0, 0, 1]", outcomes(), "its failure policy refuses");
  }

  @Test
  void comparesNoMoreThanSoMany() {
    WhatIf whatIf = whatIf(Mode.LOCAL, servers);
    for (int user = 0; user < WhatIf.MAX_PAIRS + 3; user++) {
      assertEquals(true, ask(whatIf, "u" + user).verdict().allowed());
    }
    assertEquals(3, counts.uncomparedTotal());
    assertEquals("[0, 0, 0, 0]", outcomes());
    for (ModelServer server : servers) {
      while (server.pendingCount() > 0) {
        server.answer();
      }
    }
    assertEquals("[" + WhatIf.MAX_PAIRS + ", 0, 0, 0]", outcomes());
    ask(whatIf, "u0");
    assertEquals(3, counts.uncomparedTotal(), "there is room again");
  }

  @Test
  void requestsKeepTheCountsThatTheyBeganWith() {
    WhatIf whatIf = whatIf(Mode.LOCAL, servers.subList(0, 1));
    ask(whatIf, "ann");
    whatIf.count(new WhatIfCounts());
    then.answer();
    assertEquals("[1, 0, 0, 0]", outcomes());
  }

  @Test
  void theKeyOfARetryConcernsThoseRulesOnlyThatAskForIt() {
    WhatIf whatIf =
        whatIf(rule(Mode.EXACT, "2/365d", true), rule(Mode.LOCAL, "1/365d"), servers.subList(0, 1));
    for (int i = 0; i < 2; i++) {
      question.traffic(TextRequest.of("GET", "/", "x-user", "ann", "idempotency-key", "k"));
      whatIf.ask(question, (ticket, verdict) -> {}, storeNow.clock().nowNs());
      now.answer();
    }
    assertEquals("[1, 0, 0, 1]", outcomes(), "the candidate can decide, and charges both");
  }
}
