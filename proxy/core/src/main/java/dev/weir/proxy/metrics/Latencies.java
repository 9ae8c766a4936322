package dev.weir.proxy.metrics;

import dev.weir.proxy.request.Protocol;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.HdrHistogram.Histogram;

/**
 * Times of all event loops, merged when somebody reads. What an event loop has recorded can be
 * taken from it once only; it is added to the sum since the start, which most readers want, and to
 * the share of each {@link Reader}, who wants what is new to it. Thread-safe: readers exclude each
 * other, the loops that write are never held up.
 */
public final class Latencies {
  private static final double NS_PER_US = 1_000;
  private static final int TICKS_PER_HALF_DISTANCE = 5;
  private static final double[] TABLE_PERCENTILES = {50, 90, 99, 99.9, 99.99};

  private final Step[] steps = new Step[LatencyStep.values().length];

  Latencies() {
    for (int i = 0; i < steps.length; i++) {
      steps[i] = new Step();
    }
  }

  void add(LatencyStep step, LatencyRecorder recorder) {
    steps[step.ordinal()].add(recorder, null);
  }

  /** Takes in the times of a step that is told of each protocol's exchanges. */
  void add(LatencyStep step, Protocol protocol, LatencyRecorder recorder) {
    Step at = steps[step.ordinal()];
    at.add(recorder, at.ofProtocol(protocol));
  }

  /** One more reader, whose share begins now. It is kept as long as these are. */
  Reader newReader() {
    return new Reader();
  }

  /**
   * A step's times as figures.
   *
   * @param quantiles each from 0 to 1.
   */
  public LatencySummary summary(LatencyStep step, double... quantiles) {
    Step at = steps[step.ordinal()];
    return at.read(sinceStart -> at.all.summary(quantiles));
  }

  /**
   * The times of one protocol's exchanges in a step, as figures.
   *
   * @param step that is told {@linkplain LatencyStep#isByProtocol by protocol}.
   * @param protocol one of {@link #protocols}.
   * @param quantiles each from 0 to 1.
   */
  public LatencySummary summary(LatencyStep step, Protocol protocol, double... quantiles) {
    Step at = steps[step.ordinal()];
    return at.read(sinceStart -> at.ofProtocol(protocol).summary(quantiles));
  }

  /** The protocols of which exchanges were timed. */
  public List<Protocol> protocols() {
    Step total = steps[LatencyStep.TOTAL.ordinal()];
    return total.read(sinceStart -> total.protocols());
  }

  /**
   * The percentiles of every step as a table, in microseconds; - where nothing was recorded. Behind
   * it those of each protocol, where there was another than HTTP/1.1.
   */
  public String table() {
    StringBuilder text = new StringBuilder("Latency since start, in microseconds.\n\n");
    heading(text, "step");
    for (LatencyStep step : LatencyStep.values()) {
      String row = steps[step.ordinal()].read(sinceStart -> row(step.label(), sinceStart));
      text.append(row);
    }
    List<Protocol> protocols = protocols();
    if (protocols.isEmpty() || protocols.equals(List.of(Protocol.HTTP1))) {
      return text.toString();
    }
    for (LatencyStep step : LatencyStep.values()) {
      if (step.isByProtocol()) {
        text.append('\n');
        heading(text, step.label());
        for (Protocol protocol : protocols) {
          Step at = steps[step.ordinal()];
          String name = protocol.toString();
          String row = at.read(sinceStart -> row(name, at.ofProtocol(protocol).sinceStart));
          text.append(row);
        }
      }
    }
    return text.toString();
  }

  private static void heading(StringBuilder text, String first) {
    text.append(
        String.format(
            Locale.ROOT,
            "%-10s %12s %12s %12s %12s %12s %12s %14s\n",
            first,
            "p50",
            "p90",
            "p99",
            "p99.9",
            "p99.99",
            "max",
            "count"));
  }

  private static String row(String name, Histogram histogram) {
    StringBuilder row = new StringBuilder(String.format(Locale.ROOT, "%-10s", name));
    boolean isEmpty = histogram.getTotalCount() == 0;
    for (double percentile : TABLE_PERCENTILES) {
      row.append(cell(isEmpty, histogram.getValueAtPercentile(percentile)));
    }
    row.append(cell(isEmpty, histogram.getMaxValue()));
    return row.append(String.format(Locale.ROOT, " %14d\n", histogram.getTotalCount())).toString();
  }

