package dev.weir.bench.report;

import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The commit of the sources beside which the classes are. */
public final class Commit {
  private static final int GIT_SECONDS = 5;

  private Commit() {}

  /** Abbreviated; "unknown" without git. */
  public static String head() {
    try {
      return headOf(folderOfClasses());
    } catch (URISyntaxException e) {
      return "unknown";
    }
  }

  /** The commit of the sources in a folder, abbreviated; "unknown" without git. */
  public static String headOf(Path folder) {
    try {
      final Process git =
          new ProcessBuilder("git", "rev-parse", "--short", "HEAD")
              .directory(folder.toFile())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      final String text =
          new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      final boolean ended = git.waitFor(GIT_SECONDS, TimeUnit.SECONDS);
      return ended && git.exitValue() == 0 && !text.isEmpty() ? text : "unknown";
    } catch (IOException e) {
      return "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }

  private static Path folderOfClasses() throws URISyntaxException {
    final URI classes = Commit.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return Path.of(classes).getParent();
  }
}
