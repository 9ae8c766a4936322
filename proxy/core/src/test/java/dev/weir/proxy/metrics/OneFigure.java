package dev.weir.proxy.metrics;

import dev.weir.proxy.metrics.Metrics.Supplied;
import io.prometheus.metrics.model.snapshots.Labels;
import java.util.List;
import java.util.OptionalDouble;

/**
 * Reads one counter or gauge without the others: an exposition goes through every histogram, for
 * milliseconds, and a test that waits for a figure looks often.
 */
public final class OneFigure {
  private static final String TOTAL = "_total";

  private OneFigure() {}

  /**
   * The value of a figure.
   *
   * @param nameAndLabels as exposed.
   * @return empty if it is none that is counted by loops or supplied, such as a rule's.
   */
  public static OptionalDouble of(Metrics metrics, String nameAndLabels) {
    for (OpenGauge gauge : LoopFigures.gauges()) {
      if (gauge.name().equals(nameAndLabels)) {
        return OptionalDouble.of(metrics.sum(gauge));
      }
    }
    for (LoopCounter counter : LoopFigures.counters()) {
      int word = rowsOf(counter).indexOf(nameAndLabels);
      if (word >= 0) {
        return OptionalDouble.of(metrics.sum(counter.word() + word));
      }
    }
    Supplied supplied = metrics.supplied().get(nameAndLabels);
    return supplied == null
        ? OptionalDouble.empty()
        : OptionalDouble.of(supplied.values().get(Labels.EMPTY).getAsDouble());
  }

  /** The gauges of what is open now that are not 0, with their values; empty if there are none. */
  public static String open(Metrics metrics) {
    StringBuilder open = new StringBuilder();
    for (OpenGauge gauge : LoopFigures.gauges()) {
      long value = metrics.sum(gauge);
      if (value != 0) {
        open.append(gauge.name()).append(' ').append(value).append(' ');
      }
    }
    return open.toString();
  }

  private static List<String> rowsOf(LoopCounter counter) {
    String name = counter.name() + TOTAL;
    return counter.values().isEmpty()
        ? List.of(name)
        : counter.values().stream()
            .map(value -> name + "{" + counter.label() + "=\"" + value + "\"}")
            .toList();
  }
}
