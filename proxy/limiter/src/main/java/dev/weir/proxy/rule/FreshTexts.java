package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** Texts that no rule of a set names, for examples that only general rules match. */
final class FreshTexts {
  private static final String LETTERS =
      "xyzabcdefghijklmnopqrstuvwXYZABCDEFGHIJKLMNOPQRSTUVW0123456789";

  private final Set<String> segments = new HashSet<>();
  private final Set<String> labels = new HashSet<>();
  private final Set<String> methods = new HashSet<>();
  private final Map<KeyPart, List<ValueCondition>> tests = new HashMap<>();
  private final Map<KeyPart, String> values = new HashMap<>();
  private int mostSegments;
  private final String segment;
  private final String label;
  private final String method;

  FreshTexts(List<Rule> rules) {
    for (Rule rule : rules) {
      mostSegments = Math.max(mostSegments, rule.spec().match().path().segments().size());
      for (PathPattern.Segment named : rule.spec().match().path().segments()) {
        String text = new String(named.label(), StandardCharsets.ISO_8859_1);
        segments.add(text.toLowerCase(Locale.ROOT));
      }
      if (rule.spec().match().host() != null) {
        labels.addAll(List.of(rule.spec().match().host().toString().split("\\.")));
      }
      methods.addAll(rule.spec().match().methods());
      for (FieldCondition field : rule.spec().match().fields()) {
        tests.computeIfAbsent(field.part(), part -> new ArrayList<>()).addAll(field.tests());
      }
    }
    segment = fresh("x", segments);
    label = fresh("x", labels);
    method = fresh("ANY", methods);
  }

  private static String fresh(String text, Set<String> taken) {
    String fresh = text;
    for (int i = 1; taken.contains(fresh); i++) {
      fresh = text + i;
    }
    return fresh;
  }

  /** A path segment that is no rule's literal. */
  String segment() {
    return segment;
  }

  /** The most segments of a rule's path. */
  int mostSegments() {
    return mostSegments;
  }

  /** A host's label that is in no rule's host. */
  String label() {
    return label;
  }

  /** A method that no rule names. */
  String method() {
    return method;
  }

  /**
   * A text that fulfils no test of a header or parameter but {@code present}; and if it stands
   * behind a prefix or before a suffix, only tests that all such values fulfil. Null if the tests
   * leave no letter for it.
   */
  String value(KeyPart part) {
    return values.computeIfAbsent(part, this::freshValue);
  }

  private String freshValue(KeyPart part) {
    List<ValueCondition> asked = tests.getOrDefault(part, List.of());
    for (char letter : LETTERS.toCharArray()) {
      if (asked.stream().noneMatch(test -> isPart(test) && test.text().indexOf(letter) >= 0)) {
        int run = 1;
        for (ValueCondition test : asked) {
          while (test.text().contains(String.valueOf(letter).repeat(run))) {
            run++;
          }
        }
        return String.valueOf(letter).repeat(run);
      }
    }
    return null;
  }

  private static boolean isPart(ValueCondition test) {
    return test.kind() == ValueCondition.Kind.PREFIX || test.kind() == ValueCondition.Kind.SUFFIX;
  }
}
