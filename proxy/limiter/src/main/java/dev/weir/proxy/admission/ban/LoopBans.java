package dev.weir.proxy.admission.ban;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.RuleBans;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.Arrays;

/**
 * The bans as one event loop uses them: it asks for each question under a rule with a ban, and
 * counts the refusals of its verdicts. It keeps the keys of a question from there to its verdict,
 * also while that is late.
 */
public final class LoopBans {
  private static final long NOBODY = 0;

  /** The place behind the keys of a question: not 0 if it resets. */
  private static final int RESETS = RuleSpec.MAX_BUDGETS;

  private static final int PLACES = RESETS + 1;

  private final Bans bans;
  private final Verdict verdict = new Verdict();

  /** The keys of the question that is being asked, by group; NOBODY if a group bans nobody. */
  private final long[] keys = new long[PLACES];

  /** The keys of questions whose verdict is late, by their place. */
  private long[] late = {};

  /** Counts how often bans were forgotten; event loops that share bans have the same. */
  private int era;

  public LoopBans(Bans bans) {
    this.bans = bans;
  }

  /** Prepares for rules, of which some may have bans. */
  public void use(RuleSet rules) {
    bans.use(rules);
  }

  /**
   * Forgets all bans and refusals: those of later questions have other keys. What is forgotten
   * keeps its place until the table needs it.
   */
  public void forget() {
    era++;
  }

  /**
   * Looks whether an identity of a question is banned. Neither a reset, which ends its bans when it
   * has passed, nor what only looks at budgets is refused.
   *
   * @return the refusal, valid until the next call; null if there is none.
   */
  public Verdict ask(RuleBans rule, Identities identities, Operation operation, long nowNs) {
    Arrays.fill(keys, NOBODY);
    if (operation == Operation.PEEK) {
      return null;
    }
    keys[RESETS] = operation == Operation.RESET ? 1 : 0;
    long leftNs = 0;
    int banned = 0;
    for (int group = 0; group < rule.groupCount(); group++) {
      if (!rule.mayBan(group)) {
        continue;
      }
      long key = bans.key(rule, group, identities.of(group), era);
      keys[group] = key;
      long leftOfGroupNs = operation == Operation.RESET ? 0 : bans.leftNs(key, nowNs);
      if (leftOfGroupNs > leftNs) {
        leftNs = leftOfGroupNs;
        banned = group;
      }
    }
    return leftNs == 0 ? null : refuse(rule, banned, leftNs);
  }

  /**
   * Bans identities, until a time at least.
   *
   * @param forNs how long; 0 ends their bans.
   * @return whether the rule can ban any of them.
   */
  public boolean set(RuleBans rule, Identities identities, long forNs, long nowNs) {
    boolean isAny = false;
    for (int group = 0; group < rule.groupCount(); group++) {
      if (rule.mayBan(group)) {
        bans.set(rule, bans.key(rule, group, identities.of(group), era), forNs, nowNs);
        isAny = true;
      }
    }
    return isAny;
  }

  /** Keeps the keys of the question that was asked last, whose verdict comes late. */
  public void keep(int place) {
    int at = place * PLACES;
    if (late.length <= at) {
      late = Arrays.copyOf(late, Math.max(2 * late.length, at + PLACES));
    }
    System.arraycopy(keys, 0, late, at, PLACES);
  }

  /** Goes on with the question whose keys were kept. */
  public void goOn(int place) {
    System.arraycopy(late, place * PLACES, keys, 0, PLACES);
  }

  /**
   * Counts the refusal of a question by a limit, or ends the bans of a reset that has passed.
   *
   * @return the verdict to tell: that of the ban, if one begins with it; valid until the next call.
   */
  public Verdict decided(RuleBans rule, Verdict decided, long nowNs) {
    if (!decided.allowed()) {
      return refused(rule, decided, nowNs);
    }
    if (keys[RESETS] != 0) {
      for (int group = 0; group < rule.groupCount(); group++) {
        if (keys[group] != NOBODY) {
          bans.end(rule, keys[group], nowNs);
        }
      }
    }
    return decided;
  }

  private Verdict refused(RuleBans rule, Verdict refusal, long nowNs) {
    int group = isByLimit(refusal) ? rule.groupOf(refusal.policy()) : -1;
    if (group < 0 || keys[group] == NOBODY) {
      return refusal;
    }
    long leftNs = bans.refused(rule, keys[group], nowNs);
    return leftNs == 0 ? refusal : refuse(rule, group, leftNs);
  }

  private static boolean isByLimit(Verdict refusal) {
    RefusalReason reason = refusal.refusal();
    boolean isOver =
        reason == RefusalReason.OVER_LIMIT || reason == RefusalReason.NEVER_SATISFIABLE;
    return isOver && !refusal.isOfOthers();
  }

  private Verdict refuse(RuleBans rule, int group, long leftNs) {
    Budget budget = rule.budget(group);
    return verdict.refuse(
        RefusalReason.BANNED, budget.policy(), budget.limit().capacity(), 0, leftNs, leftNs);
  }
}
