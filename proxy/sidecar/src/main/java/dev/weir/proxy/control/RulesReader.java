package dev.weir.proxy.control;

import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.ShadowedRule;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.RefusalSpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** Reads the rules of a document: each by itself, then what they are together. */
final class RulesReader {
  private final YamlTree tree;
  private final Faults faults;
  private final Misfits misfits;
  private final IdentityNames names;
  private final KeyReader keys;
  private final RefusalReader refusals;

  /** The answer of rules that do not say it themselves; null for Weir's own. */
  private final RefusalSpec refusal;

  RulesReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
    names = new IdentitiesReader(tree, faults).read();
    keys = new KeyReader(tree, faults, names);
    misfits = Misfits.ofFile(faults, tree);
    refusals = new RefusalReader(tree, faults);
    refusal = refusals.read("refusal");
  }

  /** The rules that could be read, at their places in the file; null where one could not. */
  List<RuleSpec> read() {
    List<RuleSpec> rules = new ArrayList<>();
    List<YamlValue> items = tree.at("rules").items();
    for (int i = 0; i < items.size(); i++) {
      rules.add(items.get(i).isSection() ? readRule("rules[" + i + "].") : null);
    }
    return rules;
  }

  private RuleSpec readRule(String at) {
    RuleSpec.Builder rule = RuleSpec.builder(tree.texts().getOrDefault(at + "id", ""));
    readRows(RuleSettingsTable.ROWS.values(), at, rule);
    rule.key(KeySpec.ofParts(names.parts("ip")));
    keys.read(at + "key", rule::key);
    new CostReader(tree, faults).read(at + "cost", rule::cost);
    new AdaptiveReader(tree, faults).read(at + "concurrency", rule);
    new TiersReader(tree, faults).read(at, rule);
    RefusalSpec own = refusals.read(at + "refusal");
    rule.refusal(own == null ? refusal : own);
    List<BudgetSpec.Builder> limits = readLimits(at + "limits");
    readEverywhere(at + RuleSpec.EVERYWHERE, rule);
    if (!limits.isEmpty()) {
      rule.limits(limits);
      refuseBesideLimits(at);
    }
    new MatchReader(tree, faults).read(at + "match", rule.match());
    new BanReader(tree, faults).read(at + "ban", rule::ban);
    return rule.build();
  }

  /** Reads all fields but keys, which may have names of this file. */
  private <T> void readRows(Collection<? extends SettingRow<T>> rows, String at, T into) {
    for (SettingRow<T> row : rows) {
      if (row.kind() != SettingKind.KEY && row.fileOnly() == null) {
        row.read(tree, at, into);
      }
    }
  }

  /** The limits of all requests; null if there are none. */
  RuleSpec everywhere() {
    List<BudgetSpec.Builder> limits = readLimits(RuleSpec.EVERYWHERE);
    return limits.isEmpty() ? null : RuleSpec.ofEverywhere(limits, refusal);
  }

  /** Who the users are; null if the file does not say it. */
  UsersSpec users() {
    return new UsersReader(tree, faults).read(keys);
  }

  /** Which of the limits of all requests a rule takes: some by their names, none, or all. */
  private void readEverywhere(String path, RuleSpec.Builder rule) {
    tree.read(
        path,
        text -> {
          if (!text.equals("true") && !text.equals("false")) {
            throw new BadValueException(text, "names of limits in a list, true or false");
          }
          rule.everywhere(text.equals("true") ? null : List.of());
        });
    List<String> names = new ArrayList<>();
    tree.readItems(path, names::add);
    if (tree.at(path).isList() && tree.at(path).items().isEmpty()) {
      faults.add(tree.line(path), path, "0 items", "at least 1, or false for none");
    }
    if (!names.isEmpty()) {
      rule.everywhere(names);
    }
  }

  private List<BudgetSpec.Builder> readLimits(String at) {
    List<BudgetSpec.Builder> limits = new ArrayList<>();
    int count = tree.at(at).items().size();
    for (int i = 0; i < count; i++) {
      String within = at + "[" + i + "].";
      BudgetSpec.Builder limit = new BudgetSpec.Builder();
      readRows(RuleSettingsTable.OF_LIMIT, within, limit);
      keys.read(within + "key", limit::key);
      new CostReader(tree, faults).read(within + "cost", limit::cost);
      new AdaptiveReader(tree, faults).read(within + "concurrency", limit);
      new TiersReader(tree, faults).read(within, limit);
      refuseBoth(within);
      limits.add(limit);
    }
    return limits;
  }

  /** Reports requests at a time beside a rate: in a list each is a limit of its own. */
  private void refuseBoth(String within) {
    String path = within + "concurrency";
    String concurrency = concurrency(path);
    if (concurrency != null && tree.texts().containsKey(within + "limit")) {
      String expected = "nothing beside limit, but a limit of its own";
      faults.add(tree.line(path), path, concurrency, expected);
    }
  }

  private void refuseBesideLimits(String at) {
    String expected = "nothing, as line " + tree.line(at + "limits") + " has limits";
    if (tree.at(at + TiersReader.SECTION).isSection()) {
      misfits.add(at + TiersReader.SECTION, "given", expected);
    }
    for (SettingRow<?> row : RuleSettingsTable.OF_LIMIT) {
      String text = tree.texts().get(at + row.name());
      if (text != null && !RuleSettingsTable.isInherited(row.name())) {
        misfits.add(at + row.name(), text, expected);
      }
    }
    String path = at + "concurrency";
    if (tree.at(path).isSection()) {
      misfits.add(path, concurrency(path), expected);
    }
  }

  /** The requests at a time at a path, as text; null if it has none. */
  private String concurrency(String path) {
    return tree.at(path).isSection() ? AdaptiveReader.TEXT : tree.texts().get(path);
  }

  /**
   * Reports what is wrong with rules as a whole and between them; after the schema had its say.
   *
   * @param rules as {@link #read} returned them.
   * @param everywhere as {@link #everywhere} returned it.
   * @param users as {@link #users} returned them.
   * @param trustsProxies whether there are trusted proxies.
   */
  void check(
      List<RuleSpec> rules,
      RuleSpec everywhere,
      UsersSpec users,
      boolean ignoreCase,
      boolean trustsProxies) {
    EverywhereCheck ofAll = new EverywhereCheck(everywhere, tree, misfits);
    ofAll.check(faults);
    UsersCheck ofUsers = new UsersCheck(users, tree, misfits);
    if (everywhere != null && !faults.isFaultyWithin(RuleSpec.EVERYWHERE)) {
      ofUsers.check(everywhere, "");
    }
    Map<String, Integer> byId = new HashMap<>();
    for (int i = 0; i < rules.size(); i++) {
      String at = "rules[" + i + "]";
      RuleSpec rule = rules.get(i);
      if (rule == null || faults.isFaulty(at + ".id")) {
        continue;
      }
      if (!faults.isFaultyWithin(at)) {
        rule.check((field, bad) -> misfits.add(at + "." + field, bad));
        ofAll.check(rule, at + ".");
        ofUsers.check(rule, at + ".");
      }
      Integer before = byId.putIfAbsent(rule.id(), i);
      if (before != null && !faults.isFaulty(at + ".id")) {
        int line = tree.line("rules[" + before + "].id");
        misfits.add(at + ".id", rule.id(), "an id of its own, not that of line " + line);
      }
    }
    if (faults.isEmpty()) {
      checkTogether(rules, everywhere, ignoreCase, trustsProxies);
      ofUsers.warn(faults);
    }
  }

  private static void warn(RuleSpec rule, boolean trustsProxies, BiConsumer<String, String> sink) {
    LeaseLint.check(rule, sink);
    HeldLint.check(rule, sink);
    CostLint.check(rule, sink);
    IdleLimitLint.check(rule, sink);
    BanLint.check(rule, trustsProxies, sink);
  }

  private void checkTogether(
      List<RuleSpec> rules, RuleSpec everywhere, boolean ignoreCase, boolean trustsProxies) {
    try {
      RuleSet set = RuleSet.compile(rules, everywhere, ignoreCase, RuleSet.EMPTY, 0, 0);
      set.unreachable().forEach(rule -> report(rule, ignoreCase));
      for (int i = 0; i < rules.size(); i++) {
        String at = "rules[" + i + "].";
        warn(
            rules.get(i),
            trustsProxies,
            (field, text) -> faults.warn(tree.line(at + field), at + field, text));
      }
      if (everywhere != null) {
        warn(
            everywhere, trustsProxies, (field, text) -> faults.warn(tree.line(field), field, text));
      }
    } catch (BadValueException bad) {
      faults.add(tree.line("rules"), "rules", bad);
    }
  }

  /** A rule that nothing can reach is a mistake if it says the same match again, else a warning. */
  private void report(ShadowedRule shadowed, boolean ignoreCase) {
    Rule rule = shadowed.rule();
    Rule before = shadowed.by();
    String path = "rules[" + rule.index() + "].match";
    int line = tree.line("rules[" + before.index() + "]");
    boolean same =
        rule.spec().match().isSame(before.spec().match(), ignoreCase)
            && rule.spec().priority() == before.spec().priority();
    if (same) {
      String expected = "a match of its own, or another priority: \"%s\" on line %d has the same";
      String found = rule.spec().match().path().toString();
      misfits.add(path, found, expected.formatted(before.id(), line));
    } else {
      String problem = "\"%s\" is never reached: \"%s\" on line %d stands before it, and takes %s";
      String text = problem.formatted(rule.id(), before.id(), line, shadowed.example());
      faults.warn(tree.line(path), path, text);
    }
  }
}
