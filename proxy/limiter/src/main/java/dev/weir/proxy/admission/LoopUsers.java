package dev.weir.proxy.admission;

import dev.weir.algorithms.UserTable;
import dev.weir.algorithms.UserWord;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.Plan;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

/**
 * The step between a question's rule and its charges that finds the plan of its user: what the
 * user's record says, else the tier that the request names, else the first. Only rules of which
 * users may have other numbers take it. One per event loop.
 */
final class LoopUsers {
  /** Nobody has said which tier a user has. */
  private static final int NOBODY_SAID = 0;

  /** The result of {@link #waitsUntilNs} of a question that has not to wait for its user. */
  static final long WAITS_NOT = 0;

  /** How often a plan is told to the table, while other threads tell others. */
  private static final int MAX_ATTEMPTS = 8;

  private final Users shared;
  private final IdentityReader identities;
  private final boolean onlyLooks;
  private final LongSupplier nowNs;

  /** The user of the last question. */
  private final PlannedUser user = new PlannedUser();

  /** Null if the rules know no users. */
  private UsersSpec users;

  /** What names a request's tier: what is verified first, each kind in the file's order. */
  private KeyPart[] tierFrom;

  /** The names of the tiers, and their plans. */
  private byte[][] names;

  private Plan[] plans;

  /** The plan of whom nobody says the tier. */
  private Plan usual;

  /** Who said the tier of the last question. */
  private int source;

  /** Is told of users whose questions wait; null if no question does. */
  private RecordedUsers.Waiter waiter;

  /** Until when the last question may wait for its user; {@link #WAITS_NOT} if it does not. */
  private long waitsUntilNs = WAITS_NOT;

  private long awaited;

  /**
   * @param onlyLooks whether nothing that it finds changes what is known of users.
   * @param nowNs by the clock of the checks.
   */
  LoopUsers(Users shared, IdentityReader identities, boolean onlyLooks, LongSupplier nowNs) {
    this.onlyLooks = onlyLooks;
    this.shared = shared;
    this.identities = identities;
    this.nowNs = nowNs;
  }

  /** Has questions wait for users who are being read. */
  void waitFor(RecordedUsers.Waiter told) {
    waiter = told;
  }

  /** Replaces the rules; those of event loops also for what is known of users. */
  void use(RuleSet rules) {
    if (!onlyLooks) {
      shared.use(rules);
    }
    users = rules.users();
    if (users != null) {
      names =
          users.tiers().stream()
              .map(tier -> tier.getBytes(StandardCharsets.UTF_8))
              .toArray(byte[][]::new);
      plans = users.tiers().stream().map(shared.plans()::ofTier).toArray(Plan[]::new);
      usual = shared.plans().usual(users);
      tierFrom =
          Stream.concat(
                  users.tierFrom().stream().filter(KeyPart::isVerified),
                  users.tierFrom().stream().filter(from -> !from.isVerified()))
              .toArray(KeyPart[]::new);
    }
  }

  /** The user of the last question that {@link #under} was asked about. */
  PlannedUser user() {
    return user;
  }

  /**
   * Until when the last question waits for its user, who is being read; {@link #WAITS_NOT} if it
   * does not. Its rule is then under the plan of its tier.
   */
  long waitsUntilNs() {
    return waitsUntilNs;
  }

  /** The hash of the user for whom the last question waits. */
  long awaited() {
    return awaited;
  }

  /**
   * A rule under the plan of a question's user.
   *
   * @param mayWait false of a question that has waited.
   */
  Rule under(Rule rule, Question question, boolean mayWait) {
    user.nobody();
    waitsUntilNs = WAITS_NOT;
    if (users == null || !rule.isOfUsers()) {
      return rule;
    }
    Plan tier = tier(question);
    Identity who = identities.user(users.identity(), question);
    boolean isAsked = question.operation() == Operation.CHECK || source != NOBODY_SAID;
    boolean looks = onlyLooks || !isAsked;
    int slot = who == null ? UserTable.NONE : slot(who, looks);
    if (slot == UserTable.NONE) {
      return rule.under(tier);
    }
    if (looks) {
      return rule.under(known(slot, who.hash(), tier));
    }
    user.set(shared, slot, who.hash());
    ask(slot, who, rule, question, mayWait);
    return rule.under(waitsUntilNs == WAITS_NOT ? plan(slot, who.hash(), tier) : tier);
  }

