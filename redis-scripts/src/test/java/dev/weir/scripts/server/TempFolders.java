package dev.weir.scripts.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** The folders of this JVM's servers and the process in each; what is left ends with the JVM. */
final class TempFolders {
  /** The process in each folder, if it had one. */
  private static final Map<Path, Optional<Process>> FOLDERS = new ConcurrentHashMap<>();

  static {
    Runtime.getRuntime().addShutdownHook(new Thread(TempFolders::end, "end-redis-servers"));
  }

  private TempFolders() {}

  static Path create() throws IOException {
    final Path folder = Files.createTempDirectory("weir-redis");
    FOLDERS.put(folder, Optional.empty());
    return folder;
  }

  static Process start(Path folder, ProcessBuilder builder) throws IOException {
    final Process process = builder.start();
    FOLDERS.put(folder, Optional.of(process));
    return process;
  }

  static void delete(Path folder) {
    FOLDERS.remove(folder);
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(file);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void end() {
    FOLDERS.values().forEach(process -> process.ifPresent(Process::destroyForcibly));
    for (Path folder : FOLDERS.keySet()) {
      try {
        delete(folder);
      } catch (UncheckedIOException e) {
        // A server that is only just ending still wrote a file; the others' folders shall go.
      }
    }
  }
}
