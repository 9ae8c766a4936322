package dev.weir.bench.process;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A folder that goes with all that is in it by {@link #close}, and with this process. */
public final class TemporaryFolder implements AutoCloseable {
  private final Path path;
  private final Thread ending = new Thread(this::delete);

  public TemporaryFolder(String prefix) throws IOException {
    path = Files.createTempDirectory(prefix);
    Runtime.getRuntime().addShutdownHook(ending);
  }

  public Path path() {
    return path;
  }

  @Override
  public void close() {
    delete();
    try {
      Runtime.getRuntime().removeShutdownHook(ending);
    } catch (IllegalStateException e) {
      // This process ends: the hook does the same.
    }
  }

  // What a server that is just ending writes may stay: not worth a failure.
  private void delete() {
    try (Stream<Path> all = Files.walk(path)) {
      final List<File> deepestFirst =
          all.sorted(Comparator.reverseOrder()).map(Path::toFile).toList();
      deepestFirst.forEach(File::delete);
    } catch (IOException e) {
      path.toFile().deleteOnExit();
    }
  }
}
