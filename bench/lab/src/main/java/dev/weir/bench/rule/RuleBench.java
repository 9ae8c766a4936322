package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rule.MatchedRequest;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.identity.KeyHasher;
import io.netty.channel.embedded.EmbeddedChannel;
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

  private static final VerdictListener NOBODY = (ticket, late) -> {};

  @Param RuleKind kind;

  @Param({"1", "256", "10000"})
  int rules;

  private final LoopClock clock = new LoopClock();
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final MatchedRequest matched =
      new MatchedRequest(new ClientIpReader(IdentitySettings.DEFAULT));
  private final RequestView[] requests = new RequestView[REQUESTS];
  private final Question[] questions = new Question[REQUESTS];
  private LimitTables tables;
  private RuleSet set;
  private AdmissionHandler admission;

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
    tables = LimitTables.allocate(new AdmissionSettings(100_000, 1, 0), 0);
    admission =
        new AdmissionHandler(
            new LocalGate(tables),
            new IdentityReader(
                IdentitySettings.DEFAULT,
                KeyHasher.withKey(1, 2),
                new ClientIpReader(IdentitySettings.DEFAULT),
                1024),
            new Metrics().newLoop(),
            clock,
            channel.eventLoop());
    admission.publish(set);
  }

  @TearDown
  public void free() {
    tables.close();
    channel.close();
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
      allowed += admission.ask(question, NOBODY, clock.tick()).verdict().allowed() ? 1 : 0;
    }
    return allowed;
  }
}
