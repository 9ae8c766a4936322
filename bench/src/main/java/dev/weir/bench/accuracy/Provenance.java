package dev.weir.bench.accuracy;

import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Where a report comes from.
 *
 * @param command that makes it again.
 * @param commit of the sources beside which the classes are, "unknown" without git.
 */
record Provenance(String command, String commit, String machine) {
  private static final int GIT_SECONDS = 5;

  static Provenance of(Settings settings) {
    final Population population = settings.population();
    return new Provenance(
        "./weir bench accuracy --seed "
            + settings.seed()
            + " --requests "
            + settings.requests()
            + " --keys "
            + population.keys()
            + " --exponent "
            + Numbers.plain(population.exponent()),
        headCommit(),
        System.getProperty("os.name")
            + ", "
            + System.getProperty("os.arch")
            + ", Java "
            + Runtime.version());
  }

  private static File folderOfClasses() throws URISyntaxException {
    final URI classes =
        Provenance.class.getProtectionDomain().getCodeSource().getLocation().toURI();
    return Path.of(classes).getParent().toFile();
  }

  private static String headCommit() {
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
}
