package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Hosts, headers and parameters of requests as rules ask for them; networks are in the model. */
class RuleConditionsTest {
  private static RuleSpec rule(String id, Consumer<MatchSpec.Builder> match) {
    RuleSpec.Builder rule = RuleSpec.builder(id).rate(Rate.parse("1/1s"));
    match.accept(rule.match());
    return rule.build();
  }

  private static RuleSpec host(String pattern) {
    return rule("host", match -> match.host(HostPattern.parse(pattern)));
  }

  private static RuleSpec field(String id, String part, ValueCondition... tests) {
    return rule(id, match -> match.field(new FieldCondition(KeyPart.parse(part), List.of(tests))));
  }

  private static ValueCondition exact(String text) {
    return ValueCondition.of(ValueCondition.Kind.EXACT, text);
  }

  private static RuleSet compile(List<RuleSpec> rules) {
    return RuleSet.compile(rules, false, RuleSet.EMPTY, 0);
  }

  private static boolean matches(RuleSpec rule, String target, String... fields) {
    return Matching.find(compile(List.of(rule)), TextRequest.of("GET", target, fields)) != null;
  }

  @ParameterizedTest
  @CsvSource({
    "example.com, example.com, true",
    "example.com, EXAMPLE.com., true",
    "example.com, example.com:8080, true",
    "example.com, example.com.:8080, true",
    "example.com, example.com:, true",
    "Example.COM., example.com, true",
    "example.com, example.com.., false",
    "example.com, a.example.com, false",
    "example.com, example.org, false",
    "example.com, '', false",
    "*.example.com, a.example.com, true",
    "*.example.com, A.b.Example.com.:80, true",
    "*.example.com, example.com, false",
    "*.example.com, aexample.com, false",
    "*.example.com, .example.com, true",
    "*.com, example.com, true",
    "127.0.0.1, 127.0.0.1:80, true",
    "[::1], [::1], true",
    "[::1], [0:0:0:0:0:0:0:1]:80, true",
    "[2001:DB8::1], [2001:db8:0::1], true",
    "[2001:db8::1], [2001:db8::2], false",
    "xn--mnchen-3ya.de, XN--MNCHEN-3YA.DE, true",
    "a_b.example, a_b.example, true"
  })
  void comparesHostsAsServicesDo(String pattern, String sent, boolean expected) {
    assertEquals(expected, matches(host(pattern), "/", ":authority", sent));
  }

  @Test
  void findsAHostOfTenThousandThatDifferInTheLastByte() {
    List<RuleSpec> rules = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      String host = "h" + i / 10 + ".example." + (char) ('a' + i % 10);
      rules.add(rule("r" + i, match -> match.host(HostPattern.parse(host))));
    }
    RuleSet set = compile(rules);
    for (int i = 0; i < 10_000; i++) {
      String host = "h" + i / 10 + ".example." + (char) ('a' + i % 10);
      assertEquals(i, Matching.find(set, TextRequest.of("GET", "/", ":authority", host)).index());
    }
    assertEquals(null, Matching.find(set, TextRequest.of("GET", "/", ":authority", "h.example")));
  }

  @Test
  void findsAValueOfTenThousandThatDifferInTheLastByte() {
    List<RuleSpec> rules = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      rules.add(field("r" + i, "header:x-tenant", exact("t" + i / 10 + (char) ('a' + i % 10))));
    }
    rules.add(rule("rest", match -> {}));
    RuleSet set = compile(rules);
    for (int i = 0; i < 10_000; i++) {
      String value = "t" + i / 10 + (char) ('a' + i % 10);
      assertEquals(i, Matching.find(set, TextRequest.of("GET", "/", "x-tenant", value)).index());
    }
    assertEquals(10_000, Matching.find(set, TextRequest.of("GET", "/")).index());
    assertEquals(List.of(), set.unreachable());
  }

  @Test
  void triesTheHostsThatAHostIsBelowUntilOneHasARule() {
    RuleSpec parent = rule("parent", match -> match.host(HostPattern.parse("*.test")));
    RuleSpec child =
        rule("child", match -> match.host(HostPattern.parse("*.a.test")).methods(List.of("PUT")));
    RuleSpec own =
        rule("own", match -> match.host(HostPattern.parse("b.a.test")).methods(List.of("POST")));
    RuleSet set = compile(List.of(parent, child, own));
    for (String[] call :
        new String[][] {
          {"POST", "own"}, {"PUT", "child"}, {"GET", "parent"}, {"PATCH", "parent"}
        }) {
      Rule found = Matching.find(set, TextRequest.of(call[0], "/", ":authority", "b.a.test"));
      assertEquals(call[1], found.id());
    }
  }

  @Test
  void readsHeadersOfAnyLineAndCaseOfTheName() {
    RuleSpec prod = field("prod", "header:X-Env", exact("prod"));
    assertEquals(true, matches(prod, "/", "x-ENV", "prod"));
    assertEquals(true, matches(prod, "/", "x-env", "test", "x-env", "prod"));
    assertEquals(false, matches(prod, "/", "x-env", "Prod"));
    assertEquals(false, matches(prod, "/", "x-env", "test,prod"));
    assertEquals(false, matches(prod, "/"));
    RuleSpec absent = field("absent", "header:x-env", ValueCondition.ABSENT);
    assertEquals(true, matches(absent, "/", "x-envy", "a"));
    assertEquals(false, matches(absent, "/", "x-env", ""));
    RuleSpec either = field("either", "header:x-env", ValueCondition.ABSENT, exact("prod"));
    assertEquals(true, matches(either, "/"));
    assertEquals(true, matches(either, "/", "x-env", "prod"));
    assertEquals(false, matches(either, "/", "x-env", "test"));
  }

  @ParameterizedTest
  @CsvSource({
    "/?stream=true, true",
    "/?a=b&stream=true&c, true",
    "/?stream=%74rue, true",
    "/?%73tream=true, true",
    "/?stream=false&stream=true, true",
    "/?a=b;stream=true, true",
    "/?stream=true;a=b, true",
    "/?stream=true%20, false",
    "/?stream=True, false",
    "/?Stream=true, false",
    "/?stream, false",
    "/?xstream=true, false",
    "/, false"
  })
  void readsParametersAsServicesDo(String target, boolean expected) {
    assertEquals(expected, matches(field("a", "query:stream", exact("true")), target));
  }

  @Test
  void aParameterWithoutAValueIsPresentAndEmpty() {
    assertEquals(true, matches(field("a", "query:debug", ValueCondition.PRESENT), "/?debug"));
    assertEquals(true, matches(field("a", "query:debug", exact("")), "/?debug&debug=1"));
    assertEquals(false, matches(field("a", "query:debug", ValueCondition.ABSENT), "/?debug"));
    assertEquals(false, matches(field("a", "query:debug", ValueCondition.ABSENT), "/?a=1;debug"));
  }

  @Test
  void boundsTheRulesThatOneRequestIsComparedWith() {
    List<RuleSpec> rules = new ArrayList<>();
    for (int i = 0; i < RuleChoice.MOST_TRIED; i++) {
      rules.add(
          field("r" + i, "header:x-a", ValueCondition.of(ValueCondition.Kind.PREFIX, "p" + i)));
    }
    compile(rules);
    rules.add(rule("plain", match -> {}));
    rules.add(field("indexed", "header:x-b", exact("b")));
    BadValueException bad = assertThrows(BadValueException.class, () -> compile(rules));
    assertEquals("/**", bad.value());
    assertEquals(
        "at most 64 rules of one host and path that no exact value of a header or parameter tells"
            + " apart",
        bad.expected());
  }
}