  private static String cell(boolean isEmpty, long ns) {
    return isEmpty
        ? String.format(Locale.ROOT, " %12s", "-")
        : String.format(Locale.ROOT, " %12.2f", ns / NS_PER_US);
  }

  /** A step's whole distribution as HdrHistogram's plotters read it, values in microseconds. */
  public String hgrm(LatencyStep step) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.US_ASCII)) {
      Histogram copy = steps[step.ordinal()].read(Histogram::copy);
      copy.outputPercentileDistribution(out, TICKS_PER_HALF_DISTANCE, NS_PER_US);
      // In the form of the summary lines before it, which plotters skip.
      out.print("#[Step    = " + step.label() + ", Unit           = microseconds]\n");
    }
    return bytes.toString(StandardCharsets.US_ASCII);
  }

  /**
   * One reader's share of these times: what was recorded since it took it last. Each reader has a
   * share of its own, so that none takes what another has not seen. Thread-safe.
   */
  final class Reader {
    /** The times that this reader has not taken, by step; under the lock of the step. */
    private final Histogram[] untaken = new Histogram[steps.length];

    private Reader() {
      for (int i = 0; i < untaken.length; i++) {
        untaken[i] = LatencyRecorder.emptyHistogram();
        steps[i].share(untaken[i]);
      }
    }

    /** Adds to {@code sum} what was recorded since the last call. */
    void take(LatencyStep step, Histogram sum) {
      peek(step, sum, true);
    }

    /** Adds the same, and leaves it to be taken. */
    void peek(LatencyStep step, Histogram sum) {
      peek(step, sum, false);
    }

    private void peek(LatencyStep step, Histogram sum, boolean takes) {
      Histogram times = untaken[step.ordinal()];
      steps[step.ordinal()].read(
          sinceStart -> {
            sum.add(times);
            if (takes) {
              times.reset();
            }
            return sum;
          });
    }
  }

  /** Times since the start, and their sum. Under the lock of their step. */
  private static final class Sum {
    private final Histogram sinceStart = LatencyRecorder.emptyHistogram();

    /** A double, because ten thousand requests at once fill 2^63 ns in days. */
    private double sumNs;

    private LatencySummary summary(double... quantiles) {
      return LatencySummary.of(sinceStart, sumNs, quantiles);
    }
  }

  /** One step over all loops. */
  private static final class Step {
    private final List<Source> sources = new ArrayList<>();
    private final List<Histogram> sums = new ArrayList<>();
    private final Sum all = new Sum();
    private final Map<Protocol, Sum> byProtocol = new EnumMap<>(Protocol.class);

    /**
     * A recorder that is drained.
     *
     * @param own the sum of its protocol; null if it is told of none.
     */
    private record Source(LatencyRecorder recorder, Sum own) {}

    Step() {
      sums.add(all.sinceStart);
    }

    /** The protocols of which there are times; under the lock. */
    List<Protocol> protocols() {
      return byProtocol.entrySet().stream()
          .filter(entry -> entry.getValue().sinceStart.getTotalCount() > 0)
          .map(Map.Entry::getKey)
          .toList();
    }

    /** The sum of a protocol's times; an empty one if it has none yet. */
    synchronized Sum ofProtocol(Protocol protocol) {
      return byProtocol.computeIfAbsent(protocol, any -> new Sum());
    }

    synchronized void add(LatencyRecorder recorder, Sum own) {
      sources.add(new Source(recorder, own));
    }

    synchronized void share(Histogram untaken) {
      drain();
      sums.add(untaken);
    }

    synchronized <T> T read(Function<Histogram, T> reader) {
      drain();
      return reader.apply(all.sinceStart);
    }

    private void drain() {
      for (Source source : sources) {
        Sum own = source.own();
        double addedNs = source.recorder().drainInto(sums, own == null ? null : own.sinceStart);
        all.sumNs += addedNs;
        if (own != null) {
          own.sumNs += addedNs;
        }
      }
    }
  }
}
