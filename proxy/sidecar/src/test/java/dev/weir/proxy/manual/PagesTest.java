package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every page of the repository: its links, the classes that it names, and the list of chapters. */
class PagesTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern TYPE =
      Pattern.compile("\\b(?:class|interface|enum|record|@interface) ([A-Z]\\w+)");

  /** A name of at least two humps, with or without a package in front and a member behind. */
  private static final Pattern NAMED =
      Pattern.compile("`(?:[a-z0-9]+\\.)*((?:[A-Z][a-z0-9]+){2,})(?:\\.\\w+)?(?:\\(.*?\\))?`");

  /** Classes of libraries and of former times, and words that only look like classes. */
  private static final Set<String> ELSEWHERE =
      Set.of(
          "RedisCommand",
          "DirectBuffer",
          "IllegalArgumentException",
          "RateLimit",
          "ClientConnection");

  private static final Path ROOT = ManualPage.root();

  /** Files of the repository with these endings, without what the build made. */
  private static List<Path> files(String... endings) throws IOException {
    try (Stream<Path> files = Files.walk(ROOT)) {
      return files
          .filter(file -> Stream.of(endings).anyMatch(file.toString()::endsWith))
          .filter(file -> !ROOT.relativize(file).toString().matches("(.*/)?(target|\\.\\w+)/.*"))
          .filter(Files::isRegularFile)
          .toList();
    }
  }

  /** As GitHub makes them of headings. */
  private static Set<String> anchors(Path page) throws IOException {
    Set<String> anchors = new HashSet<>();
    boolean fenced = false;
    for (String line : Files.readAllLines(page)) {
      fenced ^= line.strip().startsWith("```");
      if (line.startsWith("#") && !fenced) {
        anchors.add(
            line.replaceFirst("^#+ ", "")
                .toLowerCase(Locale.ROOT)
                .replaceAll("[^\\w\\- ]", "")
                .replace(' ', '-'));
      }
    }
    return anchors;
  }

  @Test
  void everyRelativeLinkLeadsSomewhere() throws IOException {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Path page : files(".md")) {
      Matcher link = LINK.matcher(Files.readString(page).replaceAll("(?s)```.*?```", ""));
      while (link.find()) {
        String target = link.group(1);
        if (target.matches("[a-z]+:.*")) {
          continue;
        }
        links++;
        String[] fileAndAnchor = target.split("#", 2);
        Path file =
            fileAndAnchor[0].isEmpty() ? page : page.resolveSibling(fileAndAnchor[0]).normalize();
        boolean isThere = Files.exists(file);
        if (isThere && fileAndAnchor.length == 2) {
          isThere = anchors(file).contains(fileAndAnchor[1]);
        }
        if (!isThere) {
          broken.add(ROOT.relativize(page) + ": " + target);
        }
      }
    }
    assertEquals(List.of(), broken);
    assertTrue(links > 50, links + " links");
  }

  @Test
  void architectureListsEachDesignChapterWithinTwoHundredLines() throws IOException {
    Path page = ROOT.resolve("ARCHITECTURE.md");
    String architecture = Files.readString(page);
    List<String> unlisted = new ArrayList<>();
    for (Path chapter : files(".md")) {
      String link = "](" + ROOT.relativize(chapter) + ")";
      if (chapter.startsWith(ROOT.resolve("docs/design")) && !architecture.contains(link)) {
        unlisted.add(link);
      }
    }
    assertEquals(List.of(), unlisted);
    int lines = Files.readAllLines(page).size();
    assertTrue(lines <= 200, lines + " lines");
  }

  @Test
  void everyClassThatIsNamedIsThere() throws IOException {
    Set<String> types = new HashSet<>(ELSEWHERE);
    for (Path file : files(".java")) {
      Matcher type = TYPE.matcher(Files.readString(file));
      while (type.find()) {
        types.add(type.group(1));
      }
    }
    List<String> unknown = new ArrayList<>();
    for (Path page : files(".md")) {
      boolean isHistory = page.endsWith("CHANGELOG.md") || page.toString().contains("results");
      Matcher name = NAMED.matcher(isHistory ? "" : Files.readString(page));
      while (name.find()) {
        if (!types.contains(name.group(1)) && !name.group(1).startsWith("Foo")) {
          unknown.add(ROOT.relativize(page) + ": " + name.group());
        }
      }
    }
    assertEquals(List.of(), unknown);
  }
}
