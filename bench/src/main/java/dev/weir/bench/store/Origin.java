package dev.weir.bench.store;

import dev.weir.bench.report.Commit;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

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
        + processor()
        + ", "
        + System.getProperty("os.name")
        + " "
        + System.getProperty("os.version")
        + "\n- Redis "
        + redisVersion
        + ", no persistence, one thread; JDK "
        + Runtime.version()
        + "\n- "
        + (cores.server() == Cores.ANY
            ? "Nothing is pinned: server and client may share a core"
            : "Server on core " + cores.server() + ", client on core " + cores.client())
        + "\n- Medians of "
        + settings.rounds()
        + " rounds of "
        + settings.seconds()
        + " s (least..most), variants interleaved, each after a warm-up of "
        + settings.warmUpSeconds()
        + " s";
  }

  // The JVM counts only the core that it has been pinned to.
  private static String processor() {
    try {
      final List<String> models =
          Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
              .filter(line -> line.startsWith("model name"))
              .map(line -> line.substring(line.indexOf(':') + 1).trim())
              .toList();
      if (!models.isEmpty()) {
        return models.get(0) + ", " + models.size() + " cores";
      }
    } catch (IOException e) {
      // Not Linux.
    }
    return System.getProperty("os.arch");
  }
}
