package dev.weir.bench.report;

import java.io.IOException;
import java.io.Writer;
import java.util.List;

/** Runs as one page of HTML that needs nothing else. */
public final class HtmlReport {
  private final List<RunResult> runs;

  public HtmlReport(List<RunResult> runs) {
    this.runs = runs;
  }

  void write(Writer out) throws IOException {
    out.write("<!doctype html>\n<title>" + runs.get(0).name().replace("<", "&lt;") + "</title>\n");
  }
}
