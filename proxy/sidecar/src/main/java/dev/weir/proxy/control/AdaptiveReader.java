package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BudgetSpec;

/** Reads between which numbers a limit of requests at a time finds its own. */
final class AdaptiveReader {
  static final String ADAPTIVE = "adaptive";
  static final String MIN = "min";
  static final String MAX = "max";

  /** A section, where a text is told of it. */
  static final String TEXT = "{" + ADAPTIVE + ": ...}";

  private final YamlTree tree;
  private final Faults faults;
  private int min;
  private int max;

  AdaptiveReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /** Reads the section at a path, if it is there. */
  void read(String path, BudgetSpec.Fields<?> limit) {
    if (!tree.at(path).isSection()) {
      return;
    }
    String at = path + "." + ADAPTIVE;
    if (!tree.at(path).keys().containsKey(ADAPTIVE)) {
      faults.add(tree.line(path), at, "missing", "{min: 10, max: 500}, or a number instead");
      return;
    }
    tree.read(at + "." + MIN, text -> min = number(text));
    tree.read(at + "." + MAX, text -> max = number(text));
    need(at, MIN, "requests that the service always bears at a time, such as 10");
    need(at, MAX, "the most requests at a time, such as 500");
    if (min > 0 && max > 0 && max <= min) {
      faults.add(tree.line(at + "." + MAX), at + "." + MAX, "" + max, "more than min, " + min);
    }
    if (!faults.isFaultyWithin(path) && min > 0 && max > 0) {
      limit.adaptive(min, max);
    }
  }

  private static int number(String text) {
    return Texts.parseInt(text, 1, BudgetSpec.MAX_CONCURRENCY);
  }

  private void need(String at, String key, String expected) {
    if (tree.at(at).isSection() && !tree.at(at).keys().containsKey(key)) {
      faults.add(tree.line(at), at + "." + key, "missing", expected);
    }
  }
}
