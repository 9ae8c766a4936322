package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Every page of the repository: its links, and the decisions that are named by number. */
class PagesTest {
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern NUMBER = Pattern.compile("\\bD(\\d{1,3})\\b");
  private static final Pattern TITLE = Pattern.compile("^## (D\\d+): .+$", Pattern.MULTILINE);
  private static final Pattern LISTED =
      Pattern.compile("^\\| \\[(D\\d+)\\]\\((docs/decisions/\\w+\\.md)#", Pattern.MULTILINE);
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
  void everyDecisionIsListedOnceAndToldWhereTheListSays() throws IOException {
    List<String> told = new ArrayList<>();
    for (Path page : files(".md")) {
      if (page.startsWith(ROOT.resolve("docs/decisions"))) {
        Matcher title = TITLE.matcher(Files.readString(page));
        while (title.find()) {
          told.add(title.group(1) + " " + ROOT.relativize(page));
        }
      }
    }
    List<String> listed = new ArrayList<>();
    Matcher row = LISTED.matcher(Files.readString(ROOT.resolve("ARCHITECTURE.md")));
    while (row.find()) {
      listed.add(row.group(1) + " " + row.group(2));
    }
    assertEquals(told.stream().sorted().toList(), listed.stream().sorted().toList());
    Set<String> numbers = new TreeSet<>();
    listed.forEach(line -> assertTrue(numbers.add(line.split(" ")[0]), line));
  }

  @Test
  void everyDecisionThatIsNamedIsThere() throws IOException {
    String list = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
    List<String> unknown = new ArrayList<>();
    for (Path file : files(".md", ".java", ".lua", "pom.xml")) {
      Matcher number = NUMBER.matcher(Files.readString(file));
      while (number.find()) {
        if (!list.contains("| [" + number.group() + "](")) {
          unknown.add(ROOT.relativize(file) + ": " + number.group());
        }
      }
    }
    assertEquals(List.of(), unknown);
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
