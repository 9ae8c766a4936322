package dev.weir.proxy.control;

import dev.weir.proxy.rule.Algorithm;
import dev.weir.proxy.rule.Alignment;
import dev.weir.proxy.rule.BadValueException;
import dev.weir.proxy.rule.BudgetSpec;
import dev.weir.proxy.rule.DurationText;
import dev.weir.proxy.rule.KeySpec;
import dev.weir.proxy.rule.LimitSpec;
import dev.weir.proxy.rule.Mode;
import dev.weir.proxy.rule.OnMissingKey;
import dev.weir.proxy.rule.OnStoreFailure;
import dev.weir.proxy.rule.Overflow;
import dev.weir.proxy.rule.PathPattern;
import dev.weir.proxy.rule.Rate;
import dev.weir.proxy.rule.RuleAction;
import dev.weir.proxy.rule.RuleSpec;
import dev.weir.proxy.rule.Share;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;

/**
 * For every field of a rule that is one text, how it is read; files and flags share it. So do the
 * fields of a rule's one limit and those of each in a list.
 */
final class RuleFields {
  private static final Map<String, BiConsumer<BudgetSpec.Builder, String>> OF_LIMIT = ofLimit();
  private static final Map<String, BiConsumer<RuleSpec.Builder, String>> SETTERS = setters();

  private RuleFields() {}

  private static Map<String, BiConsumer<BudgetSpec.Builder, String>> ofLimit() {
    Map<String, BiConsumer<BudgetSpec.Builder, String>> at = new TreeMap<>();
    at.put("limit", (b, t) -> b.rate(Rate.parse(t)));
    at.put("burst", (b, t) -> b.burst(Texts.parseLong(t, 1, Rate.MAX_COUNT)));
    at.put("algorithm", (b, t) -> b.algorithm(Texts.parseOneOf(t, Algorithm.values())));
    at.put("overflow", (b, t) -> b.overflow(Texts.parseOneOf(t, Overflow.values())));
    at.put("max-wait", (b, t) -> b.maxWaitNs(maxWaitNs(t)));
    at.put("align", (b, t) -> b.align(Texts.parseOneOf(t, Alignment.values())));
    at.put("time-zone", (b, t) -> b.zone(zone(t)));
    at.put("sub-window", (b, t) -> b.subWindowNs(DurationText.parseNs(t)));
    return at;
  }

  private static Map<String, BiConsumer<RuleSpec.Builder, String>> setters() {
    Map<String, BiConsumer<RuleSpec.Builder, String>> at = new TreeMap<>();
    OF_LIMIT.forEach((name, set) -> at.put(name, (b, t) -> set.accept(b.limit(), t)));
    at.put("match.path", (b, t) -> b.path(PathPattern.parse(t)));
    at.put("key", (b, t) -> b.key(KeySpec.parse(t)));
    at.put("cost", (b, t) -> b.cost(Texts.parseLong(t, 1, Rate.MAX_COUNT)));
    at.put("action", (b, t) -> b.action(Texts.parseOneOf(t, RuleAction.values())));
    at.put("dry-run", (b, t) -> b.dryRun(Texts.parseBoolean(t)));
    at.put("on-missing-key", (b, t) -> b.onMissingKey(Texts.parseOneOf(t, OnMissingKey.values())));
    at.put("priority", (b, t) -> b.priority(Texts.parseInt(t, -1_000_000, 1_000_000)));
    at.put("mode", (b, t) -> b.mode(Texts.parseOneOf(t, Mode.values())));
    at.put("share", (b, t) -> b.share(Texts.parseOneOf(t, Share.values())));
    at.put(
        "on-store-failure",
        (b, t) -> b.onStoreFailure(Texts.parseOneOf(t, OnStoreFailure.values())));
    return at;
  }

  private static long maxWaitNs(String text) {
    long waitNs = DurationText.parseNs(text);
    if (waitNs > LimitSpec.MAX_MAX_WAIT_NS) {
      throw new BadValueException(text, "at most 1h");
    }
    return waitNs;
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException unknown) {
      throw new BadValueException(text, "a time zone such as Europe/Berlin or UTC");
    }
  }

  /** The names of the fields. */
  static Set<String> names() {
    return SETTERS.keySet();
  }

  /**
   * Reads one field.
   *
   * @throws BadValueException if the text is not one for it.
   */
  static void set(RuleSpec.Builder rule, String name, String text) {
    SETTERS.get(name).accept(rule, text);
  }

  /** The names of the fields of a limit, but its key. */
  static Set<String> namesOfLimit() {
    return OF_LIMIT.keySet();
  }

  /**
   * Reads one field of a limit in a list.
   *
   * @throws BadValueException if the text is not one for it.
   */
  static void set(BudgetSpec.Builder limit, String name, String text) {
    OF_LIMIT.get(name).accept(limit, text);
  }
}
