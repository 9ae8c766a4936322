package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import java.nio.charset.StandardCharsets;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does a request cost admission, from the question to its end, if it holds units meanwhile:
 * beside one that is charged at once? Requests are of many users, in memory of their own.
 */
@State(Scope.Thread)
public class HeldRequestBench extends CheckBench {
  private static final int REQUESTS = 256;

  /** The limits of a request. */
  public enum Limits {
    /** One that is charged at once. */
    CHARGED("limit: 9999/1ms"),

    /** One that holds two units, and is charged what the end tells. */
    HELD("limit: 9999/1ms, cost: {response: {header: x-cost}, reserve: 2}"),

    /** Requests in flight. */
    SLOT("concurrency: 9999"),

    /** Two that are charged at once. */
    TWO_CHARGED("limits: [limit: 9999/1ms, limit: 99999/1s]"),

    /** One that is charged at once, and requests in flight. */
    CHARGED_AND_SLOT("limits: [limit: 9999/1ms, concurrency: 9999]");

    private final String yaml;

    Limits(String yaml) {
      this.yaml = yaml;
    }

    byte[] file() {
      final String text =
          """
          upstream: http://127.0.0.1:1
          rules:
          - {id: r, key: header:tenant, match: {path: /path}, %s}
          """;
      return text.formatted(yaml).getBytes(StandardCharsets.UTF_8);
    }
  }

  @Param Limits limits;

  private final Question[] questions = new Question[REQUESTS];
  private final RequestEnd end = new RequestEnd();
  private LocalAdmission admission;

  @Setup
  public void prepare() {
    for (int i = 0; i < REQUESTS; i++) {
      questions[i] = new Question().traffic(RuleKind.VALUE.request(i));
    }
    admission = new LocalAdmission(RuleFile.compiled(limits.file()));
  }

  @TearDown
  public void free() {
    admission.close();
  }

  /** From a request to its end. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public int askAndEnd() {
    int allowed = 0;
    for (Question question : questions) {
      final Verdict verdict = admission.ask(question);
      allowed += verdict.allowed() ? 1 : 0;
      end.set(RequestEnd.How.COMPLETE).status(200).times(1, 1, 1).holding(verdict.holding());
      admission.ended(end.costReported(1L));
    }
    if (allowed != REQUESTS) {
      throw new IllegalStateException("a request was refused");
    }
    return allowed;
  }
}
