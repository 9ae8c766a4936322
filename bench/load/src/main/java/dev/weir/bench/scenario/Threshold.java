package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A condition on the figures of a run: {@code p99<2ms}, {@code errors<0.1%}, {@code refused==40},
 * {@code rate>=1000}.
 *
 * @param text as it was written.
 * @param percentile of {@link Figure#PERCENTILE}, from 0 to 100; 0 otherwise.
 * @param limit in nanoseconds, parts of 1, requests or requests per second, as the figure and the
 *     unit have it.
 * @param ofAll whether the limit is a part of all requests, not a number of them.
 */
public record Threshold(
    String text, Figure figure, double percentile, Operator operator, double limit, boolean ofAll) {

  /** The figure that is compared; latencies are the corrected ones. */
  public enum Figure {
    PERCENTILE,
    MAX,
    MEAN,
    PASSED,
    REFUSED,
    ERRORS,
    RATE;

    boolean isTime() {
      return this == PERCENTILE || this == MAX || this == MEAN;
    }
  }

  /** How it must stand to the limit. */
  public enum Operator {
    LESS("<"),
    AT_MOST("<="),
    MORE(">"),
    AT_LEAST(">="),
    EQUAL("=="),
    OTHER("!=");

    private final String text;

    Operator(String text) {
      this.text = text;
    }

    private boolean holds(double value, double limit) {
      return switch (this) {
        case LESS -> value < limit;
        case AT_MOST -> value <= limit;
        case MORE -> value > limit;
        case AT_LEAST -> value >= limit;
        case EQUAL -> value == limit;
        case OTHER -> value != limit;
      };
    }
  }

  private static final String EXPECTED =
      "FIGURE OPERATOR LIMIT, such as p99<2ms, max<=1s, errors<0.1%, refused==40 or rate>=1000;"
          + " figures are pN, max, mean, passed, refused, errors and rate";
  private static final Pattern FORM =
      Pattern.compile(
          "(p[0-9.]+|[a-z]+) *(<=|>=|==|!=|<|>) *([0-9]{1,12}(?:\\.[0-9]{1,9})?) *(ns|us|ms|s|%|)");

  /**
   * Reads one.
   *
   * @throws BadValueException if it is none.
   */
  static Threshold parse(String text) {
    final Matcher form = FORM.matcher(text.trim());
    if (!form.matches()) {
      throw new BadValueException(text, EXPECTED);
    }
    final Figure figure = figure(text, form.group(1));
    final double number = Double.parseDouble(form.group(3));
    final String unit = form.group(4);
    final double scale =
        switch (unit) {
          case "ns" -> 1;
          case "us" -> 1e3;
          case "ms" -> 1e6;
          case "s" -> 1e9;
          default -> 1;
        };
    final boolean percent = unit.equals("%");
    final boolean time = !unit.isEmpty() && !percent;
    if (time != figure.isTime() || percent && figure == Figure.RATE) {
      throw new BadValueException(text, EXPECTED);
    }
    return new Threshold(
        text.trim(),
        figure,
        figure == Figure.PERCENTILE ? percentile(text, form.group(1)) : 0,
        operator(form.group(2)),
        // Divided, as counts are: 7 % of 700 shall equal 49 of 700 to the last bit.
        percent ? number / 100 : number * scale,
        percent);
  }

  private static Figure figure(String text, String name) {
    if (name.matches("p[0-9.]+")) {
      return Figure.PERCENTILE;
    }
    return switch (name) {
      case "max" -> Figure.MAX;
      case "mean" -> Figure.MEAN;
      case "passed" -> Figure.PASSED;
      case "refused" -> Figure.REFUSED;
      case "errors" -> Figure.ERRORS;
      case "rate" -> Figure.RATE;
      default -> throw new BadValueException(text, EXPECTED);
    };
  }

  private static double percentile(String text, String name) {
    if (name.matches("p[0-9]{1,3}(\\.[0-9]{1,6})?")) {
      final double percentile = Double.parseDouble(name.substring(1));
      if (percentile <= 100) {
        return percentile;
      }
    }
    throw new BadValueException(text, "a percentile from p0 to p100, such as p99.9");
  }

  private static Operator operator(String text) {
    for (Operator operator : Operator.values()) {
      if (operator.text.equals(text)) {
        return operator;
      }
    }
    throw new IllegalArgumentException(text);
  }

  /** Whether it holds for a value in the unit of the limit; for no value at all it does not. */
  public boolean holds(double value) {
    return !Double.isNaN(value) && operator.holds(value, limit);
  }
}
