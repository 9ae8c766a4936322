package dev.weir.proxy.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.JavaCommand;
import java.io.BufferedReader;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class TrainIT {
  @Test
  void startsFromAFileAndFromFlagsAsksBothAndEnds() throws Exception {
    StringWriter out = new StringWriter();
    assertEquals(0, new Train(new PrintWriter(out), new PrintWriter(System.err)).run());
    List<String> starts = out.toString().lines().toList();
    assertEquals(2, starts.size(), starts.toString());
    assertTrue(starts.get(0).startsWith("weir: proxying http://127.0.0.1:"), starts.get(0));
    assertTrue(starts.get(1).matches("weir: .* \\((epoll|nio), .*"), starts.get(1));
    for (String start : starts) {
      assertTrue(start.contains(", deciding at http://127.0.0.1:"), start);
    }
  }

  @Test
  void endsSoonAndLeavesNothingWhenItIsToldToStop(@TempDir Path folder) throws Exception {
    List<String> command =
        new ArrayList<>(JavaCommand.of(WeirMain.class, "-Djava.io.tmpdir=" + folder));
    command.add("train");
    Process train =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
    try (BufferedReader out = train.inputReader()) {
      String first = out.readLine();
      assertTrue(first.startsWith("weir: proxying "), first);
      train.toHandle().destroy(); // which leaves its output open
      assertEquals(List.of(), out.lines().toList(), "a start after the signal");
      assertEquals(130, train.waitFor());
    } finally {
      train.destroyForcibly();
    }
    try (Stream<Path> left = Files.list(folder)) {
      assertEquals(0, left.filter(path -> path.toString().contains("weir-train")).count());
    }
  }
}
