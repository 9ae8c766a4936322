package dev.weir.proxy.metrics;

import java.util.List;

/**
 * A counter that every event loop has: its name and help as a metric, and its words in a loop's
 * row. Declared in {@link LoopFigures}.
 *
 * @param name without {@code _total}, which the exposition adds.
 * @param label the name of its one label; null for none.
 * @param values of the label, a word each in this order; empty for none, and one word.
 * @param word the first of its words.
 */
record LoopCounter(String name, String help, String label, List<String> values, int word) {
  int wordCount() {
    return Math.max(1, values.size());
  }
}
