package dev.weir.proxy.envoy.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A folder of files that is followed while it changes. */
class ConfigurationReloadTest {
  private static final int VERSIONS = 50;

  /** As many files lie between two that change together: to read all of them takes a while. */
  private static final int FILES_BETWEEN = 100;

  @TempDir private Path volume;

  /** What lets the folder change once, while it is read. */
  private final Semaphore mayChange = new Semaphore(0);

  private final List<RateLimitConfiguration> published = new ArrayList<>();

  /** A domain moves from the first file to the last and back, by a swap of both at once. */
  private void swap(int version) {
    try {
      Path data = Files.createDirectory(volume.resolve("..version" + version));
      boolean isFirst = version % 2 == 0;
      String moves = "domain: moves\ndescriptors: [{key: version, value: " + version + "}]\n";
      Files.writeString(data.resolve("a.yaml"), isFirst ? moves : "domain: a\n");
      Files.writeString(data.resolve("z.yaml"), isFirst ? "domain: z\n" : moves);
      Path next = Files.createSymbolicLink(volume.resolve("..next"), data.getFileName());
      Files.move(next, volume.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  @Test
  void takesNoHalfOfASwapWhenItIsToldToReadNow() throws Exception {
    swap(0);
    for (String name : List.of("a.yaml", "z.yaml")) {
      Files.createSymbolicLink(volume.resolve(name), Path.of("..data", name));
    }
    for (int i = 0; i < FILES_BETWEEN; i++) {
      Files.writeString(volume.resolve("m" + i + ".yaml"), "domain: m" + i + "\n");
    }
    ConfigurationFolder folder = new ConfigurationFolder(volume, false, false, 0, 0);
    try (ConfigurationReload reload = new ConfigurationReload(folder, published::add)) {
      assertEquals("", reload.load());
      CompletableFuture<Void> swaps =
          CompletableFuture.runAsync(
              () -> {
                for (int version = 1; version < VERSIONS; version++) {
                  mayChange.acquireUninterruptibly();
                  swap(version);
                }
              });
      for (int version = 1; version < VERSIONS; version++) {
        mayChange.release();
        reload.reload();
      }
      swaps.get();
      assertEquals(0, reload.reloads().rejectedCount());
    }
    for (RateLimitConfiguration configuration : published) {
      assertTrue(
          configuration.domains().stream().anyMatch(domain -> domain.name().equals("moves")),
          "half of a swap: " + configuration);
    }
  }

  @Test
  void tellsEachReasonWhyTheFolderCannotBeRead() throws Exception {
    Path file = volume.resolve("limits/edge.yaml");
    Files.createDirectory(file.getParent());
    Files.writeString(file, "domain: edge\n");
    ConfigurationFolder folder = new ConfigurationFolder(file.getParent(), false, false, 0, 0);
    try (ConfigurationReload reload = new ConfigurationReload(folder, published::add)) {
      assertEquals("", reload.load());
      Files.delete(file);
      assertFailuresAfterPolls(1, reload);
      Files.delete(file.getParent());
      assertFailuresAfterPolls(2, reload);
      Files.createDirectories(file);
      assertFailuresAfterPolls(3, reload);
      Files.delete(file);
      Files.createSymbolicLink(file, Path.of("none"));
      assertFailuresAfterPolls(4, reload);
      Files.delete(file);
      Files.writeString(file, "domain: edge\n");
      assertFailuresAfterPolls(4, reload);
      assertEquals(2, reload.reloads().takenCount());
    }
  }

  private static void assertFailuresAfterPolls(int failures, ConfigurationReload reload) {
    for (int i = 0; i < 3; i++) {
      reload.poll();
    }
    assertEquals(failures, reload.reloads().rejectedCount());
  }
}
