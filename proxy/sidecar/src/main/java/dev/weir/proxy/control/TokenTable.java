package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.token.TokenSettings;
import java.util.List;

/** The settings of tokens whose claims are keys of rules, those below {@code jwt}. */
final class TokenTable {
  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.file("jwt.keys", "The issuer's JSON Web Key Set, which verifies tokens."),
          text("jwt.issuer", "Whose tokens are accepted: their iss (default anybody's)."),
          text("jwt.audience", "Which tokens must be for: one of their aud (default any)."));

  private TokenTable() {}

  private static SettingRow<SettingValues> text(String name, String help) {
    return SettingRow.value(name, SettingKind.NAME, null, help, TokenTable::claim);
  }

  private static String claim(String text) {
    if (text.isBlank() || text.length() > 1024) {
      throw new BadValueException(text, "1 to 1024 characters, as in the token");
    }
    return text;
  }

  /** Reports what does not go together. */
  static void check(SettingValues values, Misfits misfits) {
    for (String name : List.of("jwt.issuer", "jwt.audience")) {
      if (values.isGiven(name) && !values.isGiven("jwt.keys")) {
        misfits.add(name, values.text(name), "jwt.keys too");
      }
    }
  }

  static TokenSettings build(SettingValues values) {
    return new TokenSettings(
        values.file("jwt.keys"), null, values.text("jwt.issuer"), values.text("jwt.audience"));
  }
}
