package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.Decision;
import dev.weir.algorithms.Limit;
import dev.weir.algorithms.LimitTable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The decisions that the Java library wrote down, asked of the script. */
class VectorsIT extends ScriptServer {
  private static final Path DIRECTORY = Path.of("../algorithms/src/test/resources/vectors");

  private final CheckCall call = new CheckCall(4);

  private enum Vectors {
    GCRA(342),
    TOKEN_BUCKET(343),
    LEAKY_BUCKET(343),
    LEAKY_BUCKET_QUEUE(350),
    FIXED_WINDOW(341),
    SLIDING_COUNTER(341),
    SLIDING_LOG(341),
    BUCKET_RING(338);

    private final int rows;

    Vectors(int rows) {
      this.rows = rows;
    }

    Path file() {
      return DIRECTORY.resolve(
          name().toLowerCase(java.util.Locale.ROOT).replace('_', '-') + ".csv");
    }

    ScriptLimit limit(long[] p) {
      return switch (this) {
        case GCRA -> ScriptLimit.paced(p[2], p[0], p[1]);
        case TOKEN_BUCKET, LEAKY_BUCKET -> ScriptLimit.paced(p[0], p[1], p[2]);
        case LEAKY_BUCKET_QUEUE -> ScriptLimit.queue(p[0], p[1], p[2], p[3]);
        case FIXED_WINDOW -> ScriptLimit.fixedWindow(p[0], p[1], Math.floorMod(p[2], p[1]));
        case SLIDING_COUNTER -> ScriptLimit.slidingCounter(p[0], p[1]);
        case SLIDING_LOG -> ScriptLimit.slidingLog(p[0], p[1]);
        case BUCKET_RING -> ScriptLimit.bucketRing(p[0], p[1], (int) p[2]);
      };
    }

    boolean paced() {
      return ordinal() <= LEAKY_BUCKET_QUEUE.ordinal();
    }
  }

  /** A line: what is asked, and what is to be answered. */
  private record Row(
      String key,
      long[] parameters,
      String op,
      long nowUs,
      long units,
      long chargedUs,
      boolean allowed,
      long granted,
      long remaining,
      long current,
      long resetAtUs,
      long retryAfterUs,
      long waitUs) {
    static Row of(String line) {
      final String[] fields = line.split(",", -1);
      final long[] numbers =
          Arrays.stream(fields)
              .mapToLong(field -> field.matches("-?[0-9]+") ? Long.parseLong(field) : 0)
              .toArray();
      return new Row(
          "{p}" + fields[0],
          Arrays.copyOfRange(numbers, 1, 5),
          fields[5],
          numbers[6],
          numbers[7],
          numbers[8],
          numbers[9] == 1,
          numbers[10],
          numbers[11],
          numbers[12],
          numbers[13],
          numbers[14],
          numbers[15]);
    }

    @Override
    public String toString() {
      return key + " " + op + " " + units + " at " + nowUs;
    }
  }

  @ParameterizedTest
  @EnumSource
  void theScriptDecidesWhatTheLibraryWroteDown(Vectors vectors) throws Exception {
    int rows = 0;
    long[] before = {};
    for (String line : Files.readAllLines(vectors.file())) {
      if (line.matches("[0-9].*")) {
        final Row row = Row.of(line);
        replay(vectors, row, before);
        before = row.parameters;
        rows++;
      }
    }
    assertEquals(vectors.rows, rows);
  }

