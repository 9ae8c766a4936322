package dev.weir.proxy.admission;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.nio.charset.StandardCharsets;

/**
 * The step between a question's rule and its charges that finds the plan of its user. Only rules
 * whose limits have tiers take it. One per event loop.
 */
final class LoopUsers {
  private final Users shared;
  private final IdentityReader identities;

  /** Null if the rules know no users. */
  private UsersSpec users;

  /** The names of the tiers, and their plans. */
  private byte[][] names;

  private Plan[] plans;

  LoopUsers(Users shared, IdentityReader identities) {
    this.shared = shared;
    this.identities = identities;
  }

  /** Replaces the rules. */
  void use(RuleSet rules) {
    users = rules.users();
    if (users != null) {
      names =
          users.tiers().stream()
              .map(tier -> tier.getBytes(StandardCharsets.UTF_8))
              .toArray(byte[][]::new);
      plans = users.tiers().stream().map(shared.plans()::ofTier).toArray(Plan[]::new);
    }
  }

  /** A rule under the plan of a question's user. */
  Rule under(Rule rule, Question question) {
    return users == null || !rule.isOfUsers() ? rule : rule.under(plan(question));
  }

  /** The plan by the tier that the question names; else that of the first tier. */
  private Plan plan(Question question) {
    for (int i = 0; i < users.tierFrom().size(); i++) {
      int tier = identities.indexOf(users.tierFrom().get(i), names, question);
      if (tier >= 0) {
        return plans[tier];
      }
    }
    return plans.length == 0 ? Plan.NONE : plans[0];
  }
}
