package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.LeasedRig.rule;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.lease.LeaseKeeper;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;

/** Requests of one user to a {@link LeasedRig}, and what they are told. */
abstract class LeasedGateFixture {
  static final long MS = LeasedRig.MS;
  static final long DEADLINE_NS = LeasedRig.DEADLINE_NS;
  static final long LIFE_NS = LeasedRig.LIFE_NS;

  private final LeasedRig rig =
      new LeasedRig(null, ModelAdmission.HANDS, rule(Mode.LEASED, "100000/365d"));
  final ModelServer server = rig.server;
  final ModelStore store = rig.store;
  final AdmissionHandler admission = rig.admission;
  final Question question = new Question();
  final List<String> told = new ArrayList<>();
  int passed;
  long remaining;
  boolean keepsNext;
  int keptCount;

  @AfterEach
  void close() {
    assertEquals(List.of(), server.faults());
    rig.close();
  }

  void publish(RuleSpec rule) {
    rig.publish(rule);
  }

  void answerAll() {
    rig.answerAll();
  }

  boolean ask() {
    return ask(question.traffic(TextRequest.of("GET", "/", "x-user", "u", "x-group", "g")));
  }

  /** Asks; whether the verdict was known at once. */
  boolean ask(Question of) {
    Client client = new Client();
    Asked asked = admission.ask(of, client, store.clock().nowNs());
    if (asked.verdict() == null) {
      return false;
    }
    client.decided(asked.ticket(), asked.verdict());
    return true;
  }

  final class Client implements VerdictListener {
    @Override
    public void decided(long ticket, Verdict verdict) {
      passed += verdict.allowed() ? 1 : 0;
      remaining = verdict.remaining();
      if (keepsNext) {
        keptCount++;
        admission.giveBack(admission.keep());
      }
      told.add(verdict.allowed() ? "allowed" : verdict.refusal().name());
    }
  }

  /** Asks so often, a millisecond apart, and is answered; how many were decided at once. */
  int load(int count) {
    int atOnce = 0;
    for (int i = 0; i < count; i++) {
      atOnce += ask() ? 1 : 0;
      answerAll();
      store.pass(MS);
    }
    return atOnce;
  }

  long charged() {
    return server.charges().getOrDefault("u", 0L);
  }

  /** Has units in hand, and nothing on the way. */
  void lease() {
    load(100);
    assertTrue(charged() > passed, charged() + " for " + passed);
    server.executed().clear();
  }

  /** Demand is there, the hand is empty, and nothing is on the way. */
  void emptyHand() {
    emptyHand(300);
  }

  void emptyHand(int requests) {
    load(requests);
    store.pass(LIFE_NS + LeaseKeeper.SWEEP_NS);
    answerAll();
    assertEquals(passed, charged());
    server.executed().clear();
    told.clear();
  }
}
