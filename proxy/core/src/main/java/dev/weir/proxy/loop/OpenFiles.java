package dev.weir.proxy.loop;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * File descriptors of this process, sockets among them. From {@code /proc} where there is one, as
 * what else tells them costs 50 ms to ask for the first time.
 */
public final class OpenFiles {
  /** How many there may be if there is no limit, or none that is known. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final String LIMIT = "Max open files";

  private OpenFiles() {}

  /** How many the process may have at one time; {@link #UNLIMITED} for any number. */
  public static long limit() {
    try {
      return limit(Path.of("/proc/self/limits"));
    } catch (IOException | NumberFormatException notLinux) {
      return ManagementFactory.getOperatingSystemMXBean()
              instanceof UnixOperatingSystemMXBean system
          ? system.getMaxFileDescriptorCount()
          : UNLIMITED;
    }
  }

  /** How many it has now; -1 where nobody tells. */
  public static long count() {
    String[] names = new File("/proc/self/fd").list();
    // Without the one by which they were listed.
    return names == null ? -1 : names.length - 1;
  }

  /** The soft limit of a file such as {@code /proc/self/limits}. */
  static long limit(Path limits) throws IOException {
    for (String line : Files.readAllLines(limits)) {
      if (line.startsWith(LIMIT)) {
        String soft = line.substring(LIMIT.length()).strip().split(" ", 2)[0];
        return soft.equals("unlimited") ? UNLIMITED : Long.parseLong(soft);
      }
    }
    throw new IOException(limits + ": no line of \"" + LIMIT + "\"");
  }
}
