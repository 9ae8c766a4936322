package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked;
import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.ClientPlan;
import dev.weir.bench.torture.plan.Draw;
import dev.weir.bench.torture.plan.RulePlan;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;

/** Asks one question after the other until it is told to stop, and notes what becomes of each. */
public final class HonestClient implements Runnable {
  /** The address of proxies that ask for their clients, which sidecars are to trust. */
  public static final String PROXY = "127.0.0.9";

  private static final String CLIENT = "127.0.0.1";
  private static final long NUMBERS = 10_000_000;
  private static final int TIMEOUT_MS = 8_000;
  private static final int PAUSE_AFTER_FAILURE_MS = 50;

  /** Of a hundred questions so many go to another sidecar than the one before. */
  private static final int MOVES_PERCENT = 5;

  private static final int SLOW_PERCENT = 2;

  /** Of requests that have slots more are slow, so that they meet. */
  private static final int SLOW_HELD_PERCENT = 40;

  private static final int BODY_BYTES_MOST = 60_000;
  private static final int COST_MOST = 7;

  private final ClientPlan plan;
  private final RulePlan rule;
  private final Draw draw;
  private final Supplier<List<Target>> targets;
  private final SSLContext tls;
  private final List<Asked> asked = new ArrayList<>();
  private volatile boolean stopped;
  private Target target;
  private Connection connection;
  private Question last;

  /**
   * @param rule which it asks for, as it is in the beginning.
   * @param targets the sidecars to choose from, at any time.
   * @param tls trusts their certificate; used if the plan says so.
   */
  public HonestClient(
      ClientPlan plan, RulePlan rule, Draw draw, Supplier<List<Target>> targets, SSLContext tls) {
    this.plan = plan;
    this.rule = rule;
    this.draw = draw;
    this.targets = targets;
    this.tls = plan.tls() ? tls : null;
  }

  /** Ends after the present question. */
  public void stop() {
    stopped = true;
  }

  /** What it asked; once {@link #run} has returned. */
  public List<Asked> asked() {
    return asked;
  }

  @Override
  public void run() {
    try {
      for (long i = 0; !stopped && i < NUMBERS; i++) {
        final Question question = next(plan.number() * NUMBERS + i);
        final Asked outcome = ask(question);
        asked.add(outcome);
        final boolean failed =
            outcome.outcome() == Outcome.NOT_SENT || outcome.outcome() == Outcome.FAILED;
        TimeUnit.MILLISECONDS.sleep(failed ? PAUSE_AFTER_FAILURE_MS : plan.pauseMs());
      }
    } catch (InterruptedException e) {
      // As good an end as any.
      Thread.currentThread().interrupt();
    } finally {
      disconnect();
    }
  }

  private Question next(long number) {
    final List<Integer> identities =
        List.of(
            draw.below(plan.identities()),
            draw.below(plan.identities()),
            draw.below(plan.identities()));
    final boolean isRetry = rule.options().idempotency() && last != null && draw.chance(60);
    final long retryOf = isRetry ? last.retryOf() : number;
    final int cost = rule.cost().most() == 0 || draw.chance(50) ? 0 : 1 + draw.below(COST_MOST);
    final int bodyLength = draw.chance(60) ? 0 : (int) draw.spread(1, BODY_BYTES_MOST);
    last =
        new Question(
            number,
            rule.path() + draw.below(10),
            isRetry ? last.identities() : identities,
            bodyLength,
            draw.chance(40),
            draw.chance(rule.options().concurrency() > 0 ? SLOW_HELD_PERCENT : SLOW_PERCENT),
            cost,
            rule.options().idempotency() ? retryOf : Asked.NO_KEY);
    return last;
  }

  private Asked ask(Question question) throws InterruptedException {
    if (draw.chance(MOVES_PERCENT)) {
      disconnect();
    }
    final long connectingNs = System.nanoTime();
    try {
      connect();
    } catch (IOException e) {
      return noted(question, connectingNs, new Answer(Outcome.NOT_SENT, e.toString()));
    }
    final long sentNs = System.nanoTime();
    try {
      final Answer answer = connection.ask(question);
      final Asked noted = noted(question, sentNs, answer);
      if (!connection.isOpen()) {
        disconnect();
      }
      return noted;
    } catch (IOException | RuntimeException e) {
      disconnect();
      return noted(question, sentNs, new Answer(Outcome.FAILED, e.toString()));
    }
  }

  private Asked noted(Question question, long sentNs, Answer answer) {
    return new Asked(
        question.number(),
        plan.kind(),
        plan.rule(),
        question.identities(),
        isTrusted() ? question.cost() : 0,
        question.retryOf(),
        target.sidecar(),
        target.life(),
        sentNs,
        System.nanoTime(),
        answer.outcome(),
        answer.note());
  }

  private void connect() throws IOException {
    if (connection == null) {
      target = draw.of(targets.get());
      final int port = plan.tls() ? target.tlsPort() : target.port();
      connection =
          switch (plan.kind()) {
            case HTTP1 ->
                new Http1Connection(isTrusted() ? PROXY : CLIENT, port, tls, "", TIMEOUT_MS);
            case WEB_SOCKET -> new Tunnel(CLIENT, port, tls, TIMEOUT_MS);
            case HTTP_CHECK ->
                new Http1Connection(PROXY, target.decisionPort(), null, "/v1/check", TIMEOUT_MS);
            case HTTP2 -> new Http2Connection(port, tls, Http2Connection.Use.REQUESTS, TIMEOUT_MS);
            case GRPC -> new Http2Connection(port, tls, Http2Connection.Use.CALLS, TIMEOUT_MS);
            case ENVOY ->
                new Http2Connection(target.decisionPort(), Http2Connection.Use.ENVOY, TIMEOUT_MS);
            case DECISION ->
                new Http2Connection(target.decisionPort(), Http2Connection.Use.CHECKS, TIMEOUT_MS);
          };
    }
  }

  /** Whether sidecars believe the cost that it says. */
  private boolean isTrusted() {
    return plan.kind() == ClientPlan.Kind.HTTP_CHECK
        || plan.kind() == ClientPlan.Kind.HTTP1 && plan.number() % 2 == 0;
  }

  private void disconnect() {
    if (connection != null) {
      connection.close();
      connection = null;
    }
  }
}
