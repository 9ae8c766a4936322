package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/back-up-and-restore.md, against sidecars. */
@Timeout(60)
class BackUpPageTest {
  private static final String NOBODY = "404";

  private final ManualPage page = ManualPage.of("docs/back-up-and-restore.md");

  @TempDir private Path folder;

  private PageSidecar start() throws Exception {
    return new PageSidecar(page, 0, folder, null);
  }

  private void change(PageSidecar sidecar, String limit) throws Exception {
    Path rules = folder.resolve("rules.yaml");
    Files.writeString(
        rules, Files.readString(rules).replaceFirst("limit: \\d+", "limit: " + limit));
    sidecar.run("ada", "./weir rules push rules.yaml");
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(from.relativize(file)));
      }
    }
  }

  @Test
  void restoresRulesAndUsersFromLinesOfJson() throws Exception {
    List<String> backUp = PageSidecar.commands(page, 0);
    List<String> restore = PageSidecar.commands(page, 1);
    try (PageSidecar sidecar = start()) {
      change(sidecar, "20");
      sidecar.run("ada", "./weir users set ann --tier premium");
      for (String command : backUp) {
        sidecar.run("ada", command);
      }
      change(sidecar, "30");
      sidecar.run("ada", "./weir users set ann --tier free");
      sidecar.run("ada", "./weir users set bob --tier free");
      assertEquals("30/1m", sidecar.limitInUse());
      for (String command : restore) {
        sidecar.run("ada", command);
      }
      assertEquals("20/1m", sidecar.limitInUse());
      assertTrue(sidecar.run("ada", "./weir users get ann").contains("premium"));
      assertTrue(sidecar.run("ada", "./weir users get bob").contains("free"), "stays");
      assertTrue(sidecar.run("ada", "./weir audit list").contains("restored"));
      sidecar.run("ada", "./weir audit verify audit.ndjson");
    }
  }

  @Test
  void restoresTheFolderAsItWasAtTheCopy() throws Exception {
    Path records = folder.resolve("weir");
    Path copy = folder.resolve("copy");
    try (PageSidecar sidecar = start()) {
      change(sidecar, "20");
      sidecar.run("ada", "./weir users set ann --tier premium");
    }
    copy(records, copy);
    String head;
    try (PageSidecar sidecar = start()) {
      change(sidecar, "30");
      sidecar.run("ada", "./weir users set bob --tier free");
      String whole = sidecar.run("ada", "./weir audit verify /var/lib/weir");
      head = whole.strip().replaceFirst(".* ", "");
    }
    Files.move(records, folder.resolve("lost"));
    Files.move(copy, records);
    try (PageSidecar sidecar = start()) {
      assertEquals("20/1m", sidecar.limitInUse());
      assertTrue(sidecar.run("ada", "./weir users get ann").contains("premium"));
      assertTrue(sidecar.tryToRun("ada", "./weir users get bob").text().startsWith(NOBODY));
      sidecar.run("ada", "./weir audit verify /var/lib/weir");
      PageSidecar.Done noted =
          sidecar.tryToRun("ada", "./weir audit verify /var/lib/weir --head " + head);
      assertEquals(1, noted.code());
      String number = head.substring(0, head.indexOf(':'));
      assertTrue(noted.text().contains("entry " + number + " is missing"), noted.text());
    }
  }
}
