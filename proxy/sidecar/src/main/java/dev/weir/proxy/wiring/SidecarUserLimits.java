package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.RecordedUsers;
import dev.weir.proxy.api.UserLimit;
import dev.weir.proxy.api.UserLimits;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.KeySpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import java.util.function.Supplier;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The limits of users as the event loops have them. Each rule is asked, on one event loop, as
 * {@code GetRemainingQuota} and {@code ResetLimit} ask: those of the store are answered by it.
 */
final class SidecarUserLimits implements UserLimits {
  private final Supplier<RuleSet> rules;
  private final SidecarLoops loops;

  SidecarUserLimits(Supplier<RuleSet> rules, SidecarLoops loops) {
    this.rules = rules;
    this.loops = loops;
  }

  @Override
  public CompletionStage<List<UserLimit>> look(String user) {
    RecordedUsers records = loops.users().records();
    CompletionStage<Void> known =
        records == null ? CompletableFuture.completedFuture(null) : records.know(user);
    CompletionStage<List<List<UserLimit>>> byRule =
        known.thenCompose(nothing -> ofEachRule((loop, rule, key) -> look(loop, rule, key, user)));
    return byRule.thenApply(all -> all.stream().flatMap(List::stream).toList());
  }

  @Override
  public CompletionStage<String> reset(String user, String limit) {
    CompletionStage<List<String>> byRule =
        ofEachRule((loop, rule, key) -> reset(loop, rule, key, user, limit));
    return byRule.thenApply(
        faults -> faults.stream().filter(Objects::nonNull).findFirst().orElse(null));
  }

  @Override
  public CompletionStage<Void> ban(String user, long forNs) {
    CompletionStage<List<Void>> byRule =
        ofEachRule(
            (loop, rule, key) -> {
              Question question = question(Operation.PEEK, rule, key, user);
              loop.admission().ban(question, forNs, loop.parts().clock().tick());
              return CompletableFuture.completedFuture(null);
            });
    return byRule.thenApply(all -> null);
  }

  /** Does something with the budgets that a user has under a rule, on an event loop. */
  private interface Act<T> {
    CompletableFuture<T> on(SidecarLoops.Loop loop, Rule rule, KeySpec key);
  }

  /** Does something with each rule that has budgets of users, on one event loop. */
  private <T> CompletionStage<List<T>> ofEachRule(Act<T> act) {
    CompletableFuture<CompletableFuture<List<T>>> begun = new CompletableFuture<>();
    SidecarLoops.Loop loop = loops.loops.get(0);
    loop.eventLoop()
        .execute(
            () -> {
              try {
                begun.complete(ofEachRule(act, loop));
              } catch (RuntimeException | Error bug) {
                begun.completeExceptionally(bug);
              }
            });
    return begun.thenCompose(Function.identity());
  }

  private <T> CompletableFuture<List<T>> ofEachRule(Act<T> act, SidecarLoops.Loop loop) {
    RuleSet inUse = rules.get();
    if (inUse.users() == null) {
      return CompletableFuture.completedFuture(List.of());
    }
    KeySpec key = inUse.users().identity();
    List<CompletableFuture<T>> results =
        inUse.rules().stream()
            .filter(rule -> rule.budgets().stream().anyMatch(own -> own.spec().key().equals(key)))
            .map(rule -> act.on(loop, rule, key))
            .toList();
    return CompletableFuture.allOf(results.toArray(CompletableFuture[]::new))
        .thenApply(all -> results.stream().map(CompletableFuture::join).toList());
  }

  private static Question question(Operation operation, Rule rule, KeySpec key, String user) {
    UnsafeBuffer bytes = new UnsafeBuffer(user.getBytes(StandardCharsets.UTF_8));
    return new Question()
        .start(operation, Purpose.OPERATOR)
        .rule(rule.id())
        .identity(key.toString(), bytes, 0, bytes.capacity())
        .ofGivenKeys()
        .wantsRows();
  }

  private static <T> CompletableFuture<T> ask(
      SidecarLoops.Loop loop, Question question, Function<Verdict, T> taker) {
    CompletableFuture<T> answer = new CompletableFuture<>();
    Asked asked =
        loop.admission()
            .ask(
                question,
                (ticket, verdict) -> answer.complete(taker.apply(verdict)),
                loop.parts().clock().tick());
    if (asked.verdict() != null) {
      answer.complete(taker.apply(asked.verdict()));
    }
    return answer;
  }

  private static CompletableFuture<String> reset(
      SidecarLoops.Loop loop, Rule rule, KeySpec key, String user, String limit) {
    Question question = question(Operation.RESET, rule, key, user).ofLimit(limit);
    return ask(
        loop,
        question,
        verdict -> verdict.allowed() ? null : rule.id() + ": " + verdict.refusal().label());
  }

  private static CompletableFuture<List<UserLimit>> look(
      SidecarLoops.Loop loop, Rule rule, KeySpec key, String user) {
    AdmissionHandler admission = loop.admission();
    Question question = question(Operation.PEEK, rule, key, user);
    Rule own = admission.rule(question);
    Plan plan = own == null ? Plan.NONE : own.plan();
    long bannedForNs = admission.bannedForNs(question, loop.parts().clock().tick());
    return ask(loop, question, verdict -> limits(rule, key, plan, bannedForNs, verdict));
  }

  private static List<UserLimit> limits(
      Rule rule, KeySpec key, Plan plan, long bannedForNs, Verdict verdict) {
    List<UserLimit> limits = new ArrayList<>();
    for (Budget own : rule.budgets()) {
      if (own.spec().key().equals(key)) {
        Budget under = own.under(plan);
        Verdict.Row row = row(verdict, own.policy().name());
        boolean isUnknown = under != null && row == null;
        limits.add(
            new UserLimit(
                rule.id(),
                own.policy().name(),
                under == null ? Amount.UNLIMITED : under.spec().limit().amount(),
                plan.says(own),
                own.spec().mode().toString(),
                row == null ? null : left(row),
                isUnknown ? fault(verdict) : null,
                bannedForNs));
      }
    }
    return limits;
  }

  private static String fault(Verdict verdict) {
    return verdict.refusal() == null ? "not limited now" : verdict.refusal().label();
  }

  private static Verdict.Row row(Verdict verdict, String name) {
    for (int i = 0; i < Question.MAX_COSTS; i++) {
      Verdict.Row row = verdict.row(i);
      if (row != null && row.policy().name().equals(name)) {
        return row;
      }
    }
    return null;
  }

  private static UserLimit.Left left(Verdict.Row row) {
    return new UserLimit.Left(row.limit(), row.remaining(), row.held(), row.resetAfterNs());
  }
}
