package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.BenchCommandLine;
import dev.weir.bench.simulation.SimulateCommand;
import dev.weir.proxy.manual.ManualPage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;

/** The commands in the pages of bench/results use only options that exist. */
class ResultsTest {
  private static final Path RESULTS = Path.of("../results");
  private static final Pattern COMMAND =
      Pattern.compile("(?m)^ {4}(?:[A-Z_]+=\\S+ )?\\./weir ((?:bench|simulate) .*)$");

  static Stream<String> commands() throws IOException {
    try (Stream<Path> pages = Files.list(RESULTS)) {
      return pages
          .filter(page -> page.toString().endsWith(".md"))
          .sorted()
          .flatMap(ResultsTest::commands)
          .toList()
          .stream();
    }
  }

  private static Stream<String> commands(Path page) {
    final String text = assertDoesNotThrow(() -> Files.readString(page)).replaceAll("\\\\\n +", "");
    return COMMAND.matcher(text).results().map(found -> found.group(1).replaceAll(" +#.*", ""));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void everyOptionOfACommandExists(String command) throws IOException {
    final List<String> words = ManualPage.words(command);
    final boolean isSimulation = words.get(0).equals("simulate");
    final List<String> own = words.subList(1, words.size());
    if (!isSimulation && own.get(0).equals("jmh")) {
      for (String bench : own.get(1).split("\\|")) {
        final String file = bench.replaceAll("\\..*", "") + ".java";
        try (Stream<Path> sources = Files.walk(Path.of("src/main/java/dev/weir/bench"))) {
          assertTrue(sources.anyMatch(source -> source.endsWith(file)), command);
        }
      }
    }
    if (!isSimulation && ToolCommands.isTool(own.get(0))) {
      return;
    }
    final CommandLine line =
        BenchCommandLine.of(isSimulation ? new SimulateCommand() : new LabMain());
    assertDoesNotThrow(() -> line.parseArgs(own.toArray(new String[0])), command);
  }
}
