package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.LatencySeries.TimedHistogram;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunResult.Check;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

class TextSummaryTest {
  private static LatencySeries series(String label, long... ns) {
    final Histogram histogram = LatencySeries.emptyHistogram();
    Arrays.stream(ns).forEach(histogram::recordValue);
    final ByteBuffer bytes = ByteBuffer.allocate(histogram.getNeededByteBufferCapacity());
    histogram.encodeIntoByteBuffer(bytes);
    return new LatencySeries(
        "",
        label,
        List.of(new TimedHistogram(0, 1, Arrays.copyOf(bytes.array(), bytes.position()))));
  }

  private static RunResult result(List<String> warnings, List<Check> checks) {
    return new RunResult(
        "a run",
        Map.of("Load", "much"),
        warnings,
        checks,
        List.of(),
        List.of(series("corrected", 1_000, 2_000, 3_000), series("refused")),
        0);
  }

  @Test
  void saysWhatWasMeasured() {
    assertEquals(
        """
        a run

          Load  much

        | Latency   |     p50 |     p90 |     p99 |   p99.9 |  p99.99 |     max | answers |
        |-----------| -------:| -------:| -------:| -------:| -------:| -------:| -------:|
        | corrected | 2.00 us | 3.00 us | 3.00 us | 3.00 us | 3.00 us | 3.00 us |       3 |
        | refused   |       - |       - |       - |       - |       - |       - |       0 |
        """,
        new TextSummary(result(List.of(), List.of())).toString());
  }

  @Test
  void endsWithWarningsAndChecks() {
    final String text =
        new TextSummary(
                result(
                    List.of("Beware.", "Think."),
                    List.of(
                        new Check("p99<1s", "3 us", true), new Check("max<1us", "3 us", false))))
            .toString();
    assertEquals(
        """

        warning: Beware.
        warning: Think.

        held    p99<1s  (3 us)
        MISSED  max<1us  (3 us)
        """,
        text.substring(text.indexOf("\nwarning")));
  }
}
