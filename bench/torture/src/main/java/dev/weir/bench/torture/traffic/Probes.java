package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.judge.Reading;
import dev.weir.bench.torture.judge.Revival;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Questions to a sidecar when all traffic has ended. */
public final class Probes {
  private static final int TIMEOUT_MS = 8_000;
  private static final int PAUSE_MS = 100;

  /**
   * A refusal is remembered for 5 s, and a lease that was refused for a whole life, of 2 s at most,
   * is asked for every 5 s (docs/modes.md).
   */
  private static final long REVIVAL_NS = TimeUnit.SECONDS.toNanos(10);

  private Probes() {}

  /** What is used of an identity's budgets. */
  public static Reading read(Target target, int rule, String path, List<Integer> identities)
      throws IOException {
    try (Http2Connection connection =
        new Http2Connection(target.decisionPort(), Http2Connection.Use.CHECKS, TIMEOUT_MS)) {
      final List<Long> used = connection.used(question(path, identities));
      return new Reading(
          rule, identities, target.sidecar(), target.life(), System.nanoTime(), used);
    }
  }

  /** Gives the first identity of a rule its budgets back. */
  public static void reset(Target target, String path, String token) throws IOException {
    try (Http2Connection connection =
        new Http2Connection(target.decisionPort(), Http2Connection.Use.CHECKS, TIMEOUT_MS)) {
      connection.reset(question(path, List.of(0, 0, 0)), token);
    }
  }

  /** Asks until a request of an identity that was used before passes, or long enough. */
  public static Revival revive(Target target, int rule, String path) throws InterruptedException {
    final long fromNs = System.nanoTime();
    String last = "";
    while (System.nanoTime() - fromNs < REVIVAL_NS) {
      try (Http2Connection connection =
          new Http2Connection(target.decisionPort(), Http2Connection.Use.CHECKS, TIMEOUT_MS)) {
        final Answer answer = connection.ask(question(path, List.of(0, 0, 0)));
        if (answer.outcome() == Outcome.PASSED) {
          return new Revival(rule, target.sidecar(), true, fromNs, System.nanoTime(), "");
        }
        last = answer.outcome() + " " + answer.note();
      } catch (IOException e) {
        last = e.toString();
      }
      TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
    }
    return new Revival(rule, target.sidecar(), false, fromNs, System.nanoTime(), last);
  }

  private static Question question(String path, List<Integer> identities) {
    return new Question(path, identities);
  }
}
