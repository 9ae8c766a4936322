package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** CONTRIBUTING.md names each rig that there is, and shows tests as they are. */
class ContributingTest {
  private static final ManualPage PAGE = ManualPage.of("CONTRIBUTING.md");

  /** A class of a table's cell, with or without a method behind it. */
  private static final Pattern NAMED = Pattern.compile("`([A-Z]\\w+)(?:\\.\\w+(?:\\(\\))?)?`");

  private static List<Path> sources;

  @BeforeAll
  static void findSources() throws IOException {
    try (Stream<Path> files = Files.walk(ManualPage.root())) {
      sources = files.filter(file -> file.toString().matches(".*/src/test/.*\\.java")).toList();
    }
  }

  private static String className(Path source) {
    return source.getFileName().toString().replace(".java", "");
  }

  private static Set<String> named() throws IOException {
    String tables =
        Files.readAllLines(ManualPage.root().resolve("CONTRIBUTING.md")).stream()
            .filter(line -> line.startsWith("| "))
            .collect(Collectors.joining("\n"));
    Set<String> named = new TreeSet<>();
    Matcher name = NAMED.matcher(tables);
    while (name.find()) {
      named.add(name.group(1));
    }
    return named;
  }

  @Test
  void itsTablesNameClassesOfTests() throws IOException {
    Set<String> unknown = named();
    unknown.removeAll(sources.stream().map(ContributingTest::className).toList());
    assertEquals(Set.of(), unknown);
  }

  /** Those that are for a package alone need no row. */
  @Test
  void itsTablesNameEveryRigThatIsForAll() throws IOException {
    Set<String> rigs = new TreeSet<>();
    for (Path source : sources) {
      boolean isRig = source.getParent().endsWith("rig") || className(source).endsWith("Rig");
      if (isRig && Files.readString(source).contains("\npublic ")) {
        rigs.add(className(source));
      }
    }
    assertTrue(rigs.size() > 3, rigs.toString());
    rigs.removeAll(named());
    assertEquals(Set.of(), rigs);
  }

  @Test
  void itsExamplesAreTheTextOfTests() throws IOException {
    StringBuilder all = new StringBuilder();
    for (Path source : sources) {
      all.append(oneLine(Files.readString(source)));
    }
    int examples = 0;
    for (ManualPage.Block block : PAGE.blocks()) {
      if (block.language().equals("java")) {
        assertTrue(all.indexOf(oneLine(block.text())) >= 0, block + "\n" + block.text());
        examples++;
      }
    }
    assertTrue(examples >= 10, examples + " examples");
  }

  private static String oneLine(String text) {
    return text.replaceAll("\\s+", " ");
  }
}
