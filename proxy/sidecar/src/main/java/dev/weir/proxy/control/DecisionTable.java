package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.DECISION;
import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.SWITCH;

import dev.weir.proxy.decision.DecisionSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Settings of the decision API, on their way from texts to a record. */
final class DecisionTable {
  /** The address that {@code on} stands for. */
  static final String ADDRESS = "127.0.0.1:8081";

  static final List<SettingRow<DecisionTable>> ALL =
      List.of(
          SettingRow.of(
              "decision",
              DECISION,
              null,
              "For programs that ask: as listen, or on for " + ADDRESS + " (by default off).",
              (table, text) -> table.listeners.add(ListenerTable.of("decision", text))),
          SettingRow.of(
              "decision-tokens",
              FILE,
              null,
              "Of bearer tokens, one a line.",
              (table, text) -> table.tokens = Texts.parseFile(text)),
          SettingRow.of(
              "decision-tokens-for",
              NAME,
              "resets",
              "Who needs one: %s (default) or all.",
              (table, text) -> table.tokensForAll = isAll(text)),
          SettingRow.of(
              "ratelimit-config",
              FILE,
              null,
              "A folder of envoyproxy/ratelimit's files, for Envoys that ask.",
              (table, text) -> table.rateLimitFolder = Texts.parseFile(text)),
          SettingRow.of(
              "ratelimit-merge-domains",
              SWITCH,
              "false",
              "Several of those files may have one domain.",
              (table, text) -> table.mergesDomains = Texts.parseBoolean(text)),
          SettingRow.of(
              "ratelimit-headers",
              NAME,
              "off",
              "Fields for clients where no file says: %s (default), x-ratelimit, draft06, draft11.",
              (table, text) -> table.headers = Texts.parseOneOf(text, LimitHeaders.values())),
          SettingRow.of(
              "ratelimit-shadow-mode",
              SWITCH,
              "false",
              "Calls that are over their limits pass, and are counted.",
              (table, text) -> table.isShadow = Texts.parseBoolean(text)),
          SettingRow.of(
              "ratelimit-quota-mode",
              SWITCH,
              "false",
              "A call is refused only if all of its limits are over.",
              (table, text) -> table.areQuotas = Texts.parseBoolean(text)));

  final List<ListenerTable> listeners = new ArrayList<>();
  private Path tokens;
  private boolean tokensForAll;
  private Path rateLimitFolder;
  private boolean mergesDomains;
  private LimitHeaders headers = LimitHeaders.OFF;
  private boolean isShadow;
  private boolean areQuotas;

  private static boolean isAll(String text) {
    return Texts.parseOneOf(text, new String[] {"resets", "all"}).equals("all");
  }

  /** Reports what does not go together. */
  void check(Misfits misfits) {
    if (tokensForAll && tokens == null) {
      misfits.add("decision-tokens-for", "all", "decision-tokens too");
    }
    if (tokens != null && listeners.isEmpty()) {
      misfits.add("decision-tokens", tokens.toString(), "decision too");
    }
    if (rateLimitFolder != null && listeners.isEmpty()) {
      String folder = rateLimitFolder.toString();
      misfits.add("ratelimit-config", folder, "decision too");
    }
    if (rateLimitFolder == null) {
      checkWithoutFolder("ratelimit-merge-domains", mergesDomains, "true", misfits);
      checkWithoutFolder(
          "ratelimit-headers", headers != LimitHeaders.OFF, headers.toString(), misfits);
      checkWithoutFolder("ratelimit-shadow-mode", isShadow, "true", misfits);
      checkWithoutFolder("ratelimit-quota-mode", areQuotas, "true", misfits);
    }
  }

  private static void checkWithoutFolder(
      String name, boolean isSet, String value, Misfits misfits) {
    if (isSet) {
      misfits.add(name, value, "ratelimit-config too");
    }
  }

  RateLimitSettings rateLimits() {
    return new RateLimitSettings(
        rateLimitFolder, mergesDomains, new RateLimitAnswers(headers, isShadow, areQuotas));
  }

  DecisionSettings build(TlsSettingsTable tls) {
    return new DecisionSettings(
        listeners.stream().map(listener -> listener.build(tls)).toList(), tokens, tokensForAll);
  }
}
