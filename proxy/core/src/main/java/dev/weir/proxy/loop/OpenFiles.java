package dev.weir.proxy.loop;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file descriptors of this process, sockets included. Read from {@code /proc} if possible, as
 * other ways cost 50 ms the first time.
 */
public final class OpenFiles {
  /** The result if there is no limit, or it is unknown. */
  public static final long UNLIMITED = Long.MAX_VALUE;

  private static final String LIMIT = "Max open files";

  private OpenFiles() {}

  /** The most that the process may have at one time; {@link #UNLIMITED} if there is no limit. */
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

  /** The number that it has now; -1 if unknown. */
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
