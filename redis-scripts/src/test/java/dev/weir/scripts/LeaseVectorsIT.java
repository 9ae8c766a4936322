package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The leases that the twin wrote down, asked of the script. */
class LeaseVectorsIT extends ScriptServer {
  private static final Path FILE = Path.of("../algorithms/src/test/resources/vectors/leases.csv");
  private static final int ROWS = 600;

  private final CheckCall call = new CheckCall(1);

  @Test
  void theScriptDecidesWhatTheTwinWroteDown() throws Exception {
    int rows = 0;
    for (String line : Files.readAllLines(FILE)) {
      if (line.matches("[0-9].*")) {
        replay(line.split(",", -1), line);
        rows++;
      }
    }
    assertEquals(ROWS, rows);
  }

  private static ScriptLimit limit(String[] row) {
    final long limit = Long.parseLong(row[2]);
    final long windowUs = Long.parseLong(row[3]);
    return switch (row[1]) {
      case "paced" -> ScriptLimit.paced(limit, limit, windowUs).leased(Long.parseLong(row[5]));
      case "fixed-window" -> ScriptLimit.fixedWindow(limit, windowUs, 0);
      case "sliding-counter" -> ScriptLimit.slidingCounter(limit, windowUs);
      case "sliding-log" -> ScriptLimit.slidingLog(limit, windowUs);
      default -> ScriptLimit.bucketRing(limit, windowUs, Integer.parseInt(row[4]));
    };
  }

  private void replay(String[] row, String what) throws Exception {
    final long[] given = new long[13];
    for (int i = 7; i < given.length; i++) {
      given[i] = Long.parseLong(row[i]);
    }
    call.clear();
    if (row[6].equals("refund")) {
      call.refund(given[8], given[11], given[10], limit(row), given[12]);
      final int done = at(given[7], call, "{p}" + row[0]).status(0);
      assertEquals(row[13], done == CheckReply.DONE ? "1" : "0", what);
      return;
    }
    call.lease(given[8], given[9], given[10], 1, limit(row));
    final CheckReply reply = at(given[7], call, "{p}" + row[0]);
    final long[] answers = {
      reply.granted(0),
      reply.kept(0),
      reply.lifeUs(0),
      reply.grantedMark(0, 0, 1),
      reply.keptMark(0, 0),
      reply.remaining(0),
      reply.resetAtUs(0),
      reply.retryAfterUs(0)
    };
    for (int i = 0; i < answers.length; i++) {
      assertEquals(row[13 + i], Long.toString(answers[i]), what);
    }
  }
}
