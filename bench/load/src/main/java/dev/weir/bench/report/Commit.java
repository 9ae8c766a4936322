package dev.weir.bench.report;

import java.io.File;
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
      final Process git =
          new ProcessBuilder("git", "rev-parse", "--short", "HEAD")
              .directory(folderOfClasses())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      final String text =
          new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
      final boolean ended = git.waitFor(GIT_SECONDS, TimeUnit.SECONDS);
      return ended && git.exitValue() == 0 && !text.isEmpty() ? text : "unknown";
    } catch (IOException | URISyntaxException e) {
      return "unknown";
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }

  private static File folderOfClasses() throws URISyntaxException {
    final URI classes = Commit.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return Path.of(classes).getParent().toFile();
  }
}
