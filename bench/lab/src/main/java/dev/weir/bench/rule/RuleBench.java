package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.MatchedRequest;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does it cost to find a request's rule, and to decide the request: with conditions and
 * without, among few rules and among many? Requests go to rules all over the set, and each lies in
 * memory of its own, also where all go to one rule.
 */
@State(Scope.Thread)
public class RuleBench extends CheckBench {
  static final int REQUESTS = 256;

  /** Without a common divisor with the number of rules, so that each request has another rule. */
  private static final int STEP = 39;

  @Param RuleKind kind;

  @Param({"1", "256", "10000"})
  int rules;

  private final MatchedRequest matched =
      new MatchedRequest(new ClientIpReader(IdentitySettings.DEFAULT));
  private final RequestView[] requests = new RequestView[REQUESTS];
  private final Question[] questions = new Question[REQUESTS];
  private RuleSet set;
  private LocalAdmission admission;

  @Setup
  public void prepare() {
    set = RuleFile.compiled(kind, rules);
    for (int i = 0; i < REQUESTS; i++) {
      final int number = i * STEP % rules;
      requests[i] = kind.request(number);
      questions[i] = new Question().traffic(requests[i]);
      final Rule found = set.match(matched.of(requests[i]));
      if (found == null || !found.id().equals(RuleKind.name(number))) {
        throw new IllegalStateException("another rule than " + RuleKind.name(number));
      }
    }
    admission = new LocalAdmission(set);
  }

  @TearDown
  public void free() {
    admission.close();
  }

  /** The rule alone. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public int match() {
    int sum = 0;
    for (RequestView request : requests) {
      sum += set.match(matched.of(request)).index();
    }
    return sum;
  }

  /** From a request to the verdict of a limit of mode local, by the client's address. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public int decide() {
    int allowed = 0;
    for (Question question : questions) {
      allowed += admission.ask(question).allowed() ? 1 : 0;
    }
    return allowed;
  }
}
