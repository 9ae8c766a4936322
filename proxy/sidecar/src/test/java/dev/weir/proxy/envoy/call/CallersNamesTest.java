package dev.weir.proxy.envoy.call;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.envoy.file.LimitUnit;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.metrics.DescriptorNames;
import dev.weir.proxy.metrics.Metrics;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What callers can add to a scrape, by eight event loops. */
class CallersNamesTest {
  private static final int LOOPS = 8;
  private static final String HITS = "ratelimit_service_rate_limit_total_hits{";
  private static final String LIMIT = "rate_limit: {unit: day, requests_per_unit: 9}";

  private long nowNs;
  private final Metrics metrics = new Metrics(() -> nowNs);
  private final LimitTables tables = LimitTables.allocate(new AdmissionSettings(1_000, 4, 0), 0);
  private final List<RateLimiter> limiters =
      IntStream.range(0, LOOPS).mapToObj(loop -> limiter()).toList();

  private RateLimiter limiter() {
    return LimiterRig.local(
        tables, metrics.newLoop(), new RateLimitErrors(), new LoopClock(() -> 1));
  }

  CallersNamesTest() {
    metrics.exposeDescriptors(() -> 0, () -> 0, () -> 0, () -> 0, () -> 0, () -> 0);
  }

  @AfterEach
  void free() {
    tables.close();
  }

  private void use(String... files) {
    RateLimitConfiguration next = Configurations.local(files);
    limiters.forEach(limiter -> limiter.prepare(null, next).run());
  }

  private void ask(int loop, Call call) {
    limiters.get(loop).ask(call.get(), null, null, 1);
  }

  /** What a scrape has that begins so. */
  private List<String> scrape(String beginning) {
    String text = new String(metrics.expose(null).body(), StandardCharsets.UTF_8);
    return Arrays.stream(text.split("\n")).filter(line -> line.startsWith(beginning)).toList();
  }

  private long hits(String labels) {
    List<String> lines = scrape(HITS + labels);
    assertEquals(1, lines.size(), lines.toString());
    return (long) Double.parseDouble(lines.get(0).substring(lines.get(0).lastIndexOf(' ')));
  }

  @Test
  @Timeout(60)
  void boundAScrapeWhateverLimitsTheyBringAlong() {
    use("domain: d\n");
    for (int loop = 0; loop < LOOPS; loop++) {
      for (int i = 0; i < 150; i++) {
        String name = "n" + loop + "x" + i;
        ask(loop, Call.to("d").descriptor(name + "=" + " x=".repeat(40)).limit(1, LimitUnit.DAY));
        ask(loop, Call.to("d").descriptor("\"".repeat(900) + name + "=").limit(1, LimitUnit.DAY));
        ask(loop, Call.to("d").descriptor("\"".repeat(180) + name + "=").limit(1, LimitUnit.DAY));
      }
    }
    List<String> all = scrape("ratelimit_service_rate_limit_");
    int bytes = all.stream().mapToInt(String::length).sum();
    assertTrue(bytes < 4 << 20, bytes + " bytes");
    assertEquals(5 * (DescriptorNames.MAX_COUNT + 1) + 1, all.size());
  }

  @Test
  void haveANameOnEveryLoopOrOnNone() {
    use("domain: d\ndescriptors:\n  - {key: k, detailed_metric: true, " + LIMIT + "}\n");
    for (int i = 0; i < DescriptorNames.MAX_COUNT + 10; i++) {
      ask(0, Call.to("d").descriptor("k=" + i));
    }
    for (int loop = 1; loop < LOOPS; loop++) {
      ask(loop, Call.to("d").descriptor("k=5"));
      ask(loop, Call.to("d").descriptor("k=new"));
    }
    assertEquals(LOOPS, hits("domain=\"d\",key1=\"k_5\","));
    assertEquals(10 + LOOPS - 1, hits("domain=\"d\",key1=\"other\","));
  }

  @Test
  void makeRoomForOthersWhenTheirDomainChanges() {
    String file = "domain: d\ndescriptors:\n  - {key: k, detailed_metric: true, " + LIMIT + "}\n";
    use(file);
    for (int i = 0; i < DescriptorNames.MAX_COUNT; i++) {
      ask(i % LOOPS, Call.to("d").descriptor("k=" + i));
    }
    use(file.replace("day", "hour"));
    ask(3, Call.to("d").descriptor("k=new"));
    assertEquals(1, hits("domain=\"d\",key1=\"k_new\","));
  }

  @Test
  void makeRoomForOthersWhenNobodyUsesThemForAnHour() {
    use("domain: d\ndescriptors:\n  - {key: k, detailed_metric: true, " + LIMIT + "}\n");
    for (int loop = 0; loop < LOOPS; loop++) {
      for (int i = 0; i < DescriptorNames.MAX_COUNT; i++) {
        ask(loop, Call.to("d").descriptor("k=" + i));
      }
    }
    assertEquals(DescriptorNames.MAX_COUNT + 1, scrape(HITS).size());
    nowNs += DescriptorNames.KEPT_NS - 1;
    ask(3, Call.to("d").descriptor("k=7"));
    assertEquals(LOOPS + 1, hits("domain=\"d\",key1=\"k_7\","));
    nowNs++;
    assertEquals(List.of(), scrape(HITS + "domain=\"d\",key1=\"k_8\","));
    assertEquals(2, scrape(HITS).size());
    for (int loop = 0; loop < LOOPS; loop++) {
      ask(loop, Call.to("d").descriptor("k=new"));
      ask(loop, Call.to("d").descriptor("k=7"));
      ask(loop, Call.to("d").descriptor("k=8"));
    }
    assertEquals(LOOPS, hits("domain=\"d\",key1=\"k_new\","));
    assertEquals(2 * LOOPS + 1, hits("domain=\"d\",key1=\"k_7\","));
    assertEquals(LOOPS, hits("domain=\"d\",key1=\"k_8\","));
    assertEquals(4, scrape(HITS).size());
  }

  /** A file's limits are its operator's, but a scrape has an end for them too. */
  @Test
  void boundAScrapeWithTheNamesOfFilesToo() {
    String deep = "- {key: " + "x".repeat(100_000) + ", descriptors: [";
    String nodes = "";
    for (int i = 0; i < 100; i++) {
      nodes += "{key: k" + i + ", " + LIMIT + "},";
    }
    use("domain: d\ndescriptors:\n" + deep + nodes + "]}\n");
    assertEquals(RateLimitConfiguration.MAX_NAMES_BYTES / 100_000 + 1, scrape(HITS).size());
    ask(0, Call.to("d").descriptor("x".repeat(100_000) + "= k99="));
    assertEquals(1, hits("domain=\"d\",key1=\"other\","));
  }

  @Test
  void areOtherWhereTheyHaveManyLevels() {
    use("domain: d\n");
    String most = "k= ".repeat(LimitFigures.MAX_LEVELS).trim();
    ask(0, Call.to("d").descriptor(most).limit(1, LimitUnit.DAY));
    ask(0, Call.to("d").descriptor(most + " k=").limit(1, LimitUnit.DAY));
    assertEquals(2, scrape(HITS).size());
    assertEquals(1, hits("domain=\"d\",key1=\"other\","));
  }
}