  private int slot(Identity who, boolean looks) {
    UserTable table = shared.table(); // null if this only looks, and event loops know no users
    if (looks) {
      return table == null ? UserTable.NONE : table.find(who.hash());
    }
    return table.meet(who.hash());
  }

  /** The user's plan: that of the record, or of the tier that the question names, or the last. */
  private Plan known(int slot, long hash, Plan tier) {
    user.set(shared, slot, hash);
    long word = shared.table().word(slot, hash);
    Plan known = shared.plans().of(UserWord.plan(word));
    if (UserWord.source(word) == UserWord.RECORD) {
      return shared.plans().now(known, tier, nowMs(known));
    }
    return source != NOBODY_SAID || known == Plan.NONE ? tier : known;
  }

  /** The user's plan, which the table knows from now on. */
  private Plan plan(int slot, long hash, Plan tier) {
    UserTable table = shared.table();
    Plan plan = tier;
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      long word = table.word(slot, hash);
      Plan known = shared.plans().of(UserWord.plan(word));
      boolean isRecorded = UserWord.source(word) == UserWord.RECORD;
      plan = isRecorded ? shared.plans().now(known, tier, nowMs(known)) : tier;
      int said = isRecorded ? UserWord.RECORD : source;
      if (plan == known && UserWord.source(word) == said
          || table.set(slot, hash, word, plan.number(), said, UserWord.isKnown(word))) {
        return plan;
      }
    }
    return plan;
  }

  /** Has a user's record read who is not known; a check waits for it if the user has no plan. */
  private void ask(int slot, Identity who, Rule rule, Question question, boolean mayWait) {
    RecordedUsers records = shared.records();
    long word = shared.table().word(slot, who.hash());
    if (records == null || !records.areThere() || UserWord.isKnown(word)) {
      return;
    }
    boolean hasPlan = UserWord.plan(word) != Plan.NONE.number();
    boolean waits = mayWait && !hasPlan && question.operation() == Operation.CHECK;
    long sinceNs = records.ask(who, waits ? waiter : null);
    if (waits && waiter != null && sinceNs != RecordedUsers.NOT_READ) {
      long now = nowNs.getAsLong();
      long untilNs =
          asksStore(rule)
              ? Math.min(sinceNs + records.deadlineNs() / 2, halfway(now, question.deadlineNs()))
              : Math.min(sinceNs + records.deadlineNs(), question.deadlineNs());
      waitsUntilNs = untilNs > now ? untilNs : WAITS_NOT;
      awaited = who.hash();
    }
  }

  private static long halfway(long now, long deadlineNs) {
    return deadlineNs == Question.NO_DEADLINE ? deadlineNs : now + (deadlineNs - now) / 2;
  }

  /** Whether the store has to decide within the same deadline. */
  private static boolean asksStore(Rule rule) {
    return rule.localGroupCount() < rule.groupCount();
  }

  private long nowMs(Plan known) {
    return known.hasOverride() ? Users.unixMs(nowNs.getAsLong()) : 0;
  }

  /** The plan of the tier that the question names; else that of the first tier. */
  private Plan tier(Question question) {
    source = NOBODY_SAID;
    for (KeyPart from : tierFrom) {
      int tier = identities.indexOf(from, names, question);
      if (tier >= 0) {
        source = from.isVerified() ? UserWord.TOKEN : UserWord.HEADER;
        return plans[tier];
      }
    }
    return usual;
  }
}
