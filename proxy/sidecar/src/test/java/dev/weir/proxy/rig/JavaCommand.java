package dev.weir.proxy.rig;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line of a process that a test starts: the JVM that the test runs in, with its class
 * path and the launcher's collector. Such a process lives too short for the second compiler to be
 * worth its time.
 */
public final class JavaCommand {
  /** SIGHUP and SIGINT in a mask of signals. */
  private static final long BOTH = 1 << 0 | 1 << 1;

  private JavaCommand() {}

  /**
   * The command, to which the arguments of {@code main} may be added.
   *
   * @param jvmFlags beside those that every JVM needs.
   */
  public static List<String> of(Class<?> main, String... jvmFlags) {
    List<String> command = new ArrayList<>(takingSignals());
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(List.of(jvmFlags));
    command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return command;
  }

  /**
   * The beginning of a command that SIGINT and SIGHUP reach: a build that a shell has started in
   * the background ignores SIGINT, one that outlives its terminal SIGHUP, and so does all that it
   * starts.
   */
  private static List<String> takingSignals() {
    Path status = Path.of("/proc/self/status");
    if (!Files.isReadable(status)) {
      return List.of();
    }
    try {
      String ignored =
          Files.readAllLines(status).stream()
              .filter(line -> line.startsWith("SigIgn:"))
              .findFirst()
              .orElse("SigIgn:0");
      return (Long.parseUnsignedLong(ignored.substring(7).strip(), 16) & BOTH) == 0
          ? List.of()
          : List.of("env", "--default-signal=INT,HUP");
    } catch (IOException unreadable) {
      return List.of();
    }
  }
}
