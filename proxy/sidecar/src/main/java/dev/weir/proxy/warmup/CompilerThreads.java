package dev.weir.proxy.warmup;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The threads of the JVM's second compiler (C2). After a start they have a second and a half of
 * work, for which requests on the same core would have to wait. Linux gives each thread a niceness
 * of its own, which any user may raise.
 */
final class CompilerThreads {
  private static final Path THREADS = Path.of("/proc/self/task");

  /** The system keeps fifteen letters of a name. The compiler before it has other names. */
  private static final String NAME = "C2 CompilerThre";

  /**
   * How much nicer they are. Measured in the first second of a full load on one core, processor
   * time of a request: 61 us at 0 with a prototype; today 33 at 5 and 29 at 7. The nicer, the later
   * all is compiled.
   */
  private static final String NICENESS = "7";

  private CompilerThreads() {}

  /**
   * Raises their niceness; threads that they start inherit it. Without such a thread, Linux or
   * {@code renice} nothing changes.
   */
  static void stepBack() {
    try {
      List<String> command = new ArrayList<>(List.of("renice", "-n", NICENESS, "-p"));
      List<String> ids = ids(THREADS);
      command.addAll(ids);
      if (!ids.isEmpty()) {
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
      }
    } catch (IOException e) {
      return; // requests are slower for a while, as they are elsewhere
    }
  }

  /**
   * The ids of the compiler's threads.
   *
   * @param threads a folder of the system's, with a folder for each thread.
   */
  static List<String> ids(Path threads) throws IOException {
    List<String> ids = new ArrayList<>();
    try (DirectoryStream<Path> all = Files.newDirectoryStream(threads)) {
      for (Path thread : all) {
        if (name(thread).startsWith(NAME)) {
          ids.add(thread.getFileName().toString());
        }
      }
    }
    return ids;
  }

  private static String name(Path thread) {
    try {
      return Files.readString(thread.resolve("comm"), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      return ""; // it has ended
    }
  }
}
