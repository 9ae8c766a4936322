package dev.weir.proxy;

import dev.weir.proxy.manual.ManualPage;
import java.io.IOException;
import java.nio.file.Files;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What the launcher gives the JVM that the sidecar runs in. */
final class ShippedFlags {
  private static final Pattern OF_MEMORY =
      Pattern.compile("-Xm[sx]\\d+m|-XX:MaxDirectMemorySize=\\w+|-XX:\\+\\w+OutOfMemoryError");

  private ShippedFlags() {}

  /** Those about memory, and its collector. */
  static String[] memory() throws IOException {
    String launcher = Files.readString(ManualPage.root().resolve("weir"));
    return Stream.concat(
            Stream.of("-XX:+UseSerialGC"),
            OF_MEMORY.matcher(launcher).results().map(found -> found.group()))
        .toArray(String[]::new);
  }
}