  private void replay(Vectors vectors, Row row, long[] before) throws Exception {
    final ScriptLimit limit = vectors.limit(row.parameters);
    call.clear();
    int last = 0;
    switch (row.op) {
      case "check" -> call.check(1, row.units, limit);
      case "peek" -> call.peek(1, row.units, limit);
      case "grant" -> last = grant(vectors, row, limit);
      case "reset" -> {
        call.reset(1);
        last = call.peek(1, row.units, limit);
      }
      case "refund" -> {
        call.refund(row.units, row.chargedUs, limit);
        last = call.peek(1, 1, limit);
      }
      case "limit" -> last = change(vectors, row, limit, before);
      default -> throw new AssertionError(row.op);
    }
    final String[] keys = new String[call.keyCount()];
    Arrays.fill(keys, row.key);
    final CheckReply reply = at(row.nowUs, call, keys);
    final String what = vectors + " " + row;
    if (row.op.equals("grant") && last > 0 && row.granted < row.units) {
      assertEquals(0, reply.granted(last - 1), what);
    }
    if (row.op.equals("limit")) {
      assertEquals(row.remaining, reply.remaining(0), what);
    }
    assertEquals(row.allowed ? 1 : 0, reply.status(last), what);
    assertEquals(row.remaining, reply.remaining(last), what);
    assertEquals(row.parameters[vectors == Vectors.GCRA ? 2 : 0], reply.capacity(last), what);
    assertEquals(row.resetAtUs, reply.resetAtUs(last), what);
    final boolean charged = row.op.equals("check") || row.op.equals("grant");
    final boolean partial = row.op.equals("grant") && row.granted > 0 && row.granted < row.units;
    if (!partial) {
      assertEquals(row.retryAfterUs, reply.retryAfterUs(last), what);
    }
    if (row.op.equals("grant") && last == 0) {
      assertEquals(row.granted, reply.granted(0), what);
    }
    if (charged && row.allowed) {
      assertEquals(row.waitUs, reply.waitUs(last), what);
    }
  }

  /**
   * Asks for as many requests of one unit; but of a queue for one request, as the library grants:
   * there each of many requests would be held to the longest wait by itself.
   */
  private int grant(Vectors vectors, Row row, ScriptLimit limit) {
    if (vectors != Vectors.LEAKY_BUCKET_QUEUE || row.granted == 0) {
      return call.check(row.units, 1, limit);
    }
    call.peek(1, row.granted + 1, limit);
    return call.check(1, row.granted, limit);
  }

  /**
   * The script finds out itself that the limit has changed, and leaves the old state as it is until
   * something is charged; the library is told, and charges at once. So do we, where the windows
   * differ.
   */
  private int change(Vectors vectors, Row row, ScriptLimit limit, long[] before) {
    int last = call.peek(1, 1, limit);
    final long[] now = row.parameters;
    if (vectors.paced() || now[1] != before[1] || now[2] != before[2]) {
      last = call.reset(1);
      if (row.current > 0) {
        last = call.check(1, row.current, limit);
      }
      last = call.peek(1, 1, limit);
    }
    return last;
  }

  @Test
  void countsFractionsOfATokenInTheUnitsOfTheLibrarysCostScale() throws Exception {
    final long scale = 1000;
    // Five and a quarter tokens, 2.5 per second; costs in thousandths.
    final Limit limit = Limit.tokenBucketOfUnits(5_250, 2_500, 1_000_000_000L, scale);
    assertEquals(scale, limit.costScale());
    final ScriptLimit script = ScriptLimit.paced(5_250, 2_500, 1_000_000);
    assertEquals(limit.capacity(), script.capacity());
    final Random random = new Random(3);
    final Decision out = new Decision();
    int refused = 0;
    long nowUs = 1_000_000_000;
    try (LimitTable table = new LimitTable(64)) {
      for (int step = 0; step < 5_000; step++) {
        nowUs += random.nextLong(250_000);
        final long cost = 1 + random.nextLong(step % 10 == 0 ? 6 * scale : scale);
        table.check(1, limit, cost, nowUs * 1000, out);
        call.clear().check(1, cost, script);
        final CheckReply reply = at(nowUs, call, "{p}");
        final String what = "step " + step;
        assertEquals(out.allowed() ? 1 : 0, reply.granted(0), what);
        assertEquals(out.remaining(), reply.remaining(0), what);
        assertEquals(out.resetAtNs(), reply.resetAtUs(0) * 1000, what);
        final long retryNs = out.retryAfterNs();
        assertEquals(
            retryNs == Decision.NEVER ? -1 : (retryNs + 999) / 1000, reply.retryAfterUs(0), what);
        refused += out.allowed() ? 0 : 1;
      }
    }
    assertTrue(refused > 500 && refused < 4_500, "refused " + refused);
  }
}
