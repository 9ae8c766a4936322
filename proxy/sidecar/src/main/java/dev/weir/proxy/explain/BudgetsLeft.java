package dev.weir.proxy.explain;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * What is left of the budgets that a request would be charged to, as a look at them told.
 *
 * @param fault why nobody told; null if it is known.
 * @param rows one for each limit, by its row; null where it is not known.
 */
public record BudgetsLeft(RefusalReason fault, List<Left> rows) {
  /**
   * What is left of one budget.
   *
   * @param policy the name of the limit in answers.
   * @param held units that requests hold until they end.
   * @param admits whether this limit lets the request pass now.
   * @param retryAfterNs after which it does; 0 if it does now, or never.
   */
  public record Left(
      String policy,
      long capacity,
      long remaining,
      long held,
      long resetAfterNs,
      boolean admits,
      long retryAfterNs) {}

  /** Copies what a look told; the verdict is one with rows. */
  public static BudgetsLeft of(Verdict verdict) {
    List<Left> rows = new ArrayList<>();
    boolean isAny = false;
    for (int i = 0; i < Question.MAX_COSTS; i++) {
      Verdict.Row row = verdict.row(i);
      isAny |= row != null;
      rows.add(
          row == null
              ? null
              : new Left(
                  row.policy().name(),
                  row.limit(),
                  row.remaining(),
                  row.held(),
                  row.resetAfterNs(),
                  row.allowed(),
                  row.retryAfterNs()));
    }
    return new BudgetsLeft(isAny ? null : verdict.refusal(), rows);
  }

  /** The units left of a limit; null if they are not known, or the rules changed meanwhile. */
  Left of(int row, String policy) {
    Left left = row < rows.size() ? rows.get(row) : null;
    return left == null || !left.policy().equals(policy) ? null : left;
  }
}
