package dev.weir.bench.rule;

import dev.weir.bench.process.Cores;
import dev.weir.bench.report.Machine;
import dev.weir.bench.report.MarkdownReport;
import dev.weir.bench.rounds.RoundColumns;
import dev.weir.bench.rounds.RoundTable;
import dev.weir.bench.rounds.RoundTimes;
import dev.weir.bench.rounds.Rounds;
import dev.weir.bench.rule.Measured.Part;
import dev.weir.bench.rule.Measured.Score;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import org.openjdk.jmh.runner.RunnerException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code weir bench rules}: measures rules in rounds, prints the report. */
@Command(
    name = "rules",
    description = "What do conditions, many rules and verified tokens cost?",
    footer = {
      "",
      "Prints the report; progress goes to standard error. Each measurement has a JVM of its own.",
      "The defaults take about two minutes a round."
    })
public final class RulesCommand implements Callable<Integer> {
  private static final String QUESTION =
      """
      Question: what does it cost to find the rule of a request, with conditions and without, among
      one rule and among 10,000; to look up a token that was verified before; to load rules?
      """;

  private static final String RULES =
      """
      *match* finds the rule alone; *decide* is all from a request to its verdict, by a limit of mode
      local for the client's address, of which finding the rule is a part.
      *path*: a path each, no conditions. *host*: a host each, with a header and a network. *value*:
      one value of a header each, with a query parameter. *all*: a host, a header's value, the prefix
      of another's, a query parameter and a network. Requests have the same fields throughout, and
      fulfil all conditions. Those to 256 rules and to 10,000 go to 256 of them in turn: *to 256*
      tells what the number of rules costs, *to path, 1* also what it costs that requests differ.
      """;

  private static final String TOKENS =
      "*remembered*: from a request with a token of RS256 that was verified before to its `sub`.";

  private static final String LOADING =
      "*load* reads, checks and compiles a file, once in each JVM: as a start does.";

  @Mixin private final RoundTimes report = new RoundTimes(1, "1500ms");

  @Override
  public Integer call() throws IOException, RunnerException {
    report.check();
    final Rounds rounds = report.rounds(Cores.find());
    final MarkdownReport text =
        new MarkdownReport("Rules: conditions, many of them, and tokens", report.command());
    final double loadBefore = Machine.loadAverage();
    final RoundTable<Part, Score> scores = run(Measured.all(), rounds, 1);
    text.fact("JDK " + Machine.jdk());
    text.fact(
        "Median (least..most) of %d rounds, in each of which every row has its turn, in a JVM of its"
            + " own; a ratio is that of one round",
        rounds.count());
    text.fact("Load average %.1f before and %.1f after", loadBefore, Machine.loadAverage());
    text.paragraph(QUESTION);
    text.section("One rule and 10,000");
    text.paragraph(RULES);
    text.table(
        new RoundColumns<>(scores)
            .cell("", part -> part)
            .name("rules")
            .spread("ns", Score::score, 1)
            .ratio("to path, 1", Measured.name(RuleKind.PATH, 1), Score::score)
            .text("to 256", (part, name) -> toFew(scores, part, name))
            .spread("bytes", Score::bytes, 1)
            .table(part -> part == Part.MATCH || part == Part.DECIDE));
    text.section("Tokens");
    text.paragraph(TOKENS);
    text.table(
        new RoundColumns<>(scores)
            .name("tokens")
            .spread("ns", Score::score, 1)
            .spread("bytes", Score::bytes, 1)
            .table(Part.TOKEN::equals));
    text.section("Loading");
    text.paragraph(LOADING);
    text.table(
        new RoundColumns<>(scores)
            .name("rules")
            .spread("ms", Score::score, 0)
            .table(Part.LOAD::equals));
    report.print(text.markdown());
    return 0;
  }

  private static String toFew(RoundTable<Part, Score> scores, Part part, String name) {
    final String few = name.replaceFirst("\\d+$", Integer.toString(Measured.FEW));
    return scores.ratio(part, name, few, Score::score).text(2);
  }

  /** Measures every row in every round. */
  static RoundTable<Part, Score> run(List<Measured> rows, Rounds rounds, int forks)
      throws RunnerException {
    final RoundTable<Part, Score> scores = new RoundTable<>();
    for (int round = 1; round <= rounds.count(); round++) {
      for (Measured each : rows) {
        final Score score = each.run(rounds, forks);
        scores.add(each.part(), each.name(), score);
        rounds.tell("%d: %s, %s: %.1f", round, each.part(), each.name(), score.score());
      }
    }
    return scores;
  }
}
