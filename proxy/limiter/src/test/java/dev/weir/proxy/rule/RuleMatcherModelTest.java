package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The trie finds what a look at every rule finds, on random rules and paths. */
class RuleMatcherModelTest {
  private static final String[] WORDS = {"a", "b", "c", "long-literal"};
  private static final String[] METHODS = {"GET", "PUT", "POST"};

  @Test
  void agreesWithALookAtEveryRule() {
    Random random = new Random(7);
    int found = 0;
    for (int round = 0; round < 3_000; round++) {
      List<RuleSpec> specs = new ArrayList<>();
      int count = 1 + random.nextInt(25);
      for (int i = 0; i < count; i++) {
        specs.add(randomRule(random, "r" + i));
      }
      RuleSet set = RuleSet.compile(specs, false, RuleSet.EMPTY, 0);
      List<Known> known = set.rules().stream().map(Known::of).toList();
      for (int i = 0; i < 60; i++) {
        String method = METHODS[random.nextInt(METHODS.length)];
        String[] segments = randomSegments(random);
        String path = "/" + String.join("/", segments) + (random.nextInt(4) == 0 ? "/" : "");
        Rule actual = set.match(TextRequest.of(method, path));
        Rule expected = model(known, method, segments);
        assertSame(expected, actual, () -> method + " " + path + " " + specs);
        found += actual == null ? 0 : 1;
      }
    }
    assertTrue(found > 50_000, "too few matches to prove anything: " + found);
  }

  private static RuleSpec randomRule(Random random, String id) {
    StringBuilder pattern = new StringBuilder();
    int depth = random.nextInt(5);
    for (int i = 0; i < depth; i++) {
      pattern.append('/').append(random.nextInt(3) == 0 ? "*" : word(random));
    }
    pattern.append(random.nextInt(3) == 0 ? "/**" : pattern.isEmpty() ? "/" : "");
    List<String> methods = new ArrayList<>();
    for (String method : METHODS) {
      if (random.nextInt(4) == 0) {
        methods.add(method);
      }
    }
    return RuleSpec.builder(id)
        .path(PathPattern.parse(pattern.toString()))
        .methods(methods)
        .priority(random.nextInt(3))
        .action(RuleAction.DENY)
        .build();
  }

  private static String[] randomSegments(Random random) {
    String[] segments = new String[random.nextInt(6)];
    Arrays.setAll(segments, i -> word(random));
    return segments;
  }

  private static String word(Random random) {
    return WORDS[random.nextInt(WORDS.length)];
  }

  private static Rule model(List<Known> rules, String method, String[] segments) {
    return rules.stream()
        .filter(
            known ->
                known.spec().match().methods().isEmpty()
                    || known.spec().match().methods().contains(method))
        .filter(known -> matches(known.parts(), segments))
        .min(
            Comparator.comparing(Known::specificity)
                .thenComparing(known -> -known.spec().priority())
                .thenComparing(known -> known.rule().index()))
        .map(Known::rule)
        .orElse(null);
  }

  private static boolean matches(String[] parts, String[] segments) {
    for (int i = 0; i < parts.length; i++) {
      if (parts[i].equals("**")) {
        return true;
      }
      if (i >= segments.length || !parts[i].equals("*") && !parts[i].equals(segments[i])) {
        return false;
      }
    }
    return parts.length == segments.length;
  }

  /**
   * A rule with its path taken apart.
   *
   * @param specificity sorts as the rules win: a literal (0) before * (1) before the end (2) before
   *     ** (3).
   */
  private record Known(Rule rule, String[] parts, String specificity) {
    static Known of(Rule rule) {
      String[] parts =
          Arrays.stream(rule.spec().match().path().toString().split("/"))
              .filter(part -> !part.isEmpty())
              .toArray(String[]::new);
      StringBuilder order = new StringBuilder();
      for (String part : parts) {
        order.append(part.equals("**") ? '3' : part.equals("*") ? '1' : '0');
      }
      return new Known(rule, parts, order.append('2').toString());
    }

    RuleSpec spec() {
      return rule.spec();
    }
  }
}
