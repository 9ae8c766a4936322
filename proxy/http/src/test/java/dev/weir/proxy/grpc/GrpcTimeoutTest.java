package dev.weir.proxy.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class GrpcTimeoutTest {
  private static final Pattern GRAMMAR = Pattern.compile("([0-9]{1,8})([HMSmun])");
  private static final Map<String, BigInteger> UNITS_NS =
      Map.of(
          "H", BigInteger.valueOf(3_600_000_000_000L),
          "M", BigInteger.valueOf(60_000_000_000L),
          "S", BigInteger.valueOf(1_000_000_000),
          "m", BigInteger.valueOf(1_000_000),
          "u", BigInteger.valueOf(1_000),
          "n", BigInteger.ONE);

  private final Random random = new Random(7);

  private static long parse(String text) {
    byte[] bytes = ("<" + text + "1S").getBytes(StandardCharsets.ISO_8859_1);
    return GrpcTimeout.parseNs(new UnsafeBuffer(bytes), 1, text.length());
  }

  /** What the grammar says, by another way. */
  private static long model(String text) {
    Matcher matcher = GRAMMAR.matcher(text);
    if (!matcher.matches()) {
      return GrpcTimeout.NONE;
    }
    BigInteger ns = new BigInteger(matcher.group(1)).multiply(UNITS_NS.get(matcher.group(2)));
    return ns.min(BigInteger.valueOf(Long.MAX_VALUE)).longValue();
  }

  private static String write(long ns) {
    byte[] out = new byte[GrpcTimeout.MAX_BYTES];
    return new String(out, 0, GrpcTimeout.write(ns, out), StandardCharsets.US_ASCII);
  }

  @ParameterizedTest
  @CsvSource({
    "0n, 0",
    "1n, 1",
    "1u, 1000",
    "250m, 250000000",
    "00000250m, 250000000",
    "1S, 1000000000",
    "2M, 120000000000",
    "1H, 3600000000000",
    "2562047H, 9223369200000000000",
    "2562048H, 9223372036854775807",
    "99999999H, 9223372036854775807"
  })
  void readsOneToEightDigitsAndAUnit(String text, long ns) {
    assertEquals(ns, parse(text));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "S", "1", "1s", "1h", "123456789n", "-1S", "+1S", " 1S", "1 S", "1.5S", "1ms"})
  void isNoTimeoutInAnyOtherForm(String text) {
    assertEquals(GrpcTimeout.NONE, parse(text));
  }

  @Test
  void readsWhateverTheGrammarReadsAndNothingElse() {
    String alphabet = "0123456789HMSmunhsx +-.\u00b2";
    for (int i = 0; i < 200_000; i++) {
      StringBuilder text = new StringBuilder();
      int digits = random.nextInt(11);
      for (int j = 0; j < digits; j++) {
        text.append((char) ('0' + random.nextInt(10)));
      }
      int others = random.nextInt(3);
      for (int j = 0; j < others; j++) {
        int at = random.nextInt(4) == 0 ? random.nextInt(text.length() + 1) : text.length();
        text.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
      }
      assertEquals(model(text.toString()), parse(text.toString()), text.toString());
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0n",
    "1, 1n",
    "99999999, 99999999n",
    "100000000, 100000u",
    "100000999, 100000u",
    "99999999999, 99999999u",
    "100000000000, 100000m",
    "9223372036854775807, 2562047H"
  })
  void writesTheFinestUnitThatHasRoom(long ns, String text) {
    assertEquals(text, write(ns));
  }

  @Test
  void whatIsWrittenIsReadAsNoMoreAndHardlyLess() {
    for (int i = 0; i < 200_000; i++) {
      long ns = random.nextLong() >>> 1 + random.nextInt(63);
      String text = write(ns);
      long read = parse(text);
      assertTrue(read <= ns, text);
      assertTrue(ns - read <= ns / 100_000, text);
    }
  }
}
