package dev.weir.scripts.server;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/** The Redis servers that this machine can run. */
public final class RedisBinary {
  private RedisBinary() {}

  /** The server of the test library, 6.2, copied out of its jar once for this JVM. */
  public static Path embedded() {
    return Embedded.PATH;
  }

  /** The machine's own {@code redis-server}: the first on the {@code PATH}. */
  public static Optional<Path> installed() {
    return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
        .map(folder -> Path.of(folder, "redis-server"))
        .filter(Files::isExecutable)
        .findFirst();
  }

  private static final class Embedded {
    static final Path PATH = copy();

    private static Path copy() {
      final String architecture = System.getProperty("os.arch");
      final String name =
          switch (architecture) {
            case "amd64" -> "/redis-server-6.2.6-v5-linux-amd64";
            case "aarch64" -> "/redis-server-6.2.7-linux-arm64";
            default ->
                throw new IllegalStateException(
                    "os.arch: " + architecture + " (expected: amd64 or aarch64)");
          };
      try (InputStream in = RedisBinary.class.getResourceAsStream(name)) {
        if (in == null) {
          throw new IllegalStateException(name + " (expected: on the class path, embedded-redis)");
        }
        final Path copy = TempFolders.create().resolve("redis-server");
        Files.copy(in, copy);
        if (!copy.toFile().setExecutable(true)) {
          throw new IllegalStateException(copy + " (expected: can be made executable)");
        }
        return copy;
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
