package dev.weir.proxy.manual;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.SettingNames;
import io.netty.channel.WriteBufferWaterMark;
import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Each row of docs/limits.md: its setting and its counter are there, its test is in the sources,
 * and each number of its bound is a setting's default or a constant of the code.
 */
class LimitsPageTest {
  private static final Path ROOT = ManualPage.root();
  private static final Pattern QUOTED = Pattern.compile("`([^`]+)`");
  private static final Pattern METHOD = Pattern.compile("\\bvoid (\\w+)\\(");
  private static final Pattern NUMBER =
      Pattern.compile("\\b(\\d[\\d,]*)(?: (KiB|MiB|bytes|ms|s|min|h)\\b)?");

  private static final Map<String, Long> UNITS =
      Map.of(
          "KiB", 1L << 10,
          "MiB", 1L << 20,
          "bytes", 1L,
          "ms", 1_000_000L,
          "s", 1_000_000_000L,
          "min", 60_000_000_000L,
          "h", 3_600_000_000_000L);

  private record Row(
      String kept, String bound, String setting, String counter, String test, int line) {
    @Override
    public String toString() {
      return "docs/limits.md:" + line + ": " + kept;
    }
  }

  private static final List<Row> ROWS = rows();

  private static List<Row> rows() {
    try {
      List<String> lines = Files.readAllLines(ROOT.resolve("docs/limits.md"));
      List<Row> rows = new ArrayList<>();
      for (int i = 0; i < lines.size(); i++) {
        String[] cells = lines.get(i).split(" *\\| *");
        if (cells.length == 8 && !cells[1].matches("Kept|-+")) {
          rows.add(new Row(cells[1], cells[2], cells[4], cells[6], cells[7], i + 1));
        } else {
          assertTrue(!lines.get(i).startsWith("| ") || cells[1].equals("Kept"), lines.get(i));
        }
      }
      return rows;
    } catch (IOException unreadable) {
      throw new IllegalStateException(unreadable);
    }
  }

  /** The constants of each row, by its first cell. */
  private static Map<String, List<String>> constants() throws IOException, URISyntaxException {
    Path file = Path.of(LimitsPageTest.class.getResource("limits-constants.txt").toURI());
    Map<String, List<String>> constants = new HashMap<>();
    for (String line : Files.readAllLines(file)) {
      if (!line.startsWith("#")) {
        List<String> cells = List.of(line.split("\t"));
        constants.put(cells.get(0), cells.subList(1, cells.size()));
      }
    }
    return constants;
  }

  private static List<String> quoted(String cell) {
    return QUOTED.matcher(cell).results().map(found -> found.group(1)).toList();
  }

  @Test
  void eachRowIsOnceAndNamesItsTest() {
    Set<String> seen = new HashSet<>();
    assertTrue(ROWS.size() > 90, ROWS.size() + " rows");
    for (Row row : ROWS) {
      assertTrue(seen.add(row.kept), row + " is there twice");
      assertTrue(!quoted(row.test).isEmpty(), row + " names no test");
    }
  }

  @Test
  void eachSettingIsASettingOrAFieldOfARule() {
    Map<String, String> defaults = SettingNames.defaults();
    List<String> unknown = new ArrayList<>();
    for (Row row : ROWS) {
      assertTrue(row.setting.equals("-") || row.setting.startsWith("`"), row.toString());
      for (String name : quoted(row.setting)) {
        if (!defaults.containsKey(name)) {
          unknown.add(row + ": " + name);
        }
      }
    }
    assertEquals("", String.join("\n", unknown));
  }

  /** {@code FigureTableTest} compares these tables with what a sidecar exposes. */
  @Test
  void eachCounterIsAFigure() throws IOException {
    Set<String> figures = figures("docs/operations.md", "`(weir_\\w+)`", "");
    figures.addAll(figures("docs/envoy.md", "`(\\w+)`", "ratelimit_service_"));
    List<String> unknown = new ArrayList<>();
    for (Row row : ROWS) {
      assertTrue(row.counter.equals("-") || row.counter.startsWith("`"), row.toString());
      for (String name : quoted(row.counter)) {
        if (!figures.contains(name)) {
          unknown.add(row + ": " + name);
        }
      }
    }
    assertEquals("", String.join("\n", unknown));
  }

