package dev.weir.bench.rule;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.process.Cores;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.rule.Measured.Part;
import dev.weir.bench.rule.Measured.Score;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** That rules are measured which say what their names say, not how fast they are. */
class RulesIT {
  @Test
  void everyBenchmarkHasAScore() throws Exception {
    final List<Measured> rows =
        Stream.of(Part.values())
            .map(part -> new Measured(part, part == Part.TOKEN ? null : RuleKind.ALL, 1))
            .toList();
    final RoundTable<Part, Score> scores =
        RulesCommand.run(rows, new Rounds(1, 0.01, 0.01, Cores.UNPINNED, step -> {}), 0);
    assertEquals(List.of(Part.values()), scores.cells());
    for (Measured row : rows) {
      assertTrue(scores.spread(row.part(), row.name(), Score::score).least() > 0, row.toString());
    }
  }

  @ParameterizedTest
  @EnumSource
  void requestsTakeTheRulesTheyAreMadeFor(RuleKind kind) {
    final RuleBench bench = new RuleBench();
    bench.kind = kind;
    bench.rules = Measured.FEW;
    assertDoesNotThrow(bench::prepare);
    assertEquals(RuleBench.REQUESTS, bench.decide());
    bench.free();
  }

  @ParameterizedTest
  @EnumSource(
      value = RuleKind.class,
      names = {"PATH", "HOST", "VALUE"})
  void tenThousandRulesFitIntoAFile(RuleKind kind) {
    assertTrue(kind.file(10_000).length() <= 1 << 20, () -> kind.file(2));
  }
}
