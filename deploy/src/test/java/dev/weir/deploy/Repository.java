package dev.weir.deploy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The folders that these tests read. */
final class Repository {
  private static final Pattern VERSION =
      Pattern.compile("<artifactId>weir</artifactId>\\s*<version>([^<]+)</version>");

  static final Path ROOT = root();
  static final Path DEPLOY = ROOT.resolve("deploy");

  /** What {@code .ci/run} puts there: programs that Debian does not have. */
  static final Path TOOLS = DEPLOY.resolve("target/tools");

  private Repository() {}

  private static Path root() {
    Path folder = Path.of("").toAbsolutePath();
    while (!Files.exists(folder.resolve("mvnw"))) {
      folder = folder.getParent();
    }
    return folder;
  }

  static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The version of this build. */
  static String version() {
    Matcher version = VERSION.matcher(read(ROOT.resolve("pom.xml")));
    if (!version.find()) {
      throw new AssertionError("pom.xml has no version");
    }
    return version.group(1);
  }
}
