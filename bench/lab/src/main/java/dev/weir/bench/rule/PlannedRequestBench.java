package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.request.Question;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * What does a request cost admission, if its user's record says how much there is, with as many
 * users in the table as are remembered: beside the same rule without tiers? Each request is of
 * another user and in memory of its own.
 */
@State(Scope.Thread)
public class PlannedRequestBench extends CheckBench {
  private static final int REQUESTS = 1 << 12;

  /** Users in the table, besides those of the requests. */
  private static final int USERS = 990_000;

  /** The plans that a rule asks of users. */
  public enum Plans {
    /** Nothing. */
    NONE("", ""),

    /** How much each has, by a record that names a tier. */
    RECORDED(
        "users: {identity: 'header:tenant', tiers: [free, premium], directory: shop}",
        ", tiers: {premium: 99999/1ms}");

    private final String users;
    private final String tiers;

    Plans(String users, String tiers) {
      this.users = users;
      this.tiers = tiers;
    }

    byte[] file() {
      final String text =
          """
          upstream: http://127.0.0.1:1
          trusted-proxies: [9.0.0.0/8]
          %s
          rules:
          - {id: r, key: header:tenant, match: {path: /path}, limit: 9999/1ms%s}
          """;
      return text.formatted(users, tiers).getBytes(StandardCharsets.UTF_8);
    }
  }

  @Param Plans plans;

  private final Question[] questions = new Question[REQUESTS];
  private LocalAdmission admission;

  /** Has the table know what the records of all users say. */
  @Setup
  public void prepare() {
    admission = new LocalAdmission(RuleFile.compiled(plans.file()), PlannedRequestBench::premium);
    for (int i = 0; i < REQUESTS; i++) {
      questions[i] = new Question().traffic(RuleKind.VALUE.request(i));
      admission.know(RuleKind.name(i));
    }
    for (int i = 0; i < USERS; i++) {
      admission.know("user-" + i);
    }
  }

  private static CompletionStage<Optional<StoredRecord>> premium(String user, Executor by) {
    final RecordName name = new RecordName(RecordName.Kind.USER, user);
    final String json = UserRecord.EMPTY.withTier("premium").toJson();
    return CompletableFuture.completedFuture(
        Optional.of(new StoredRecord(name, RecordVersion.parse("1-9f3a21bc"), json)));
  }

  @TearDown
  public void free() {
    admission.close();
  }

  /** Admits a request of each of some users. */
  @Benchmark
  @OperationsPerInvocation(REQUESTS)
  public int ask() {
    int allowed = 0;
    for (Question question : questions) {
      allowed += admission.ask(question).allowed() ? 1 : 0;
    }
    if (allowed != REQUESTS) {
      throw new IllegalStateException("a request was refused");
    }
    return allowed;
  }
}
