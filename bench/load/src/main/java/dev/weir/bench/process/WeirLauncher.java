package dev.weir.bench.process;

import dev.weir.bench.report.Commit;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The script {@code weir}, by which users start a sidecar: it chooses the JDK and its flags. */
public final class WeirLauncher {
  private WeirLauncher() {}

  /** The launcher beside the jar of these classes, or of the sources that they are built from. */
  public static Optional<Path> find() {
    final Path classes;
    try {
      classes =
          Path.of(WeirLauncher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
    for (Path folder = classes.getParent(); folder != null; folder = folder.getParent()) {
      final Path launcher = folder.resolve("weir");
      if (Files.isRegularFile(launcher) && Files.isExecutable(launcher)) {
        return Optional.of(launcher);
      }
    }
    return Optional.empty();
  }

  /**
   * The launcher, as {@link #find} finds it.
   *
   * @throws IOException if there is none.
   */
  public static Path required() throws IOException {
    return find().orElseThrow(() -> new IOException("no launcher beside these classes"));
  }

  /**
   * Version and commit, one line. The launcher builds what is older than its sources, so that what
   * is measured is what is there.
   */
  public static String version(Path launcher) throws IOException {
    final String text = Programs.output(List.of(launcher.toString(), "--version"));
    final Path folder = launcher.toAbsolutePath().getParent();
    return text.substring(text.lastIndexOf('\n') + 1) + ", commit " + Commit.headOf(folder);
  }
}
