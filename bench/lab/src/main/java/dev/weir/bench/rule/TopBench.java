package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.request.Question;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** Measures the cost of counting, in a decision, the keys that are asked about most. */
@State(Scope.Thread)
public class TopBench extends CheckBench {
  private static final int RULES = 256;

  /** Whether keys are counted. */
  @Param({"false", "true"})
  boolean counts;

  private final Question[] questions = new Question[RuleBench.REQUESTS];
  private LocalAdmission admission;

  @Setup
  public void prepare() {
    for (int i = 0; i < questions.length; i++) {
      questions[i] = new Question().traffic(RuleKind.PATH.request(i % RULES));
    }
    admission = new LocalAdmission(RuleFile.compiled(RuleKind.PATH, RULES));
    if (counts) {
      admission.countKeys();
    }
  }

  @TearDown
  public void free() {
    admission.close();
  }

  /** From a request to the verdict of a limit of mode local, by the client's address. */
  @Benchmark
  @OperationsPerInvocation(RuleBench.REQUESTS)
  public int decide() {
    int allowed = 0;
    for (Question question : questions) {
      allowed += admission.ask(question).allowed() ? 1 : 0;
    }
    return allowed;
  }
}
