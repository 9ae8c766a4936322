package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.SegmentLabel;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Finds the rule for a request in a trie of path segments.
 *
 * <p><b>Cost.</b> One hash look-up per segment and node tried, whatever the number of rules.
 * Several nodes are tried only where patterns disagree on which segments are wildcards. For one
 * path, every sequence of (literal, any) that patterns begin with leads to at most one node, so a
 * match visits at most as many nodes as there are such sequences; a set with more than {@value
 * #MAX_SHAPES} is not accepted. Segments deeper than the longest pattern are not read.
 */
final class RuleMatcher {
  /** The most sequences of literal and wildcard segments that the patterns of a set begin with. */
  static final int MAX_SHAPES = 256;

  private final PathNode root = new PathNode(null, 0);
  private final boolean ignoreCase;

  /**
   * @throws BadValueException if the patterns mix wildcards in too many ways, or too many rules of
   *     one path cannot be told apart by hash.
   */
  RuleMatcher(List<Rule> rules, boolean ignoreCase) {
    this.ignoreCase = ignoreCase;
    Set<String> shapes = new HashSet<>();
    Set<RuleChoice> choices = new LinkedHashSet<>();
    for (Rule rule : rules.stream().sorted(RuleMatcher::compare).toList()) {
      RuleChoice choice = choice(rule, shapes);
      choice.add(rule);
      choices.add(choice);
    }
    choices.forEach(RuleChoice::index);
  }

  /**
   * The order in which rules of one path are tried; of equal ones that of the file. The JVM's cache
   * for quick starts cannot hold what {@link java.util.Comparator} composes.
   */
  private static int compare(Rule one, Rule other) {
    int byPriority = Integer.compare(other.spec().priority(), one.spec().priority());
    return byPriority != 0
        ? byPriority
        : Integer.compare(
            other.spec().match().conditionCount(), one.spec().match().conditionCount());
  }

  /** The rules for the path of a rule. */
  private RuleChoice choice(Rule rule, Set<String> shapes) {
    PathNode node = root;
    StringBuilder shape = new StringBuilder();
    for (PathPattern.Segment segment : rule.spec().match().path().segments()) {
      switch (segment.kind()) {
        case REST -> {
          return node.rest();
        }
        case SINGLE -> node = node.single();
        case LITERAL -> {
          byte[] label = segment.label().clone();
          for (int i = 0; ignoreCase && i < label.length; i++) {
            label[i] = SegmentLabel.lowerCase(label[i]);
          }
          node = node.literal(label);
        }
      }
      shapes.add(shape.append(segment.kind().name().charAt(0)).toString());
      if (shapes.size() > MAX_SHAPES) {
        throw new BadValueException(
            rule.spec().match().path().toString(),
            "at most " + MAX_SHAPES + " ways of mixing wildcards and literals in all patterns");
      }
    }
    return node.here();
  }

  /** See {@link RuleSet#match}. */
  Rule match(MatchedRequest matched) {
    RequestView request = matched.view();
    int offset = request.pathOffset();
    int length = request.pathLength();
    if (length == 0 || request.bytes().getByte(offset) != '/') {
      return root.matchRest(matched);
    }
    return root.match(matched, request.bytes(), offset + 1, offset + length, ignoreCase);
  }
}
