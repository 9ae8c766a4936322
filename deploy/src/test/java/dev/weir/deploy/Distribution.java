package dev.weir.deploy;

import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code ./mvnw -Pdist verify} has made. */
final class Distribution {
  private static final Path FOLDER = Repository.DEPLOY.resolve("target/dist");

  private Distribution() {}

  /** Skips the test where nothing was made. */
  static void assumeMade() {
    assumeTrue(Files.exists(FOLDER), "made by ./mvnw -Pdist verify only");
  }

  /** A file of this version, which {@code name} has as VERSION. */
  static Path file(String name) {
    Path file = FOLDER.resolve(name.replace("VERSION", Repository.version()));
    assertTrue(Files.exists(file), file + " is missing");
    return file;
  }

  static Path debianPackage() {
    return file(
        "weir_VERSION_amd64.deb".replace("VERSION", Repository.version().replace('-', '~')));
  }

  /** The folder in an archive, unpacked. */
  static Path unpack(String archive, Path into) {
    Path file = file(archive);
    Program.find("tar").run("xzf", file.toString(), "-C", into.toString()).succeeded();
    return into.resolve(file.getFileName().toString().replace(".tar.gz", ""));
  }
}
