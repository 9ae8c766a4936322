package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HeavyHittersTest {
  private static final int UPDATES = 500_000;
  private static final long MINUTE = HeavyHitters.WINDOW_NS;

  private final HeavyHitters hitters = new HeavyHitters(7, 0);

  private static long hash(long number) {
    long mixed = (number + 1) * 0x9E37_79B9_7F4A_7C15L;
    return (mixed ^ mixed >>> 29) * 0xBF58_476D_1CE4_E5B9L;
  }

  private void add(long number, long weight, long nowNs) {
    byte[] text = ("u" + number).getBytes(StandardCharsets.US_ASCII);
    hitters.add(hash(number), weight, "r", "user", new UnsafeBuffer(text), 0, text.length, nowNs);
  }

  private List<HeavyHitters.Found> found() {
    List<HeavyHitters.Found> all = new ArrayList<>();
    hitters.read(all::add);
    all.sort(
        Comparator.comparingLong(HeavyHitters.Found::count)
            .reversed()
            .thenComparing(HeavyHitters.Found::identity));
    return all;
  }

  /** Numbers of keys as they come: by Zipf's law, or nearly all made up once. */
  private interface Stream {
    long next();

    static Stream zipf(double exponent, int keys, Random random) {
      double[] upTo = new double[keys];
      double sum = 0;
      for (int i = 0; i < keys; i++) {
        sum += Math.pow(i + 1, -exponent);
        upTo[i] = sum;
      }
      double all = sum;
      return () -> {
        int at = Arrays.binarySearch(upTo, random.nextDouble() * all);
        return at < 0 ? -at - 1 : at;
      };
    }

    static Stream flood(Random random) {
      Stream few = zipf(1.1, 1_000, random);
      long[] made = {1_000_000};
      return () -> random.nextInt(20) == 0 ? few.next() : made[0]++;
    }
  }

  private static Stream stream(String of, Random random) {
    return switch (of) {
      case "steep" -> Stream.zipf(1.1, 100_000, random);
      case "flat" -> Stream.zipf(0.8, 100_000, random);
      default -> Stream.flood(random);
    };
  }

  @Test
  void countsFewKeysExactly() {
    for (int i = 0; i < 3; i++) {
      add(1, 1, 0);
    }
    add(2, 1, 0);
    assertEquals(
        List.of(
            new HeavyHitters.Found(hash(1), "r", "user", "u1", 3, 0),
            new HeavyHitters.Found(hash(2), "r", "user", "u2", 1, 0)),
        found());
    assertEquals(4, hitters.total());
    assertEquals(0, hitters.unnoticed(hash(3)));
  }

  @Test
  void cutsALongText() {
    UnsafeBuffer text = new UnsafeBuffer("x".repeat(200).getBytes(StandardCharsets.US_ASCII));
    hitters.add(5, 1, "r", "user", text, 10, 190, 0);
    assertEquals("x".repeat(HeavyHitters.TEXT_BYTES), found().get(0).identity());
  }

  /** Nearly all of the first ten are found, however many others come; and the counts hold. */
  @ParameterizedTest
  @ValueSource(strings = {"steep", "flat", "flood"})
  void findsTheMostFrequentAmongAnyNumber(String of) {
    Random random = new Random(3);
    Stream stream = stream(of, random);
    Map<Long, Integer> exact = new HashMap<>();
    for (int i = 0; i < UPDATES; i++) {
      long key = stream.next();
      exact.merge(key, 1, Integer::sum);
      add(key, 1, 0);
    }
    List<HeavyHitters.Found> found = found();
    assertTrue(found.size() <= HeavyHitters.KEYS);
    assertEquals(UPDATES, hitters.total());
    Set<String> first = new HashSet<>();
    found.subList(0, 10).forEach(one -> first.add(one.identity()));
    for (int key = 0; key < 5; key++) {
      assertTrue(first.contains("u" + key), "u" + key + " is not in " + first);
    }
    int within = 0;
    for (HeavyHitters.Found one : found.subList(0, 40)) {
      long truly = exact.get(Long.parseLong(one.identity().substring(1)));
      within += Math.abs(one.count() - truly) <= one.error() ? 1 : 0;
    }
    assertTrue(within >= 38, within + " of 40 counts are as wrong as they say");
  }

  /** A sample of one in 64 finds them as well, and says how far its counts may be off. */
  @ParameterizedTest
  @CsvSource({"steep, 1", "flat, 2", "flood, 3"})
  void saysHowWrongASampleMayBe(String of, int seed) {
    Random random = new Random(seed);
    Stream stream = stream(of, random);
    Map<Long, Integer> exact = new HashMap<>();
    for (int i = 0, skip = 0; i < 4 * UPDATES; i++) {
      long key = stream.next();
      exact.merge(key, 1, Integer::sum);
      if (skip-- == 0) {
        add(key, 64, 0);
        skip = random.nextInt(127);
      }
    }
    List<HeavyHitters.Found> found = found();
    int within = 0;
    for (HeavyHitters.Found one : found.subList(0, 40)) {
      long truly = exact.get(Long.parseLong(one.identity().substring(1)));
      within += Math.abs(one.count() - truly) <= one.error() ? 1 : 0;
    }
    assertTrue(within >= 36, within + " of 40 counts are as wrong as they say");
    assertEquals("u0", found.get(0).identity());
  }

  @Test
  void forgetsWhatIsOlderThanTheMinuteBefore() {
    add(1, 10, 0);
    add(2, 1, MINUTE);
    assertEquals(10, found().get(0).count(), "of the minute before");
    assertEquals(MINUTE + 5, hitters.coversNs(MINUTE + 5));
    add(2, 1, 2 * MINUTE);
    assertEquals(List.of("u2"), found().stream().map(HeavyHitters.Found::identity).toList());
    assertEquals(2, hitters.total());
    assertEquals(MINUTE + 5, hitters.coversNs(2 * MINUTE + 5));
    HeavyHitters copy = hitters.copy(9 * MINUTE);
    assertEquals(0, copy.total());
    copy.read(one -> assertEquals(0, one.count(), one.toString()));
    assertEquals(0, copy.unnoticed(hash(2)));
  }

  @Test
  void aCopyStaysAsItIs() {
    add(1, 1, 0);
    HeavyHitters copy = hitters.copy(0);
    add(1, 1, 0);
    List<Long> counts = new ArrayList<>();
    copy.read(one -> counts.add(one.count()));
    assertEquals(List.of(1L), counts);
  }

  /** A key that comes often is not pushed out by those which come once. */
  @Test
  void staysAmongMadeUpKeys() {
    for (int i = 0; i < UPDATES; i++) {
      add(i % 1000 == 0 ? 1 : 1000 + i, 1, 0);
    }
    HeavyHitters.Found first = found().get(0);
    assertEquals("u1", first.identity());
    assertTrue(Math.abs(first.count() - UPDATES / 1000) <= first.error(), first.toString());
  }
}
