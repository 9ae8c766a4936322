package dev.weir.bench.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.BenchCommandLine;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class LabMainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int run(String... args) {
    final CommandLine commandLine = BenchCommandLine.of(new LabMain());
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(args);
  }

  @Test
  void helpListsEveryCommand() {
    assertEquals(0, run("--help"));
    assertTrue(out.toString().contains("jmh"), out.toString());
    assertTrue(out.toString().contains("jcstress"), out.toString());
  }

  @Test
  void noCommandIsWrong() {
    assertEquals(BenchCommandLine.WRONG, run());
    assertTrue(err.toString().contains("Missing command (expected: "), err.toString());
  }

  @Test
  void anUnknownCommandIsNamedBesideTheOnesThereAre() {
    assertEquals(BenchCommandLine.WRONG, run("acuracy"));
    assertTrue(err.toString().contains("'acuracy'"), err.toString());
    assertTrue(err.toString().contains("Expected: "), err.toString());
  }

  @Test
  void onlyTheToolsReadTheirOwnArguments() {
    assertTrue(ToolCommands.isTool("jmh"));
    assertTrue(ToolCommands.isTool("jcstress"));
    assertFalse(ToolCommands.isTool("accuracy"));
  }
}
