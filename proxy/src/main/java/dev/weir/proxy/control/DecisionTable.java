package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.DECISION;
import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.SWITCH;

import dev.weir.proxy.decision.DecisionSettings;
import dev.weir.proxy.rule.BadValueException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/** Settings of the decision API, on their way from texts to a record. */
final class DecisionTable {
  /** What stands for {@code on}, in the place of an address. */
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
              (table, text) -> table.mergesDomains = Texts.parseBoolean(text)));

  final List<ListenerTable> listeners = new ArrayList<>();
  private Path tokens;
  private boolean tokensForAll;
  private Path rateLimitFolder;
  private boolean mergesDomains;

  private static boolean isAll(String text) {
    return Texts.parseOneOf(text, new String[] {"resets", "all"}).equals("all");
  }

  /** Reports what does not go together. */
  void check(BiConsumer<String, BadValueException> sink) {
    if (tokensForAll && tokens == null) {
      sink.accept("decision-tokens-for", new BadValueException("all", "decision-tokens too"));
    }
    if (tokens != null && listeners.isEmpty()) {
      sink.accept("decision-tokens", new BadValueException(tokens.toString(), "decision too"));
    }
    if (rateLimitFolder != null && listeners.isEmpty()) {
      String folder = rateLimitFolder.toString();
      sink.accept("ratelimit-config", new BadValueException(folder, "decision too"));
    }
    if (mergesDomains && rateLimitFolder == null) {
      sink.accept("ratelimit-merge-domains", new BadValueException("true", "ratelimit-config too"));
    }
  }

  RateLimitSettings rateLimits() {
    return new RateLimitSettings(rateLimitFolder, mergesDomains);
  }

  DecisionSettings build(TlsSettingsTable tls) {
    return new DecisionSettings(
        listeners.stream().map(listener -> listener.build(tls)).toList(), tokens, tokensForAll);
  }
}
