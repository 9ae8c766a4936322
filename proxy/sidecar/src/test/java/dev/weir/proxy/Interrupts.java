package dev.weir.proxy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** SIGINT and SIGHUP for processes that tests start. */
public final class Interrupts {
  /** SIGHUP and SIGINT in a mask of signals. */
  private static final long BOTH = 1 << 0 | 1 << 1;

  private Interrupts() {}

  /**
   * What a command begins with so that both reach it: a build that a shell has started in the
   * background ignores SIGINT, one that outlives its terminal SIGHUP, and so does all that it
   * starts.
   */
  public static List<String> taken() throws IOException {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return List.of();
    }
    String ignored =
        Files.readAllLines(status).stream()
            .filter(line -> line.startsWith("SigIgn:"))
            .findFirst()
            .orElse("SigIgn:0");
    return (Long.parseUnsignedLong(ignored.substring(7).strip(), 16) & BOTH) == 0
        ? List.of()
        : List.of("env", "--default-signal=INT,HUP");
  }
}
