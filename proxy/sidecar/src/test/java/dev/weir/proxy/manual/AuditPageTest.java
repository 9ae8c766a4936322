package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The commands of docs/who-did-what.md, against a sidecar. */
@Timeout(60)
class AuditPageTest {
  private static final Pattern QUESTION = Pattern.compile("\\| .*\\? \\| `([^`]*)` \\| (.*) \\|");
  private static final Pattern CODE = Pattern.compile("`([^`]+)`");
  private static final Pattern HEAD = Pattern.compile("\\d+:[0-9a-f]{64}");
  private static final String PATH = "docs/who-did-what.md";

  private final ManualPage page = ManualPage.of(PATH);

  @TempDir private Path folder;

  @Test
  void answersEachQuestionAndFindsARemovedLine() throws Exception {
    try (PageSidecar sidecar = new PageSidecar(page, 0, folder, null)) {
      List<String> changes = PageSidecar.commands(page, 0);
      sidecar.run("eddy", changes.get(0));
      sidecar.run("ada", changes.get(1));
      int questions = 0;
      for (String line : Files.readAllLines(ManualPage.root().resolve(PATH))) {
        Matcher question = QUESTION.matcher(line);
        if (question.matches()) {
          String answer = sidecar.run("ada", question.group(1));
          CODE.matcher(question.group(2))
              .results()
              .forEach(part -> assertTrue(answer.contains(part.group(1)), line + ": " + answer));
          questions++;
        }
      }
      assertEquals(7, questions);

      List<String> keep = PageSidecar.commands(page, 1);
      sidecar.run("ada", keep.get(0));
      String whole = sidecar.run("ada", keep.get(1)).strip();
      assertEquals(
          PageSidecar.shown(page, 0),
          HEAD.matcher(whole).replaceAll(head -> general(head.group())));
      Matcher head = HEAD.matcher(whole);
      assertTrue(head.find(), whole);

      Path file = folder.resolve("audit.ndjson");
      List<String> lines = Files.readAllLines(file);
      List<String> without = new ArrayList<>(lines);
      without.remove(1);
      Files.write(file, without);
      PageSidecar.Done removed = sidecar.tryToRun("ada", keep.get(1));
      assertEquals(1, removed.code());
      assertEquals(PageSidecar.shown(page, 1), removed.text().strip());

      String check = PageSidecar.commands(page, 2).get(0).replaceAll("\\d+:HASH", head.group());
      Files.write(file, lines);
      sidecar.run("ada", check);
      Files.write(file, lines.subList(1, lines.size())); // the end, as the newest is first
      assertEquals(0, sidecar.tryToRun("ada", keep.get(1)).code(), "nothing seems to be missing");
      assertEquals(1, sidecar.tryToRun("ada", check).code());
      sidecar.run("ada", "./weir audit verify /var/lib/weir");
    }
  }

  private static String general(String head) {
    return head.substring(0, head.indexOf(':')) + ":HASH";
  }
}
