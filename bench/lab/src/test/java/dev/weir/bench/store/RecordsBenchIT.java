package dev.weir.bench.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.scripts.server.RedisBinary;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Everything once, for a moment: that it measures what it says, not how fast it is. */
class RecordsBenchIT {
  @TempDir Path folder;

  @Test
  void everyRowIsMeasured() throws Exception {
    final Path binary = RedisBinary.installed().orElseGet(RedisBinary::embedded);
    final Path json = folder.resolve("records.json");
    final CommandLine command = new CommandLine(new RecordsCommand());
    final StringWriter out = new StringWriter();
    command.setOut(new PrintWriter(out, true));
    assertEquals(
        0,
        command.execute(
            ("--rounds 1 --seconds 0.1 --hearts 3 --following 3 --changes 2 --users 300"
                    + " --redis-server %s --json %s")
                .formatted(binary, json)
                .split(" ")));
    for (String row :
        new String[] {
          "| 3 hearts", "| a rule each", "| a user each", "| 100 users", "| 300 users"
        }) {
      assertTrue(out.toString().contains(row), row + " in\n" + out);
    }
    final String figures = Files.readString(json);
    assertTrue(figures.matches("(?s).*\"changeMsToLast\":\\{\"3 hearts\":\\[[\\d.]+,[\\d.]+]}.*"));
    assertTrue(figures.matches("(?s).*\"openMs\":\\{\"300 users\":\\[[\\d.]+]}}\\s*"), figures);
  }
}
