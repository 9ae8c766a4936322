package dev.weir.bench.rule;

import dev.weir.proxy.request.Question;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.Locale;

/**
 * Compares a decision with and without counting its keys, as {@link TopBench} does, on a machine
 * that is busy: slices of some milliseconds take turns, and are measured by the processor time of
 * the thread.
 */
public final class TopSlices {
  private static final int RULES = 256;
  private static final int ROUNDS_OF_SLICE = 100;
  private static final int WARM_UP = 300;
  private static final int PAIRS = 400;
  private static final double DECISIONS = (double) ROUNDS_OF_SLICE * RULES;

  private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
  private final Question[] questions = new Question[RULES];
  private long allowed;

  private TopSlices() {
    for (int i = 0; i < RULES; i++) {
      questions[i] = new Question().traffic(RuleKind.PATH.request(i));
    }
  }

  /** Prints the medians, and between which the middle half lies. */
  public static void main(String[] args) {
    new TopSlices().run();
  }

  private void run() {
    final double[] without = new double[PAIRS];
    final double[] with = new double[PAIRS];
    final double[] ratios = new double[PAIRS];
    try (LocalAdmission plain = new LocalAdmission(RuleFile.compiled(RuleKind.PATH, RULES));
        LocalAdmission counting = new LocalAdmission(RuleFile.compiled(RuleKind.PATH, RULES))) {
      counting.countKeys();
      for (int pair = -WARM_UP; pair < PAIRS; pair++) {
        final boolean isPlainFirst = (pair & 1) == 0;
        final double first = slice(isPlainFirst ? plain : counting);
        final double second = slice(isPlainFirst ? counting : plain);
        if (pair >= 0) {
          without[pair] = isPlainFirst ? first : second;
          with[pair] = isPlainFirst ? second : first;
          ratios[pair] = with[pair] / without[pair];
        }
      }
    }
    print("without, ns", without);
    print("with, ns", with);
    print("ratio", ratios);
    print("allowed", new double[] {allowed});
  }

  /** Nanoseconds of processor time per decision. */
  private double slice(LocalAdmission admission) {
    final long before = threads.getCurrentThreadCpuTime();
    for (int round = 0; round < ROUNDS_OF_SLICE; round++) {
      for (Question question : questions) {
        allowed += admission.ask(question).allowed() ? 1 : 0;
      }
    }
    return (threads.getCurrentThreadCpuTime() - before) / DECISIONS;
  }

  private static void print(String name, double[] values) {
    Arrays.sort(values);
    final int count = values.length;
    System.out.printf(
        Locale.ROOT,
        "%s: %.3f (%.3f..%.3f)%n",
        name,
        values[count / 2],
        values[count / 4],
        values[count * 3 / 4]);
  }
}
