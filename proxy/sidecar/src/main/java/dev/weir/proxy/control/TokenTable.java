package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.token.TokenSettings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;

/** The settings of tokens whose claims are keys of rules, those below {@code jwt}. */
final class TokenTable {
  private static final String URL = "jwt.keys-url";
  private static final String URL_EXPECTED =
      "https://host/path, or http:// of a loopback address, as nobody verifies that";

  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.file("jwt.keys", "The issuer's JSON Web Key Set, which verifies tokens."),
          SettingRow.value(
              URL,
              SettingKind.URL,
              null,
              "Where the issuer has it, instead: https://, or http:// of this machine.",
              TokenTable::url),
          text("jwt.issuer", "Whose tokens are accepted: their iss (default anybody's)."),
          text("jwt.audience", "Which tokens must be for: one of their aud (default any)."));

  private TokenTable() {}

  private static URI url(String text) {
    try {
      URI url = new URI(text);
      boolean isPlain = url.getHost() != null && url.getUserInfo() == null && !text.contains("#");
      if (isPlain && (is(url, "https") || is(url, "http") && isLoopback(url.getHost()))) {
        if (url.getPort() == 0 || url.getPort() > 65_535) {
          throw new BadValueException(text, "a port of 1 to 65535");
        }
        return url;
      }
    } catch (URISyntaxException no) {
      throw new BadValueException(text, URL_EXPECTED);
    }
    throw new BadValueException(text, URL_EXPECTED);
  }

  private static boolean is(URI url, String scheme) {
    return scheme.equalsIgnoreCase(url.getScheme());
  }

  private static boolean isLoopback(String host) {
    return host.equalsIgnoreCase("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.\\d{1,3}){3}");
  }

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
    if (values.isGiven("jwt.keys") && values.isGiven(URL)) {
      misfits.add(URL, values.get(URL, URI.class).toString(), "none, as there is jwt.keys");
    }
    boolean hasKeys = values.isGiven("jwt.keys") || values.isGiven(URL);
    for (String name : List.of("jwt.issuer", "jwt.audience")) {
      if (values.isGiven(name) && !hasKeys) {
        misfits.add(name, values.text(name), "jwt.keys or jwt.keys-url too");
      }
    }
  }

  static TokenSettings build(SettingValues values) {
    return new TokenSettings(
        values.file("jwt.keys"),
        values.get(URL, URI.class),
        values.text("jwt.issuer"),
        values.text("jwt.audience"));
  }
}
