package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RuleSetTest {
  /** Rules named after their patterns. */
  private static RuleSet patterns(String... patterns) {
    return compile(false, Arrays.stream(patterns).map(p -> rule(p, p, 0)).toArray(RuleSpec[]::new));
  }

  private static RuleSpec rule(String id, String pattern, int priority, String... methods) {
    return RuleSpec.builder(id)
        .path(PathPattern.parse(pattern))
        .methods(List.of(methods))
        .rate(Rate.parse("1/1s"))
        .priority(priority)
        .build();
  }

  private static RuleSet compile(boolean ignoreCase, RuleSpec... rules) {
    return RuleSet.compile(List.of(rules), ignoreCase, RuleSet.EMPTY, 0);
  }

  private static String match(RuleSet set, String method, String path) {
    Rule rule = Matching.find(set, TextRequest.of(method, path));
    return rule == null ? "none" : rule.id();
  }

  @ParameterizedTest
  @CsvSource({
    "/, /",
    "/api, /**",
    "/api/v1/orders, /api/v1/orders",
    "/api/v1/orders/, /api/v1/orders",
    "/api/v1/orders/7, /**",
    "/api/v1/order, /**",
    "/api/v1/orderss, /**",
    "/users/5, /**",
    "/users/5/x, /users/{id}/*",
    "/users/5/x/, /users/{id}/*",
    "/users/5/x/y, /**",
    "/users/me/x, /users/me/**",
    "/users/me, /users/me/**",
    "/users/me/x/y, /users/me/**",
    "/users/5/keys, /users/*/keys",
    "/users/me/keys, /users/me/**",
    "/static, /static/**",
    "/static/, /static/**",
    "/static/a/b/c, /static/**",
    "/staticx, /**",
    "*, /**"
  })
  void prefersLiteralsToSegmentsToTheRest(String path, String pattern) {
    RuleSet set =
        patterns(
            "/**",
            "/static/**",
            "/users/{id}/*",
            "/users/me/**",
            "/users/*/keys",
            "/api/v1/orders",
            "/");
    assertEquals(pattern, match(set, "GET", path));
  }

  @ParameterizedTest
  @CsvSource({
    "/shop.Cart/Add, shop.Cart/Add",
    "/shop.Cart/Get, shop.Cart",
    "/shop.Cart/add, shop.Cart",
    "/shop.cart/Add, none",
    "/Cart/Add, none",
    "/shop.Cart, none",
    "/shop.Cart/Add/x, none",
    "/shop.Orders/Put, shop.Orders/*",
    "/Plain/Call, Plain/Call",
    "/shop.Cart/%41dd, shop.Cart/Add"
  })
  void findsCallsOfGrpcByServiceAndMethodWhateverElseTheySay(String path, String expected) {
    RuleSpec[] rules =
        Stream.of("shop.Cart", "shop.Cart/Add", "shop.Orders/*", "Plain/Call")
            .map(RuleSetTest::grpc)
            .toArray(RuleSpec[]::new);
    RuleSet set = compile(false, rules);
    assertEquals(expected, match(set, "POST", path));
    assertEquals(expected, match(set, "GET", path));
  }

  private static RuleSpec grpc(String pattern) {
    RuleSpec.Builder rule = RuleSpec.builder(pattern).rate(Rate.parse("1/1s"));
    rule.match().grpc(PathPattern.parseGrpc(pattern));
    return rule.build();
  }

  @Test
  void aServiceWithAndWithoutTheStarIsOneMatch() {
    RuleSet set = compile(false, grpc("a.B"), grpc("a.B/*"), rule("path", "/a.B/*", 0));
    assertEquals(2, set.unreachable().size());
  }

  @Test
  void matchesNothingWithoutARuleForIt() {
    assertEquals("none", match(RuleSet.EMPTY, "GET", "/"));
    RuleSet set = patterns("/a/*", "/b");
    for (String path : List.of("/", "/a", "/a/", "/a/b/c", "/b/c", "*", "/c")) {
      assertEquals("none", match(set, "GET", path));
    }
  }

  @Test
  void comesBackFromAWrongTurn() {
    RuleSet set = patterns("/a/b/c", "/a/*/d", "/*/b/e", "/*/*/f", "/*/**");
    assertEquals("/a/b/c", match(set, "GET", "/a/b/c"));
    assertEquals("/a/*/d", match(set, "GET", "/a/b/d"));
    assertEquals("/*/b/e", match(set, "GET", "/a/b/e"));
    assertEquals("/*/*/f", match(set, "GET", "/a/b/f"));
    assertEquals("/*/**", match(set, "GET", "/a/b/g"));
  }

  @Test
  void tellsMethodsApartByCase() {
    RuleSet set = compile(false, rule("a", "/a", 0, "GET", "POST"));
    assertEquals("a", match(set, "GET", "/a"));
    assertEquals("a", match(set, "POST", "/a"));
    for (String method : List.of("get", "GE", "GETT", "PUT", "HEAD")) {
      assertEquals("none", match(set, method, "/a"));
    }
  }

  @Test
  void fallsBackToTheNextMostSpecificForOtherMethods() {
    RuleSet set =
        compile(
            false,
            rule("all", "/**", 0),
            rule("put", "/a/**", 0, "PUT"),
            rule("post", "/a/*", 0, "POST"),
            rule("get", "/a/b", 0, "GET"),
            rule("delete", "/*/b", 0, "DELETE"));
    assertEquals("get", match(set, "GET", "/a/b"));
    assertEquals("post", match(set, "POST", "/a/b"));
    assertEquals("put", match(set, "PUT", "/a/b"));
    assertEquals("delete", match(set, "DELETE", "/a/b"));
    assertEquals("all", match(set, "PATCH", "/a/b"));
  }

  @Test
  void decidesEqualPatternsByPriorityThenByOrder() {
    RuleSet set =
        compile(
            false,
            rule("low", "/a/{x}", -1),
            rule("first", "/a/*", 0, "GET"),
            rule("second", "/a/{y}", 0),
            rule("high", "/a/{z}", 1, "PUT"));
    assertEquals("first", match(set, "GET", "/a/b"));
    assertEquals("second", match(set, "POST", "/a/b"));
    assertEquals("high", match(set, "PUT", "/a/b"));
    assertEquals(List.of("low by second: POST /a/x"), shadowed(set));
  }

  @Test
  void priorityDoesNotBeatAMoreSpecificPattern() {
    RuleSet set = compile(false, rule("rest", "/**", 1000), rule("exact", "/a", -1000));
    assertEquals("exact", match(set, "GET", "/a"));
  }

  @Test
  void countsMethodsTakenBySeveralRulesTogether() {
    RuleSet set =
        compile(
            false,
            rule("get", "/a", 0, "GET"),
            rule("put", "/a", 0, "PUT"),
            rule("both", "/a", 0, "GET", "PUT"),
            rule("more", "/a", 0, "GET", "PUT", "POST"));
    assertEquals(List.of("both by get: GET /a"), shadowed(set));
  }

  private static List<String> shadowed(RuleSet set) {
    return set.unreachable().stream()
        .map(rule -> rule.rule() + " by " + rule.by() + ": " + rule.example())
        .toList();
  }

  @Test
  void readsPatternsInEverySpellingOfALiteral() {
    RuleSet set = patterns("/caf\u00e9", "/@me", "/a%20b", "/a%3Ab", "/100%25");
    assertEquals("/caf\u00e9", match(set, "GET", "/caf%C3%A9"));
    assertEquals("/@me", match(set, "GET", "/%40me"));
    assertEquals("/@me", match(set, "GET", "/@me"));
    assertEquals("/a%20b", match(set, "GET", "/a%20b"));
    assertEquals("/a%3Ab", match(set, "GET", "/a%3Ab"));
    assertEquals("/a%3Ab", match(set, "GET", "/a:b"));
    assertEquals("/100%25", match(set, "GET", "/100%25"));
    RuleSet doubled = patterns("/x%253A");
    assertEquals("/x%253A", match(doubled, "GET", "/x%253A"));
    assertEquals("none", match(doubled, "GET", "/x%3A"));
    assertEquals("none", match(doubled, "GET", "/x:"));
  }

  @Test
  void comparesLongSegmentsToTheLastByte() {
    String label = "0123456789abcdef".repeat(8);
    for (int length = 1; length < label.length(); length++) {
      String segment = label.substring(0, length);
      RuleSet set = patterns("/" + segment, "/x/**");
      assertEquals("/" + segment, match(set, "GET", "/" + segment));
      assertEquals("/" + segment, match(set, "GET", "/" + segment + ";p"));
      assertEquals("/" + segment, match(set, "GET", "/%30" + segment.substring(1)));
      assertEquals("none", match(set, "GET", "/" + segment + "!"));
      assertEquals("none", match(set, "GET", "/" + segment.substring(1) + "!"));
    }
  }

  @Test
  void ignoresCaseIfToldTo() {
    RuleSpec[] rules = {rule("a", "/Api/{Id}/K\u00c9y", 0), rule("all", "/**", 0)};
    assertEquals("a", match(compile(true, rules), "GET", "/aPI/X/k%C3%89Y"));
    assertEquals("a", match(compile(true, rules), "GET", "/%41pi/X/K%C3%89y"));
    // Only ASCII letters: what is a letter beyond them is the service's to know.
    assertEquals("all", match(compile(true, rules), "GET", "/api/x/k%C3%A9y"));
    assertEquals("all", match(compile(false, rules), "GET", "/api/x/K%C3%89y"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "a",
        "/a/**/b",
        "/**/",
        "/a*",
        "/a/*.png",
        "/{a",
        "/{a}b",
        "/{}",
        "/./a",
        "/a/..",
        "/%2e",
        "/a//b",
        "//",
        "/a;b",
        "/a?b",
        "/a#b",
        "/a\\b",
        "/a%2Fb",
        "/a%5cb",
        "/a%3Bb",
        "/a%00",
        "/a%",
        "/a%4",
        "/a b",
        "/a\tb"
      })
  void refusesPatternsThatCannotMatchOrAreNotUnderstood(String pattern) {
    if (pattern.equals("/**/")) {
      assertEquals(1, PathPattern.parse(pattern).segments().size());
      return;
    }
    BadValueException bad =
        assertThrows(BadValueException.class, () -> PathPattern.parse(pattern), pattern);
    assertEquals(pattern, bad.value());
  }

  @Test
  void boundsTheDepthOfPatternsAndTheWaysToMixWildcards() {
    PathPattern.parse("/a".repeat(PathPattern.MAX_SEGMENTS));
    assertThrows(
        BadValueException.class,
        () -> PathPattern.parse("/a".repeat(PathPattern.MAX_SEGMENTS + 1)));
    List<RuleSpec> rules = new ArrayList<>();
    for (int mix = 0; mix < 128; mix++) {
      StringBuilder pattern = new StringBuilder();
      for (int bit = 0; bit < 7; bit++) {
        pattern.append((mix >> bit & 1) == 0 ? "/a" : "/*");
      }
      rules.add(rule("r" + mix, pattern.toString(), 0));
    }
    // 2 + 4 + ... + 128 beginnings are within the bound, one more level is not.
    RuleSet.compile(rules, false, RuleSet.EMPTY, 0);
    rules.add(rule("b", "/a/a/a/a/a/a/a/a", 0));
    rules.add(rule("c", "/a/a/a/a/a/a/a/*", 0));
    rules.add(rule("d", "/*/a/a/a/a/a/a/a", 0));
    assertThrows(BadValueException.class, () -> RuleSet.compile(rules, false, RuleSet.EMPTY, 0));
  }

  @Test
  void findsOneOfTenThousandRules() {
    List<RuleSpec> rules = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      rules.add(rule("r" + i, "/tenant-" + i + "/{id}/orders", 0));
    }
    RuleSet set = RuleSet.compile(rules, false, RuleSet.EMPTY, 0);
    for (int i = 0; i < 10_000; i++) {
      assertEquals(
          i, Matching.find(set, TextRequest.of("GET", "/tenant-" + i + "/5/orders")).index());
    }
    assertTrue(set.unreachable().isEmpty());
  }
}
