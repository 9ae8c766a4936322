package dev.weir.proxy.demo;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The answers to a number of requests.
 *
 * @param counts by status; 0 stands for no answer at all.
 */
record Answers(SortedMap<Integer, Integer> counts) {
  static final Answers NONE = new Answers(new TreeMap<>());

  int count(int status) {
    return counts.getOrDefault(status, 0);
  }

  int totalCount() {
    return counts.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** Such as {@code 40 x 429}; a dash if none was refused. */
  String refusals() {
    String text =
        counts.entrySet().stream()
            .filter(entry -> entry.getKey() != 200)
            .map(entry -> entry.getValue() + " x " + name(entry.getKey()))
            .collect(Collectors.joining(", "));
    return text.isEmpty() ? "-" : text;
  }

  private static String name(int status) {
    return status == 0 ? "no answer" : Integer.toString(status);
  }

  Answers plus(Answers other) {
    SortedMap<Integer, Integer> sum = new TreeMap<>(counts);
    other.counts.forEach((status, count) -> sum.merge(status, count, Integer::sum));
    return new Answers(sum);
  }

  Answers plus(int status) {
    return plus(new Answers(new TreeMap<>(Map.of(status, 1))));
  }
}
