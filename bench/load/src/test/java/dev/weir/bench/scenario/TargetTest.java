package dev.weir.bench.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.List;
import org.junit.jupiter.api.Test;

class TargetTest {
  private static final String EXPECTED = " (expected: http://HOST[:PORT][/PATH] or https://...)";
  private static final String PATH = " (expected: a path of visible ASCII, without a fragment)";

  private static void assertLocated(
      String url, boolean tls, String host, int port, String authority, String path) {
    final Target.Located located = Target.parse(url);
    assertEquals(new Target(tls, host, port, authority), located.target(), url);
    assertEquals(path, located.path(), url);
  }

  @Test
  void takesUrlsApart() {
    assertLocated("http://h", false, "h", 80, "h", "/");
    assertLocated("https://h/", true, "h", 443, "h", "/");
    assertLocated("HTTP://h:8080/a/b?c=d", false, "h", 8080, "h:8080", "/a/b?c=d");
    assertLocated("http://127.0.0.1:1?x=/y", false, "127.0.0.1", 1, "127.0.0.1:1", "/?x=/y");
    assertLocated("http://[::1]:65535/a", false, "::1", 65_535, "[::1]:65535", "/a");
    assertLocated("http://h/a://b?c", false, "h", 80, "h", "/a://b?c");
  }

  @Test
  void theKeyMayStandAnywhereInThePath() {
    assertLocated("http://h/{key}/a?k={key}", false, "h", 80, "h", "/{key}/a?k={key}");
    assertLocated("http://h?{key}", false, "h", 80, "h", "/?{key}");
  }

  @Test
  void theAuthorityIsWithoutThePortThatGoesWithoutSaying() {
    assertLocated("http://h:80/", false, "h", 80, "h", "/");
    assertLocated("https://h:443/", true, "h", 443, "h", "/");
    assertLocated("http://h:443/", false, "h", 443, "h:443", "/");
    assertLocated("http://[::1]:80/", false, "::1", 80, "[::1]", "/");
    assertLocated("http://h:/", false, "h", 80, "h", "/");
  }

  @Test
  void namesWhatIsWrong() {
    for (String url :
        List.of(
            "",
            "h",
            "h:80/x",
            "//h/",
            "://h/",
            "http:/h",
            "http://",
            "http:///a",
            "http://?a",
            "ftp://h/",
            "http://user@h/",
            "http://user:word@h/",
            "http://h:0/",
            "http://h:65536/",
            "http://h:99999999999/",
            "http://h:x/",
            "http://{key}/",
            "http://h /",
            "http://[::1/",
            "http://a_b/")) {
      assertEquals(url + EXPECTED, message(url), url);
    }
    for (String url :
        List.of(
            "http://h/a b",
            "http://h/\u00e9",
            "http://h/a\r\nX: y",
            "http://h/a\0",
            "http://h/a#b",
            "http://h#b",
            "http://h#b/c",
            "http://h?a#b")) {
      assertEquals(url + PATH, message(url), url);
    }
  }

  private static String message(String url) {
    return assertThrows(BadValueException.class, () -> Target.parse(url), url).getMessage();
  }

  @Test
  void fieldsAreNameAndValue() {
    assertEquals(new Field("X-User-Id", "{key}"), Field.parse("X-User-Id: {key}"));
    assertEquals(new Field("a", "b: c"), Field.parse("a:b: c"));
    assertEquals(new Field("a", ""), Field.parse("a:"));
    for (String text : List.of("", "a", ":a", ": a")) {
      assertEquals(text + " (expected: NAME: VALUE)", fieldMessage(text));
    }
    assertEquals("a b (expected: a field's name, such as X-User-Id)", fieldMessage("a b: c"));
    assertEquals("{key} (expected: a field's name, such as X-User-Id)", fieldMessage("{key}: c"));
    assertEquals(
        "b\r\nc: d (expected: a field's value, without control characters)",
        fieldMessage("a: b\r\nc: d"));
    assertEquals(
        "\u20ac (expected: a field's value, without control characters)",
        fieldMessage("a: \u20ac"));
  }

  private static String fieldMessage(String text) {
    return assertThrows(BadValueException.class, () -> Field.parse(text), text).getMessage();
  }
}
