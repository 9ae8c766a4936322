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
   * @param out null without one.
   */
  static String text(Settings settings, String redisVersion, Path out) {
    final Cores cores = settings.cores();
    return "    "
        + command(settings, out)
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

  private static String command(Settings settings, Path out) {
    return "./weir bench store --rounds "
        + settings.rounds()
        + " --seconds "
        + settings.seconds()
        + (settings.only().isEmpty() ? "" : " --only " + String.join(",", settings.only()))
        + (out == null ? "" : " --out " + out);
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
