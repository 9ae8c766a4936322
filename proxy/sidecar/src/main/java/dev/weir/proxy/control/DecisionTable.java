package dev.weir.proxy.control;

import dev.weir.proxy.decision.DecisionSettings;
import java.util.List;

/** The settings of the decision API, and of Envoy's rate limits, which it answers too. */
final class DecisionTable {
  /** The address that {@code on} stands for. */
  static final String ADDRESS = "127.0.0.1:8081";

  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.value(
              "decision",
              SettingKind.DECISION,
              null,
              "For programs that ask: as listen, or on for " + ADDRESS + " (by default off).",
              text -> ListenerTable.of("decision", text)),
          SettingRow.file("decision-tokens", "Of bearer tokens, one a line."),
          SettingRow.word(
              "decision-tokens-for",
              "resets",
              "Who needs one: %s (default) or all.",
              new String[] {"resets", "all"}),
          SettingRow.file(
              "ratelimit-config", "A folder of envoyproxy/ratelimit's files, for Envoys that ask."),
          SettingRow.toggle(
              "ratelimit-merge-domains", "Several of those files may have one domain."),
          SettingRow.word(
              "ratelimit-headers",
              "off",
              "Fields for clients where no file says: %s (default), x-ratelimit, draft06, draft11.",
              LimitHeaders.values()),
          SettingRow.toggle(
              "ratelimit-shadow-mode", "Calls that are over their limits pass, and are counted."),
          SettingRow.toggle(
              "ratelimit-quota-mode", "A call is refused only if all of its limits are over."));

  private DecisionTable() {}

  static List<ListenerTable> listeners(SettingValues values) {
    return values.list("decision", ListenerTable.class);
  }

  private static boolean needsTokenForAll(SettingValues values) {
    return values.text("decision-tokens-for").equals("all");
  }

  /** Reports what does not go together. */
  static void check(SettingValues values, Misfits misfits) {
    if (needsTokenForAll(values) && !values.isGiven("decision-tokens")) {
      misfits.add("decision-tokens-for", "all", "decision-tokens too");
    }
    if (listeners(values).isEmpty()) {
      for (String name : List.of("decision-tokens", "ratelimit-config")) {
        if (values.isGiven(name)) {
          misfits.add(name, values.file(name).toString(), "decision too");
        }
      }
    }
    if (values.isGiven("ratelimit-config")) {
      return;
    }
    for (String name : List.of("merge-domains", "headers", "shadow-mode", "quota-mode")) {
      Object value = values.get("ratelimit-" + name, Object.class);
      if (!value.equals(false) && !value.equals(LimitHeaders.OFF)) {
        misfits.add("ratelimit-" + name, value.toString(), "ratelimit-config too");
      }
    }
  }

  private static LimitHeaders headers(SettingValues values) {
    return values.get("ratelimit-headers", LimitHeaders.class);
  }

  static RateLimitSettings rateLimits(SettingValues values) {
    return new RateLimitSettings(
        values.file("ratelimit-config"),
        values.isOn("ratelimit-merge-domains"),
        new RateLimitAnswers(
            headers(values),
            values.isOn("ratelimit-shadow-mode"),
            values.isOn("ratelimit-quota-mode")));
  }

  static DecisionSettings build(SettingValues values) {
    return new DecisionSettings(
        ListenerTable.build(listeners(values), values),
        values.file("decision-tokens"),
        needsTokenForAll(values));
  }
}
