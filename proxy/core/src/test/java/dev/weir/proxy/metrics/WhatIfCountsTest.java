package dev.weir.proxy.metrics;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.metrics.WhatIfCounts.Outcome;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WhatIfCountsTest {
  private final WhatIfCounts counts = new WhatIfCounts();

  private static WhatIfReport.Row row(WhatIfCounts... loops) {
    return report(loops).rows().get(0);
  }

  private static WhatIfReport report(WhatIfCounts... loops) {
    return WhatIfReport.of(Instant.EPOCH, "100%", true, List.of(loops));
  }

  /** An identity for each number, refused by the candidate only. */
  private static void add(WhatIfCounts to, String rule, long identity) {
    byte[] text = ("u" + identity).getBytes(StandardCharsets.US_ASCII);
    long hash = (identity + 1) * 0x9E37_79B9_7F4A_7C15L;
    to.add(rule, true, rule, false, hash, new UnsafeBuffer(text), text.length);
  }

  @Test
  void countsRulesBeyondTheBoundTogether() {
    for (int rule = 0; rule < WhatIfCounts.MAX_ROWS + 5; rule++) {
      counts.add("r" + rule, true, null, true, 0, null, 0);
    }
    WhatIfReport report = report(counts);
    assertEquals(WhatIfCounts.MAX_ROWS + 1, report.rows().size());
    WhatIfReport.Row others = report.rows().get(0);
    assertEquals(WhatIfCounts.OTHERS, others.now());
    assertEquals(5, others.count(Outcome.BOTH_PASS));
    assertEquals(WhatIfCounts.MAX_ROWS + 5, counts.total(Outcome.BOTH_PASS));
  }

  @Test
  void findsThoseThatDifferMostAmongAnyNumber() {
    long others = 1000;
    int most = 0;
    for (int i = 0; i < 400_000; i++) {
      if (i % 20 == 0) {
        add(counts, "r", most++ % 10); // each is one of 200
      } else {
        add(counts, "r", others++); // none of which comes again
      }
    }
    List<WhatIfReport.Differing> found = row(counts).identities();
    assertEquals(10, found.size());
    for (WhatIfReport.Differing one : found) {
      assertEquals(2, one.identity().length(), one + " is none of the ten");
      assertTrue(one.onlyThen() > 1000 && one.onlyThen() <= 2000, one.toString());
      assertEquals(0, one.onlyNow());
    }
  }

  @Test
  void neverTellsMoreThanThereWas() {
    Random random = new Random(2);
    int[] real = new int[5000];
    for (int i = 0; i < 100_000; i++) {
      int identity = (int) Math.min(real.length - 1, Math.abs(random.nextGaussian() * 1000));
      real[identity]++;
      add(counts, "r", identity);
    }
    for (WhatIfReport.Differing one : row(counts).identities()) {
      int identity = Integer.parseInt(one.identity().substring(1));
      assertTrue(one.onlyThen() <= real[identity], one + " of " + real[identity]);
    }
  }

  @Test
  void addsUpEventLoopsAndTellsIdentitiesByTheirRules() {
    WhatIfCounts other = new WhatIfCounts();
    add(counts, "a", 1);
    add(counts, "b", 1);
    add(other, "a", 1);
    add(other, "a", 2);
    WhatIfReport.Row row = row(counts, other);
    assertEquals("a", row.now());
    assertEquals(3, row.count(Outcome.ONLY_THEN));
    assertEquals("[u1 2, u2 1]", texts(row));
  }

  private static String texts(WhatIfReport.Row row) {
    return row.identities().stream()
        .map(one -> one.identity() + " " + one.onlyThen())
        .toList()
        .toString();
  }

  @Test
  void beginsAnewAndKeepsItsTotals() {
    add(counts, "a", 1);
    counts.uncompared();
    WhatIfCounts anew = counts.anew();
    assertEquals(List.of(), report(anew).rows());
    add(anew, "a", 2);
    assertEquals(2, anew.total(Outcome.ONLY_THEN));
    assertEquals(1, anew.uncomparedTotal());
    assertEquals("[u2 1]", texts(row(anew)));
  }

  /** An entry changes hands while it is read: its text and its count are of one identity. */
  @Test
  @Timeout(60)
  void isReadWhileItIsWritten() throws Exception {
    AtomicBoolean isOver = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              for (long i = 0; !isOver.get(); i++) {
                // An even one counts as refused now, an odd one as refused then.
                byte[] text = ("u" + i % 50_000).getBytes(StandardCharsets.US_ASCII);
                boolean isEven = i % 2 == 0;
                long hash = (i % 50_000 + 1) * 0x9E37_79B9_7F4A_7C15L;
                counts.add("r", !isEven, "r", isEven, hash, new UnsafeBuffer(text), text.length);
              }
            });
    writer.start();
    int seen = 0;
    while (seen < 1000) {
      for (WhatIfReport.Row row : report(counts).rows()) {
        for (WhatIfReport.Differing one : row.identities()) {
          boolean isEven = Integer.parseInt(one.identity().substring(1)) % 2 == 0;
          assertEquals(0, isEven ? one.onlyThen() : one.onlyNow(), one.toString());
          seen++;
        }
      }
    }
    isOver.set(true);
    writer.join();
  }
}
