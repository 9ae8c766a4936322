package dev.weir.proxy.admission;

import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitSet;
import dev.weir.algorithms.PlannedLimit;
import dev.weir.algorithms.UserTable;
import dev.weir.algorithms.UserWord;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Plan;

/**
 * The user of a question, of what was charged, or of what is held, by a slot of the table of users.
 * What the slot says is read for each attempt to decide, before the words of budgets: a plan that
 * changes meanwhile has the attempt start again. Reused; owned by one thread.
 */
final class PlannedUser {
  private static final long NOBODY = 0;

  private Users users;
  private int slot;
  private long hash;

  /** The slot's word when it was read last; {@link #NOBODY} if it knows no plan. */
  private long word;

  private Plan plan;
  private Plan before;

  /** Forgets the user: budgets are as the question's rule has them. */
  PlannedUser nobody() {
    users = null;
    word = NOBODY;
    return this;
  }

  void set(Users of, int slotOfUser, long hashOfUser) {
    users = of;
    slot = slotOfUser;
    hash = hashOfUser;
    word = NOBODY;
  }

  void set(PlannedUser other) {
    users = other.users;
    slot = other.slot;
    hash = other.hash;
    word = other.word;
    plan = other.plan;
    before = other.before;
  }

  /** Reads the user's plan. */
  void read() {
    word = NOBODY;
    if (users == null) {
      return;
    }
    UserTable table = users.table();
    long read = table.word(slot, hash);
    if (read == NOBODY) {
      slot = table.meet(hash);
      read = slot == UserTable.NONE ? NOBODY : table.word(slot, hash);
    }
    if (UserWord.plan(read) != Plan.NONE.number()) {
      word = read;
      plan = users.plans().of(UserWord.plan(read));
      before = users.plans().of(UserWord.planBefore(read));
    }
  }

  /**
   * The budget of the user's plan, as it was read last.
   *
   * @return null if the plan has no limit.
   */
  Budget budget(Budget asked) {
    return word == NOBODY || !asked.isOfUsers() ? asked : asked.under(plan);
  }

  /** Says to a set of budgets whose plan the one that was added last is. */
  void tell(LimitSet budgets, Budget budget) {
    if (!budget.isOfUsers()) {
      return;
    }
    if (word == NOBODY) {
      budgets.underPlan(null, null, 0, 0, 0);
    } else {
      budgets.underPlan(limitBefore(budget), users.table(), slot, hash, word);
    }
  }

  /** A budget's limit, which reads words that the plan before has left. */
  Limit under(Budget budget, Limit limit, PlannedLimit into) {
    if (!budget.isOfUsers()) {
      return limit;
    }
    return word == NOBODY
        ? into.unknown(limit)
        : into.under(limit, limitBefore(budget), users.table(), slot, hash, word);
  }

  /** A limit that was replaced, as it was for the user. */
  Limit under(Budget.Past past, Budget budget, PlannedLimit into) {
    if (!past.isOfUsers()) {
      return past.limit();
    }
    if (word == NOBODY) {
      return into.unknown(past.limit());
    }
    Budget other = budget.under(before);
    Budget.Past same = other == null ? null : past.in(other.past());
    Limit limitBefore = same == null ? past.limit() : same.limit();
    return into.under(past.limit(), limitBefore, users.table(), slot, hash, word);
  }

  /** A limit whose charge is given back, as it was for the user when that was charged. */
  Limit asCharged(Limit limit, PlannedLimit into) {
    return word == NOBODY
        ? into.unknown(limit)
        : into.under(limit, limit, users.table(), slot, hash, word);
  }

  /** The limit under the plan before: never null, as nothing is charged where there is none. */
  private Limit limitBefore(Budget budget) {
    Budget other = budget.under(before);
    Budget of = other == null ? budget.base() : other;
    return of.share() == null ? of.limit() : of.share();
  }
}
