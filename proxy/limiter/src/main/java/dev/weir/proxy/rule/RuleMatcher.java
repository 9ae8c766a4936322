package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.SegmentLabel;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Finds the rule for a request in a trie of path segments.
 *
 * <p><b>Cost.</b> One hash look-up per segment and node tried, whatever the number of rules.
 * Several nodes are tried only where patterns disagree on which segments are wildcards. For one
 * path, every sequence of (literal, any) that patterns begin with leads to at most one node, so a
 * match visits at most as many nodes as there are such sequences; a set with more than {@value
 * #MAX_SHAPES} is not accepted. Segments deeper than the longest pattern are not read.
 *
 * <p>A node keeps only rules that add a method. A rule behind one for all methods, or whose methods
 * were all taken, can never match: {@link #unreachable} has those.
 */
final class RuleMatcher {
  /** The most sequences of literal and wildcard segments that the patterns of a set begin with. */
  static final int MAX_SHAPES = 256;

  private final PathNode root = new PathNode(null, 0);
  private final boolean ignoreCase;
  private final Map<Rule, Rule> unreachable = new HashMap<>();

  /**
   * @throws BadValueException if the patterns mix wildcards in too many ways.
   */
  RuleMatcher(List<Rule> rules, boolean ignoreCase) {
    this.ignoreCase = ignoreCase;
    Set<String> shapes = new HashSet<>();
    Map<String, Taken> takenByPattern = new HashMap<>();
    Comparator<Rule> highestFirst =
        (a, b) -> Integer.compare(b.spec().priority(), a.spec().priority());
    for (Rule rule : rules.stream().sorted(highestFirst).toList()) {
      Taken taken =
          takenByPattern.computeIfAbsent(
              rule.spec().match().path().canonical(ignoreCase), pattern -> new Taken());
      Rule by = taken.take(rule);
      if (by == null) {
        insert(rule, shapes);
      } else {
        unreachable.put(rule, by);
      }
    }
  }

  private void insert(Rule rule, Set<String> shapes) {
    PathNode node = root;
    StringBuilder shape = new StringBuilder();
    for (PathPattern.Segment segment : rule.spec().match().path().segments()) {
      switch (segment.kind()) {
        case REST -> {
          node.addRest(rule);
          return;
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
    node.addHere(rule);
  }

  /** See {@link RuleSet#match}. */
  Rule match(RequestView request) {
    int offset = request.pathOffset();
    int length = request.pathLength();
    if (length == 0 || request.bytes().getByte(offset) != '/') {
      return root.matchRest(request);
    }
    return root.match(request, request.bytes(), offset + 1, offset + length, ignoreCase);
  }

  /** The rules that no request can reach, each with the rule in front of it. */
  Map<Rule, Rule> unreachable() {
    return unreachable;
  }

  /** The methods of one pattern that have a rule. */
  private static final class Taken {
    private final Map<String, Rule> byMethod = new HashMap<>();
    private Rule all;

    /**
     * Takes a rule's methods.
     *
     * @return the rule that has all of them already; null if some were left.
     */
    private Rule take(Rule rule) {
      if (all != null) {
        return all;
      }
      if (rule.spec().match().methods().isEmpty()) {
        all = rule;
        return null;
      }
      Rule first = null;
      boolean added = false;
      for (String method : rule.spec().match().methods()) {
        Rule before = byMethod.putIfAbsent(method, rule);
        added |= before == null;
        first = first == null ? before : first;
      }
      return added ? null : first;
    }
  }
}
