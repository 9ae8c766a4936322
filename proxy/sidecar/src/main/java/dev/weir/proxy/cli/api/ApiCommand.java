package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.web.TextTable;
import dev.weir.proxy.wiring.Program;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** A command that speaks to the API. */
abstract class ApiCommand implements Callable<Integer> {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean isHelp;

  @Spec private CommandSpec spec;
  @Mixin private ApiOptions options;

  /** Does it; returns the exit code. */
  abstract int run(Api api) throws ApiFault;

  /** Opens the API and does it; returns the exit code. */
  int run() throws ApiFault {
    return run(options.open(System.getenv(), PATIENCE));
  }

  @Override
  public final Integer call() {
    try {
      return run();
    } catch (ApiFault fault) {
      err().println(fault.getMessage());
      if (fault.exitCode() == ExitCode.USAGE) {
        Program.pointToHelp(err(), spec.qualifiedName());
      }
      return fault.exitCode();
    } finally {
      out().flush();
      err().flush();
    }
  }

  final boolean isJson() {
    return options.isJson();
  }

  /** Checks what says in which form answers are printed; opening the API does it too. */
  final void checkOutput() throws ApiFault {
    options.checkOutput();
  }

  final PrintWriter out() {
    return spec.commandLine().getOut();
  }

  final PrintWriter err() {
    return spec.commandLine().getErr();
  }

  /** Prints an answer: as it is, or its table. */
  final void print(Api.Reply reply, String list) throws ApiFault {
    if (isJson()) {
      out().println(reply.body().strip());
    } else {
      table(rows(reply.object(), list));
    }
  }

  /** The objects of a list in an answer. */
  static List<Map<?, ?>> rows(Map<String, Object> answer, String list) throws ApiFault {
    List<Map<?, ?>> rows = new ArrayList<>();
    if (!(answer.get(list) instanceof List<?> items)) {
      throw new ApiFault(ExitCode.UNAVAILABLE, "no answer of the API: " + list + " is missing");
    }
    for (Object item : items) {
      if (item instanceof Map<?, ?> row) {
        rows.add(row);
      }
    }
    return rows;
  }

  /** Prints rows in columns by the names of their members. */
  final void table(List<? extends Map<?, ?>> rows) {
    Set<String> names = new LinkedHashSet<>();
    rows.forEach(row -> row.keySet().forEach(name -> names.add((String) name)));
    if (names.isEmpty()) {
      err().println("none");
      return;
    }
    TextTable table =
        new TextTable(names.size(), names.stream().map(JsonText::shown).toArray(String[]::new));
    rows.forEach(row -> table.row(names.stream().map(name -> cell(row.get(name))).toList()));
    out().print(table);
  }

  /** A value in a table: nothing that steers a terminal, and nothing in place of null. */
  private static String cell(Object value) {
    return value == null || value.equals("")
        ? ""
        : value instanceof BigDecimal number ? number.toPlainString() : JsonText.shown(value);
  }
}
