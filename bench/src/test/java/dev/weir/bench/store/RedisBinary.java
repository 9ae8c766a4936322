package dev.weir.bench.store;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** A server for tests: the machine's own, or that of the test library. */
final class RedisBinary {
  private static final Path OWN = Path.of("/usr/bin/redis-server");

  private RedisBinary() {}

  /**
   * @param directory where the library's is copied to.
   */
  static Path find(Path directory) throws IOException {
    return Files.isExecutable(OWN) ? OWN : embedded(directory);
  }

  static Path embedded(Path directory) throws IOException {
    final String name =
        System.getProperty("os.arch").equals("aarch64")
            ? "/redis-server-6.2.7-linux-arm64"
            : "/redis-server-6.2.6-v5-linux-amd64";
    final Path copy = directory.resolve("redis-server");
    try (InputStream in = RedisBinary.class.getResourceAsStream(name)) {
      Files.copy(in, copy);
    }
    copy.toFile().setExecutable(true);
    return copy;
  }
}
