package dev.weir.bench.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.report.RunResult.Check;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ReportSectionTest {
  private static final ReportSection FIGURES = figures();
  private static final ReportSection FACTS =
      new ReportSection("Facts", Map.of("Machine", "<two> cores"));

  private static ReportSection figures() {
    final MarkdownTable table = new MarkdownTable("mode", "over");
    table.add("exact", "0");
    return new ReportSection("Modes", List.of("*over* is <what>\n"), table);
  }

  private static String page(Check... checks) {
    return new HtmlReport("A page", List.of(checks), List.of(FIGURES, FACTS), List.of()).page();
  }

  @Test
  void isTextThenFiguresOrFactsInMarkdown() {
    assertEquals(
        "## Modes\n\n*over* is <what>\n\n| mode  | over |\n|-------| ----:|\n| exact |    0 |\n\n",
        FIGURES.markdown());
    assertEquals("## Facts\n\n- Machine: <two> cores\n\n", FACTS.markdown());
  }

  @Test
  void itsTextStaysTextInAPageAndItsWordsAreSetApart() {
    final String page = page();
    assertTrue(page.contains("<p><em>over</em> is &lt;what&gt;</p>"), page);
    assertTrue(page.contains("<th scope=\"row\">exact</th><td>0</td>"), page);
    assertTrue(page.contains("<th scope=\"row\">Machine</th><td>&lt;two&gt; cores</td>"), page);
  }

  @Test
  void aPageWithoutRunsSaysWhetherItsChecksHeldAndHasNoCharts() {
    final Check held = new Check("over 0", "0", true);
    assertTrue(page(held, held).contains("All 2 thresholds held"));
    assertTrue(page(held, new Check("over 0", "3", false)).contains("1 of 2 thresholds missed"));
    assertFalse(page().contains("<canvas"));
  }
}
