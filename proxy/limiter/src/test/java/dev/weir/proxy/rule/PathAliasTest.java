package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TargetNormaliser;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** No spelling of a path leads past its rule, whatever the kind of rule. */
class PathAliasTest {
  /** The path that all aliases stand for, and patterns of each kind that match it. */
  private static final List<String> KINDS =
      List.of("/shop/item", "/shop/{id}", "/*/item", "/shop/*", "/shop/**", "/shop/item/**");

  @ParameterizedTest(name = "{0} is forwarded as {1}")
  @CsvSource({
    "/shop/item, /shop/item",
    "/shop/item/, /shop/item/",
    "//shop/item, /shop/item",
    "/shop//item, /shop/item",
    "/shop/item//, /shop/item/",
    "/shop/./item, /shop/item",
    "/./shop/item/., /shop/item/",
    "/shop/x/../item, /shop/item",
    "/../shop/item, /shop/item",
    "/shop/item/x/.., /shop/item/",
    "/%73hop/item, /shop/item",
    "/shop/%69%74%65%6D, /shop/item",
    "/shop/%69%74%65%6d, /shop/item",
    "/shop/%2e/item, /shop/item",
    "/shop/x/%2E%2e/item, /shop/item",
    "/shop/item;x=1, /shop/item;x=1",
    "/shop;a=b/item;x, /shop;a=b/item;x",
    "/shop/;x/item, /shop/;x/item",
    "/;x=1/shop/item/;, /;x=1/shop/item/;",
    "/shop/item;x=%2e%2e, /shop/item;x=.."
  })
  void anAliasMeetsTheRuleAndIsForwardedAsTheRuleSawIt(String alias, String forwarded) {
    byte[] path = alias.getBytes(StandardCharsets.ISO_8859_1);
    UnsafeBuffer buffer = new UnsafeBuffer(path);
    int result = TargetNormaliser.normalise(buffer, 0, path.length, buffer, 0);
    int length = result == TargetNormaliser.ALREADY_NORMAL ? path.length : result;
    String seen = new String(path, 0, length, StandardCharsets.ISO_8859_1);
    assertEquals(forwarded, seen);
    for (String kind : KINDS) {
      assertEquals("strict", matchBeside(kind, seen, false), kind);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "/shop%2Fitem, AMBIGUOUS_PATH",
    "/shop%2fitem, AMBIGUOUS_PATH",
    "/shop%5Citem, AMBIGUOUS_PATH",
    "/shop/item%3Bx, AMBIGUOUS_PATH",
    "/shop%3bx=1/item, AMBIGUOUS_PATH",
    "/x/..%3B/shop/item, AMBIGUOUS_PATH",
    "/shop/item;x=%3B, AMBIGUOUS_PATH",
    "/shop\\item, AMBIGUOUS_PATH",
    "/shop/item%00, AMBIGUOUS_PATH",
    "/x/..;/shop/item, AMBIGUOUS_PATH",
    "/shop/.;x/item, AMBIGUOUS_PATH",
    "/shop/item%, MALFORMED_TARGET",
    "/shop/item%6, MALFORMED_TARGET",
    "/shop/it em, MALFORMED_TARGET",
    "/shop/item#x, MALFORMED_TARGET"
  })
  void whatOriginsReadDifferentlyReachesNoRule(String path, RefusalReason reason) {
    byte[] bytes = path.getBytes(StandardCharsets.ISO_8859_1);
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    assertEquals(
        reason,
        TargetNormaliser.refusal(TargetNormaliser.normalise(buffer, 0, bytes.length, buffer, 0)));
  }

  @ParameterizedTest
  @CsvSource({
    "/shop/item, strict, strict",
    "/SHOP/Item, loose, strict",
    "/Shop/item, loose, strict"
  })
  void caseCountsUnlessIgnored(String path, String exact, String ignoringCase) {
    assertEquals(exact, matchBeside("/shop/item", path, false));
    assertEquals(ignoringCase, matchBeside("/shop/item", path, true));
    assertEquals(ignoringCase, matchBeside("/shop/item/**", path, true));
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/orders:cancel, /v1/orders:cancel",
    "/v1/orders:cancel, /v1/orders%3Acancel",
    "/v1/orders%3Acancel, /v1/orders:cancel",
    "/users/@me, /users/%40me",
    "/a+b, /a%2Bb",
    "/a|b, /a%7Cb"
  })
  void anEncodingThatTheGrammarKeepsIsNoWayPastEither(String pattern, String path) {
    assertEquals("strict", matchBeside(pattern, path, false));
  }

  /** Beside a rule for everything, so that an escaped path would be seen to have escaped. */
  private static String matchBeside(String pattern, String path, boolean ignoreCase) {
    RuleSpec loose = RuleSpec.builder("loose").action(RuleAction.UNLIMITED).build();
    RuleSpec strict =
        RuleSpec.builder("strict")
            .path(PathPattern.parse(pattern))
            .rate(Rate.parse("1/1s"))
            .build();
    RuleSet set = RuleSet.compile(List.of(loose, strict), ignoreCase, RuleSet.EMPTY, 0);
    return Matching.find(set, TextRequest.of("GET", path)).id();
  }
}
