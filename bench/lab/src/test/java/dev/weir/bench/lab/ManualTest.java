package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.weir.bench.BenchCommandLine;
import dev.weir.bench.check.AlgorithmBench;
import dev.weir.bench.stress.TableStress;
import dev.weir.proxy.manual.ManualPage;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** The commands of {@code ./weir bench} that README.md and docs/ show are there, as shown. */
class ManualTest {
  static Stream<String> commands() {
    return ManualPage.blocks("sh").stream()
        .flatMap(block -> block.commands().stream())
        .filter(command -> command.startsWith("./weir bench "));
  }

  @ParameterizedTest
  @MethodSource("commands")
  void areThere(String command) {
    List<String> words = ManualPage.words(command);
    words = words.subList(2, words.size());
    if (ToolCommands.isTool(words.get(0))) {
      String named = words.get(words.size() - 1);
      Class<?> example = words.get(0).equals("jmh") ? AlgorithmBench.class : TableStress.class;
      assertEquals(example.getName().contains(named), true, command);
      return;
    }
    CommandLine bench = BenchCommandLine.of(new LabMain());
    ParseResult parsed = assertDoesNotThrow(() -> parse(bench, ManualPage.words(command)), command);
    assertNotNull(parsed.subcommand(), command);
  }

  private static ParseResult parse(CommandLine bench, List<String> words) {
    return bench.parseArgs(words.subList(2, words.size()).toArray(new String[0]));
  }
}
