package dev.weir.bench.fleet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.bench.BenchCommandLine;
import dev.weir.bench.LoadMain;
import dev.weir.bench.process.Programs;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The command as users run it, for a moment: that it measures what it says, not how fast it is. */
@Timeout(180)
class FleetIT {
  @TempDir private Path folder;
  private final StringWriter told = new StringWriter();

  @BeforeEach
  void redisIsInstalled() {
    assumeTrue(Programs.find("redis-server").isPresent(), "redis-server is not installed");
  }

  @AfterEach
  void nothingThatWasStartedIsLeft() {
    assertEquals(
        List.of(),
        ProcessHandle.current().descendants().map(each -> each.info().toString()).toList());
  }

  private int run(String... args) {
    final CommandLine commandLine = BenchCommandLine.of(new LoadMain());
    commandLine.setOut(new PrintWriter(told));
    commandLine.setErr(new PrintWriter(told));
    return commandLine.execute(args);
  }

  /** The cells of the rows of a table of so many columns that begin with a name. */
  private List<List<String>> rows(String first, int columns) {
    return told.toString()
        .lines()
        .filter(line -> line.matches("\\| " + first + " +\\|.*"))
        .map(line -> List.of(line.substring(1).replace(" ", "").split("\\|")))
        .filter(row -> row.size() == columns)
        .toList();
  }

  @Test
  void aFleetIsWithinItsLimitThroughAFailoverAndNotWithAStoreThatForgets() throws Exception {
    final Path page = folder.resolve("page.html");
    final int code =
        run(
            "fleet",
            "--parts=faults,at-once",
            "--faults=failover,store-emptied",
            "--sidecars=2",
            "--limit=200/1m",
            "--keys=1",
            "--load=60",
            "--requests=400",
            "--algorithm=sliding-log",
            "--seconds=1.5",
            "--warm-up=10ms",
            "--deadline=1s",
            "--page=" + page);
    assertEquals(0, code, told.toString());
    assertEquals(2, rows("failover", 10).size(), told.toString());
    for (List<String> row : rows("failover", 10)) {
      assertEquals("0", row.get(4), told.toString());
      assertTrue(Integer.parseInt(row.get(2)) > 100, told.toString());
    }
    // More was used before and behind the fault than the limit has.
    assertEquals(2, rows("store-emptied", 10).size(), told.toString());
    for (List<String> row : rows("store-emptied", 10)) {
      assertTrue(Integer.parseInt(row.get(4)) > 0, told.toString());
    }
    assertEquals(2, rows("sliding-log", 6).size(), told.toString());
    for (List<String> row : rows("sliding-log", 6)) {
      assertEquals(List.of("200", "0"), row.subList(3, 5), told.toString());
      // What is left in a hand that is asked no more is refused elsewhere, and comes back later: in
      // each of two hands at most what an ask is kept, a quarter of what is free.
      int least = Integer.parseInt(row.get(2));
      assertTrue(least >= (row.get(1).equals("exact") ? 200 : 200 - 2 * 200 / 4), told.toString());
    }
    assertTrue(Files.readString(page).contains("What a fleet lets pass"));
  }
}
