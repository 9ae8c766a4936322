package dev.weir.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
}
