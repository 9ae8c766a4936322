package dev.weir.bench.scenario;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.Collectors;

/**
 * The stages of a load as people write them, behind each other:
 *
 * <pre>
 * rate=1000,for=30s                       constant
 * ramp=0..5000,for=30s                    from one rate to the other
 * steps=1000..5000,by=1000,for=50s        five rates, ten seconds each
 * sine=1000..5000,period=20s,for=60s      up and down, from the lower one
 * burst=5000,every=10s,base=100,for=60s   so many at once, again and again, over a constant rate
 * </pre>
 */
final class Stages {
  static final double MOST_PER_SECOND = 10_000_000;
  static final long LONGEST_NS = 86_400_000_000_000L;

  private static final Map<String, Set<String>> KINDS =
      Map.of(
          "rate", Set.of("rate", "for"),
          "ramp", Set.of("ramp", "for"),
          "steps", Set.of("steps", "by", "for"),
          "sine", Set.of("sine", "period", "for"),
          "burst", Set.of("burst", "every", "base", "for"));
  private static final String EXPECTED =
      "rate=N, ramp=A..B, steps=A..B,by=N, sine=A..B,period=T or burst=N,every=T[,base=N],"
          + " each with for=T";

  /** A curve is drawn with lines of this length, or with this many where that would be more. */
  private static final long LINE_NS = 10_000_000;

  private static final int MOST_LINES = 150_000;
  private static final int LINES_PER_PERIOD = 50;
  private static final int MOST_STEPS = 1_000;
  private static final int MOST_BURSTS = 100_000;

  private final Schedule.Builder schedule = new Schedule.Builder();
  private Map<String, String> parts;
  private String kind;
  private String text;

  private Stages() {}

  /**
   * Reads stages.
   *
   * @throws BadValueException for the first that is none, or if nothing would be sent.
   */
  static Schedule parse(List<String> stages) {
    final Stages reader = new Stages();
    stages.forEach(reader::add);
    final Schedule schedule = reader.schedule.build();
    if (schedule.durationNs() > LONGEST_NS) {
      throw new BadValueException(String.join(" ", stages), "at most 1d in all");
    }
    if (schedule.count() < 1) {
      throw new BadValueException(String.join(" ", stages), "at least one request in all");
    }
    return schedule;
  }

  /** Reads one stage, in which there may be nothing to do. */
  static String check(String stage) {
    new Stages().add(stage);
    return stage;
  }

  private void add(String stage) {
    text = stage;
    parts = new LinkedHashMap<>();
    for (String part : stage.split(",", -1)) {
      final int equals = part.indexOf('=');
      if (equals < 1 || parts.put(part.substring(0, equals), part.substring(equals + 1)) != null) {
        throw new BadValueException(stage, EXPECTED);
      }
    }
    kind = parts.keySet().stream().filter(KINDS::containsKey).findFirst().orElse("");
    if (kind.isEmpty() || !KINDS.get(kind).containsAll(parts.keySet())) {
      throw new BadValueException(stage, EXPECTED);
    }
    final long durationNs = duration("for");
    if (durationNs > LONGEST_NS) {
      throw new BadValueException(stage, "at most 1d in all");
    }
    switch (kind) {
      case "rate" -> line(durationNs, rate("rate", 0));
      case "ramp" -> ramp(durationNs);
      case "steps" -> steps(durationNs);
      case "sine" -> sine(durationNs);
      default -> bursts(durationNs);
    }
  }

  private void line(long durationNs, double perSecond) {
    schedule.line(durationNs, perSecond * durationNs / 1e9);
  }

  private void ramp(long durationNs) {
    final double[] rates = range("ramp");
    curve(
        durationNs,
        durationNs / LINE_NS,
        seconds ->
            rates[0] * seconds
                + (rates[1] - rates[0]) * seconds * seconds / (2 * durationNs / 1e9));
  }

  private void steps(long durationNs) {
    final double[] rates = range("steps");
    final double by = rate("by", 1);
    // Numbers such as 1.1 are not what they seem to be: the last step may be a little beyond.
    final int last = (int) Math.min(MOST_STEPS, Math.abs(rates[1] - rates[0]) / by + 1e-6);
    if (last >= MOST_STEPS) {
      throw new BadValueException(text, "at most " + MOST_STEPS + " steps");
    }
    long fromNs = 0;
    for (int i = 0; i <= last; i++) {
      final long toNs = durationNs * (i + 1) / (last + 1);
      line(toNs - fromNs, rates[0] + Math.signum(rates[1] - rates[0]) * by * i);
      fromNs = toNs;
    }
  }

  private void sine(long durationNs) {
    final double[] rates = range("sine");
    final long periodNs = duration("period");
    final long lines = LINES_PER_PERIOD * (durationNs / periodNs);
    if (lines > MOST_LINES) {
      throw new BadValueException(text, "at most " + MOST_LINES / LINES_PER_PERIOD + " periods");
    }
    final double perSecond = 2 * Math.PI / (periodNs / 1e9);
    final double mean = (rates[0] + rates[1]) / 2;
    final double amplitude = (rates[1] - rates[0]) / 2;
    curve(
        durationNs,
        Math.max(lines, durationNs / LINE_NS),
        seconds -> mean * seconds - amplitude * Math.sin(perSecond * seconds) / perSecond);
  }

  private void curve(long durationNs, long wantedLines, DoubleUnaryOperator countBySeconds) {
    final int lines = (int) Math.max(1, Math.min(MOST_LINES, wantedLines));
    long fromNs = 0;
    double counted = 0;
    for (int i = 1; i <= lines; i++) {
      final long toNs = (long) ((double) durationNs * i / lines);
      final double by = countBySeconds.applyAsDouble(toNs / 1e9);
      schedule.line(toNs - fromNs, Math.max(0, by - counted));
      fromNs = toNs;
      counted = Math.max(counted, by);
    }
  }

  private void bursts(long durationNs) {
    final double size = rate("burst", 1);
    final double base = parts.containsKey("base") ? rate("base", 0) : 0;
    final long everyNs = duration("every");
    if (durationNs / everyNs > MOST_BURSTS) {
      throw new BadValueException(text, "at most " + MOST_BURSTS + " bursts");
    }
    for (long fromNs = 0; fromNs < durationNs; fromNs += everyNs) {
      schedule.line(0, size);
      line(Math.min(everyNs, durationNs - fromNs), base);
    }
  }

  private long duration(String part) {
    return DurationText.parseNs(value(part));
  }

  private double rate(String part, double least) {
    return number(value(part), least);
  }

  private double[] range(String part) {
    final String[] ends = value(part).split("\\.\\.", -1);
    if (ends.length != 2) {
      throw new BadValueException(value(part), "two rates, such as 1000..5000");
    }
    return new double[] {number(ends[0], 0), number(ends[1], 0)};
  }

  private String value(String part) {
    final String value = parts.get(part);
    if (value == null) {
      throw new BadValueException(
          text,
          new TreeSet<>(KINDS.get(kind))
              .stream().map(name -> name + "=...").collect(Collectors.joining(", ")));
    }
    return value;
  }

  static double number(String text, double least) {
    if (text.matches("[0-9]{1,9}(\\.[0-9]{1,6})?")) {
      final double value = Double.parseDouble(text);
      if (value >= least && value <= MOST_PER_SECOND) {
        return value;
      }
    }
    throw new BadValueException(text, "a number from " + (least == 0 ? "0" : "1") + " to 10000000");
  }
}
