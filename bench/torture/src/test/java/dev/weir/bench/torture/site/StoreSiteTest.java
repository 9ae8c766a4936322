package dev.weir.bench.torture.site;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class StoreSiteTest {
  private static final Path MANUAL = Path.of("..", "..", "docs", "fleet.md");

  private static final Pattern RIGHTS =
      Pattern.compile(
          "### An ACL user\n.*?in a cluster also `(?<cluster>[^`]+)`.*?```text\n(?<all>.*?)\n```",
          Pattern.DOTALL);

  @Test
  void givesTheStoresUserTheRightsOfTheManualAndNoOther() throws IOException {
    final Matcher rights = RIGHTS.matcher(Files.readString(MANUAL));
    assertTrue(rights.find(), MANUAL.toString());
    assertEquals(rights.group("all").replace('\n', ' '), StoreSite.RIGHTS);
    assertEquals(rights.group("cluster"), StoreSite.RIGHTS_IN_CLUSTER);
  }
}
