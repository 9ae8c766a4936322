package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.token.TokenSettings;
import java.util.HashSet;
import java.util.Set;

/** Checks who the users are, and what limits say of their tiers. */
final class UsersCheck {
  private static final String SECTION = UsersReader.SECTION;
  private static final String TRUST = "trusted-proxies, whose headers are believed";
  private static final String TOKENS = "jwt.keys or jwt.keys-url to be set, which verify tokens";

  /** Null if nothing says who they are. */
  private final UsersSpec users;

  private final YamlTree tree;
  private final Misfits misfits;

  /** The tiers that some limit has numbers for. */
  private final Set<String> used = new HashSet<>();

  UsersCheck(UsersSpec users, YamlTree tree, Misfits misfits) {
    this.users = users;
    this.tree = tree;
    this.misfits = misfits;
  }

  /**
   * Reports tiers of a rule's limits that there are not, or that nobody can have.
   *
   * @param at what stands before the names of its fields.
   */
  void check(RuleSpec rule, String at) {
    for (int i = 0; i < rule.budgets().size() && rule.action() == RuleAction.LIMIT; i++) {
      BudgetSpec budget = rule.budgets().get(i);
      String path = at + rule.fieldsOf(i) + TiersReader.SECTION;
      if (!budget.tiers().isEmpty()) {
        check(budget, path);
        used.addAll(budget.tiers().keySet());
      }
    }
  }

  private void check(BudgetSpec budget, String path) {
    String found = String.join(", ", budget.tiers().keySet());
    if (users == null) {
      if (!tree.at(SECTION).isSection()) {
        misfits.add(path, found, "users, whose identity and tiers the file says");
      }
      return;
    }
    if (!users.isIn(budget.key())) {
      String expected = "nothing, or a key with the users' identity in it: ";
      misfits.add(path, found, expected + users.identity());
    }
    for (String tier : budget.tiers().keySet()) {
      if (!users.tiers().contains(tier)) {
        String expected =
            users.tiers().isEmpty() ? "a tier of users.tiers" : "one of " + all(users);
        misfits.add(YamlTree.inner(path, tier), tier, expected);
      }
    }
  }

  private static String all(UsersSpec users) {
    return String.join(", ", users.tiers());
  }

  /**
   * Reports what names a tier, or a user, and that nobody verifies.
   *
   * @param hasTrusted whether there are trusted proxies.
   */
  void checkNeeds(boolean hasTrusted, TokenSettings tokens) {
    if (users == null) {
      return;
    }
    KeySpec identity = users.identity();
    String path = SECTION + "." + UsersReader.IDENTITY;
    if (identity.readsTokens() && !tokens.isConfigured()) {
      misfits.add(path, identity.toString(), TOKENS);
    }
    if (users.directory() != null && !hasTrusted && identity.hasChosen()) {
      String expected = "what is verified, or " + TRUST + ", as it says whose tier a request has";
      misfits.add(path, identity.toString(), expected);
    }
    for (int i = 0; i < users.tierFrom().size(); i++) {
      KeyPart source = users.tierFrom().get(i);
      String at = SECTION + "." + UsersReader.TIER_FROM + "[" + i + "]";
      if (source.readsToken() && !tokens.isConfigured()) {
        misfits.add(at, source.toString(), TOKENS);
      } else if (!source.readsToken() && !hasTrusted) {
        misfits.add(at, source.toString(), TRUST);
      }
    }
  }

  /** Checks as {@link #checkNeeds} does, by what a process was started with. */
  void checkAtReload(Settings running) {
    checkNeeds(!running.identity().trustedProxies().isEmpty(), running.tokens());
  }

  /** Warns of tiers that change nothing. */
  void warn(Faults faults) {
    for (int i = 1; users != null && i < users.tiers().size(); i++) {
      String tier = users.tiers().get(i);
      if (!used.contains(tier)) {
        String path = SECTION + "." + UsersReader.TIERS + "[" + i + "]";
        String problem = "no limit has numbers for %s: its users have what all have";
        faults.warn(tree.line(path), path, problem.formatted(tier));
      }
    }
  }
}