  private static Set<String> figures(String page, String pattern, String prefix)
      throws IOException {
    return Files.readAllLines(ROOT.resolve(page)).stream()
        .filter(line -> line.startsWith("| `"))
        .flatMap(line -> Pattern.compile(pattern).matcher(line).results())
        .map(found -> prefix + found.group(1))
        .collect(Collectors.toSet());
  }

  @Test
  void eachTestIsInTheSources() throws IOException {
    Map<String, Set<String>> tests = new HashMap<>();
    try (Stream<Path> files = Files.walk(ROOT)) {
      for (Path file : files.filter(LimitsPageTest::isTest).toList()) {
        Set<String> methods =
            tests.computeIfAbsent(
                file.getFileName().toString().replace(".java", ""), name -> new HashSet<>());
        Matcher method = METHOD.matcher(Files.readString(file));
        while (method.find()) {
          methods.add(method.group(1));
        }
      }
    }
    List<String> missing = new ArrayList<>();
    for (Row row : ROWS) {
      for (String name : quoted(row.test)) {
        String[] classAndMethod = name.split("\\.");
        if (classAndMethod.length != 2
            || !tests.getOrDefault(classAndMethod[0], Set.of()).contains(classAndMethod[1])) {
          missing.add(row + ": " + name);
        }
      }
    }
    assertEquals("", String.join("\n", missing));
  }

  private static boolean isTest(Path file) {
    String path = ROOT.relativize(file).toString();
    return path.contains("src/test/java/") && path.matches(".*(Test|IT)\\.java");
  }

  @Test
  void eachNumberIsADefaultOrAConstant() throws Exception {
    Map<String, String> defaults = SettingNames.defaults();
    Map<String, List<String>> constants = constants();
    List<String> wrong = new ArrayList<>();
    for (Row row : ROWS) {
      Set<Long> known = new HashSet<>();
      for (String name : quoted(row.setting)) {
        if (defaults.get(name) != null) {
          known.addAll(numbers(defaults.get(name)));
        }
      }
      for (String constant : constants.getOrDefault(row.kept, List.of())) {
        long value = value(constant);
        known.add(value);
        if (!numbers(row.bound).contains(value)) {
          wrong.add(row + ": does not say " + constant + ", " + value);
        }
      }
      for (long number : numbers(row.bound)) {
        if (!known.contains(number)) {
          wrong.add(row + ": " + number + " is neither a default nor a constant");
        }
      }
    }
    ROWS.forEach(row -> constants.remove(row.kept));
    assertEquals("", String.join("\n", wrong));
    assertEquals(Set.of(), constants.keySet(), "constants of rows that are not there");
  }

  /** The numbers of a text, in bytes, nanoseconds or as they are. */
  private static List<Long> numbers(String text) {
    String spaced =
        QUOTED
            .matcher(text)
            .replaceAll("")
            .replaceAll("HTTP/\\d(\\.\\d)?", "")
            .replaceAll("(\\d)([A-Za-z])", "$1 $2");
    List<Long> numbers = new ArrayList<>();
    Matcher number = NUMBER.matcher(spaced);
    while (number.find()) {
      long factor = number.group(2) == null ? 1 : UNITS.get(number.group(2));
      numbers.add(Long.parseLong(number.group(1).replaceAll("\\D", "")) * factor);
    }
    return numbers;
  }

  private static long value(String constant) throws ReflectiveOperationException {
    int dot = constant.lastIndexOf('.');
    String parent = constant.startsWith("algorithms.") ? "dev.weir." : "dev.weir.proxy.";
    Field field =
        Class.forName(parent + constant.substring(0, dot))
            .getDeclaredField(constant.substring(dot + 1));
    field.setAccessible(true);
    if (field.get(null) instanceof WriteBufferWaterMark mark) {
      return mark.high();
    }
    long value = ((Number) field.get(null)).longValue();
    String unit = constant.substring(constant.lastIndexOf('_') + 1);
    return switch (unit) {
      case "MS" -> value * UNITS.get("ms");
      case "SECONDS" -> value * UNITS.get("s");
      default -> value;
    };
  }

  @Test
  void numbersAreReadWithTheirUnits() {
    assertEquals(
        List.of(10_000L, 32L << 10, 5_000_000_000L, 10L),
        numbers("10,000 of 32 KiB, 5s, and 10 `timeouts.head 7`"));
    assertEquals(List.of(), Arrays.asList(numbers("none").toArray()));
  }
}
