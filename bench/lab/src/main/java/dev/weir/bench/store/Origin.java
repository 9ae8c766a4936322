package dev.weir.bench.store;

import dev.weir.bench.process.Cores;
import dev.weir.bench.report.Commit;
import dev.weir.bench.report.Machine;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/** Where a report comes from: command, commit, machine and versions. */
final class Origin {
  private Origin() {}

  /**
   * @param command that makes the report again.
   */
  static String text(String command, Settings settings, String redisVersion) {
    final Cores cores = settings.cores();
    return "    "
        + command
        + "\n\n- Started "
        + Instant.now().truncatedTo(ChronoUnit.MINUTES)
        + ", commit "
        + Commit.head()
        + "\n- "
        + Machine.processor()
        + ", "
        + Machine.system()
        + "\n- Redis "
        + redisVersion
        + ", no persistence, one thread; JDK "
        + Machine.jdk()
        + "\n- "
        + cores.text("Server", "client")
        + "\n- Medians of "
        + settings.rounds()
        + " rounds of "
        + settings.seconds()
        + " s (least..most), variants interleaved, each after a warm-up of "
        + settings.warmUpSeconds()
        + " s";
  }
}
