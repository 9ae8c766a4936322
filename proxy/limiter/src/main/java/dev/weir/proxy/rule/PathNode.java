package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.SegmentLabel;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * A node in the trie of path patterns. Built by {@link RuleMatcher}, and not changed afterwards.
 */
final class PathNode {
  private final byte[] label;
  private final long[] words;
  private final boolean plain;
  private final long hash;
  private PathNode[] literals;
  private int literalCount;
  private PathNode single;
  private RuleChoice here = RuleChoice.NONE;
  private RuleChoice rest = RuleChoice.NONE;

  PathNode(byte[] label, long hash) {
    this.label = label;
    this.hash = hash;
    words = label == null ? null : SegmentLabel.words(label);
    boolean special = false;
    for (int i = 0; label != null && i < label.length; i++) {
      special |= label[i] == '%' || label[i] == ';';
    }
    plain = !special;
  }

  /** The child for any one segment, made if necessary. */
  PathNode single() {
    if (single == null) {
      single = new PathNode(null, 0);
    }
    return single;
  }

  /** The child for a label, made if necessary. */
  PathNode literal(byte[] label) {
    long wanted = SegmentLabel.hash(label);
    if (literals == null) {
      literals = new PathNode[4];
    }
    int slot = slot(literals, wanted, label);
    if (literals[slot] == null) {
      literals[slot] = new PathNode(label, wanted);
      literalCount++;
      if (literalCount * 2 > literals.length) {
        PathNode[] larger = new PathNode[literals.length * 2];
        for (PathNode child : literals) {
          if (child != null) {
            larger[slot(larger, child.hash, child.label)] = child;
          }
        }
        PathNode made = literals[slot];
        literals = larger;
        return made;
      }
    }
    return literals[slot];
  }

  private static int slot(PathNode[] table, long hash, byte[] label) {
    int slot = (int) hash & table.length - 1;
    while (table[slot] != null
        && !(table[slot].hash == hash && Arrays.equals(table[slot].label, label))) {
      slot = slot + 1 & table.length - 1;
    }
    return slot;
  }

  /** The rules whose pattern ends here. */
  RuleChoice here() {
    if (here == RuleChoice.NONE) {
      here = new RuleChoice();
    }
    return here;
  }

  /** The rules whose pattern ends here with {@code **}. */
  RuleChoice rest() {
    if (rest == RuleChoice.NONE) {
      rest = new RuleChoice();
    }
    return rest;
  }

  /**
   * The most specific rule for the rest of the path; null if there is none. Each node tries its
   * literal child, the child for any segment, and its {@code **} rules, in this order, so the first
   * that is found is the most specific. A rule whose conditions do not hold counts as not found.
   *
   * @param at start of the next segment.
   */
  Rule match(MatchedRequest request, DirectBuffer bytes, int at, int end, boolean ignoreCase) {
    int from = at;
    while (from < end && (bytes.getByte(from) == '/' || bytes.getByte(from) == ';')) {
      // An empty segment, or one that is parameters only, is none.
      from = SegmentLabel.endOfSegment(bytes, from, end) + 1;
    }
    if (from >= end) {
      Rule found = here.first(request);
      return found != null ? found : rest.first(request);
    }
    if (literals != null || single != null) {
      int segmentEnd = SegmentLabel.endOfSegment(bytes, from, end);
      PathNode child = literals == null ? null : find(bytes, from, segmentEnd, ignoreCase);
      if (child != null) {
        Rule found = child.match(request, bytes, segmentEnd + 1, end, ignoreCase);
        if (found != null) {
          return found;
        }
      }
      if (single != null) {
        Rule found = single.match(request, bytes, segmentEnd + 1, end, ignoreCase);
        if (found != null) {
          return found;
        }
      }
    }
    return rest.first(request);
  }

  /** Finds a rule for a target without a path. */
  Rule matchRest(MatchedRequest request) {
    return rest.first(request);
  }

  private PathNode find(DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    PathNode[] table = literals;
    long wanted = SegmentLabel.hash(bytes, from, end, ignoreCase);
    int slot = (int) wanted & table.length - 1;
    for (PathNode child = table[slot]; child != null; child = table[slot]) {
      if (child.hash == wanted && child.isLabelOf(bytes, from, end, ignoreCase)) {
        return child;
      }
      slot = slot + 1 & table.length - 1;
    }
    return null;
  }

  private boolean isLabelOf(DirectBuffer bytes, int from, int end, boolean ignoreCase) {
    return plain
            && end - from == label.length
            && SegmentLabel.isVerbatim(words, bytes, from, end, ignoreCase)
        || SegmentLabel.matches(label, bytes, from, end, ignoreCase);
  }
}
