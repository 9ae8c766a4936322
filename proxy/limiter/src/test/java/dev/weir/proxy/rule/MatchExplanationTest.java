package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.ConsideredRule.Result;
import dev.weir.proxy.rule.MatchModel.Said;
import dev.weir.proxy.rule.MatchModel.Sent;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** The explanation of a match, beside the matcher and {@link MatchModel}. */
class MatchExplanationTest {
  private static final int SETS = Integer.getInteger("weir.explained.sets", 200);
  private static final int REQUESTS_OF_A_SET = 6;

  private final MatchedRequest matched =
      new MatchedRequest(new ClientIpReader(IdentitySettings.DEFAULT));
  private final Map<Result, Integer> results = new EnumMap<>(Result.class);
  private final Map<String, Integer> fields = new TreeMap<>();

  @Test
  void saysOfEachRuleWhyTheMatcherTakesItOrNot() {
    Random random = new Random(17);
    for (int i = 0; i < SETS; i++) {
      List<Said> said =
          RuleMatcherModelTest.rules(random, 1 + random.nextInt(12), random.nextInt(4));
      RuleSet set = RuleMatcherModelTest.compile(said);
      for (int j = 0; j < REQUESTS_OF_A_SET; j++) {
        check(said, set, RuleMatcherModelTest.request(random));
      }
    }
    for (Result result : Result.values()) {
      assertTrue(results.getOrDefault(result, 0) > SETS / 4, results.toString());
    }
    List<String> all = List.of("cidr", "headers", "host", "methods", "path", "query");
    assertEquals(all, new ArrayList<>(fields.keySet()));
  }

  private void check(List<Said> said, RuleSet set, Sent sent) {
    RequestView view = RuleMatcherModelTest.view(sent);
    List<ConsideredRule> considered = MatchExplanation.of(set, matched.of(view));
    Rule chosen = set.match(matched.of(view));
    assertEquals(said.size(), considered.size());
    for (int i = 0; i < said.size(); i++) {
      ConsideredRule one = considered.get(i);
      String where = sent + " of " + said.get(i) + ": " + one;
      assertSame(set.rules().get(i), one.rule(), where);
      results.merge(one.result(), 1, Integer::sum);
      assertEquals(one.rule() == chosen, one.result() == Result.CHOSEN, where);
      boolean matches = MatchModel.find(List.of(said.get(i)), sent) != null;
      assertEquals(!matches, one.result() == Result.FAILED, where);
      if (one.result() == Result.FAILED) {
        fields.merge(one.failed().replaceFirst("[.].*", ""), 1, Integer::sum);
        assertIsFirst(said.get(i), one.failed(), sent, where);
      } else {
        assertNull(one.failed(), where);
      }
    }
  }

  /** The rule with all conditions before a field is fulfilled, and with that field it is not. */
  private static void assertIsFirst(Said rule, String field, Sent sent, String where) {
    List<String> order = new ArrayList<>(List.of("host", "path", "methods"));
    rule.headers().keySet().forEach(name -> order.add("headers." + name.toLowerCase()));
    rule.query().keySet().forEach(name -> order.add("query." + name));
    order.add("cidr");
    int at = order.indexOf(field);
    assertTrue(at >= 0, where);
    assertNotNull(MatchModel.find(List.of(only(rule, order.subList(0, at))), sent), where);
    assertNull(MatchModel.find(List.of(only(rule, order.subList(0, at + 1))), sent), where);
  }

  private static Said only(Said rule, List<String> fields) {
    Map<String, List<String>> headers = new TreeMap<>(rule.headers());
    headers.keySet().removeIf(name -> !fields.contains("headers." + name.toLowerCase()));
    Map<String, List<String>> query = new TreeMap<>(rule.query());
    query.keySet().removeIf(name -> !fields.contains("query." + name));
    return new Said(
        rule.index(),
        fields.contains("host") ? rule.host() : null,
        fields.contains("path") ? rule.path() : "/**",
        fields.contains("methods") ? rule.methods() : List.of(),
        headers,
        query,
        fields.contains("cidr") ? rule.networks() : List.of(),
        rule.priority());
  }
}
