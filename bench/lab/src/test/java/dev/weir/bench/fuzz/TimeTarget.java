package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.grpc.GrpcTimeout;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import dev.weir.proxy.rule.spec.Rate;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Times as text: durations and rates of settings, and {@code grpc-timeout}. What is read is what
 * the digits and the unit say, within its bounds.
 */
final class TimeTarget implements Consumer<byte[]> {
  private static final long DAY_NS = TimeUnit.DAYS.toNanos(1);
  private static final Map<String, Long> UNITS_NS =
      Map.of(
          "ms",
          DAY_NS / 86_400_000,
          "s",
          DAY_NS / 86_400,
          "m",
          DAY_NS / 1440,
          "h",
          DAY_NS / 24,
          "d",
          DAY_NS);

  @Override
  public void accept(byte[] input) {
    String text = new String(input, StandardCharsets.ISO_8859_1);
    try {
      long ns = DurationText.parseNs(text);
      assertTrue(ns >= 1_000_000 && ns <= 3660 * DAY_NS, text);
      String unit = text.replaceFirst("^[0-9]+", "");
      BigInteger count = new BigInteger(text.substring(0, text.length() - unit.length()));
      assertEquals(count.multiply(BigInteger.valueOf(UNITS_NS.get(unit))).longValueExact(), ns);
    } catch (BadValueException refused) {
      // Most inputs are no duration.
    }
    try {
      Rate rate = Rate.parse(text);
      assertEquals(rate, Rate.parse(rate.toString()));
    } catch (BadValueException refused) {
      // Nor a rate.
    }
    timeout(input);
  }

  private static void timeout(byte[] input) {
    long ns = GrpcTimeout.parseNs(new UnsafeBuffer(input), 0, input.length);
    if (ns == GrpcTimeout.NONE) {
      return;
    }
    assertTrue(ns >= 0);
    byte[] written = new byte[GrpcTimeout.MAX_BYTES];
    int length = GrpcTimeout.write(ns, written);
    long again = GrpcTimeout.parseNs(new UnsafeBuffer(written), 0, length);
    assertTrue(again <= ns && again >= ns - ns / 1_000_000, ns + " is written as " + again);
  }
}
