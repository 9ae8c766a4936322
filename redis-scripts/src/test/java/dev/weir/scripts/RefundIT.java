package dev.weir.scripts;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** Refunds of the script: at most what the charge still occupies. */
class RefundIT extends ScriptServer {
  private static final long SECOND_US = 1_000_000;
  private static final long NOW = 1_700_000_000_000_000L;

  private final CheckCall call = new CheckCall(4);

  private long grant(long wanted, ScriptLimit limit, long nowUs) throws IOException {
    call.clear().check(wanted, 1, limit);
    return at(nowUs, call, "{p}").granted(0);
  }

  private int refund(long units, long chargedAtUs, ScriptLimit limit, long nowUs)
      throws IOException {
    call.clear().refund(units, chargedAtUs, limit);
    return at(nowUs, call, "{p}").status(0);
  }

  @Test
  void givesBackOnlyWhatTimeHasNotGivenBackAlready() throws Exception {
    final ScriptLimit limit = ScriptLimit.paced(100, 1_000, SECOND_US);
    final long laterUs = NOW + 50_000;
    assertEquals(100, grant(100, limit, NOW));
    assertEquals(50, grant(100, limit, laterUs));
    assertEquals(CheckReply.DONE, refund(100, NOW, limit, laterUs));
    assertEquals(50, grant(100, limit, laterUs));
    assertEquals(CheckReply.DONE, refund(50, laterUs, limit, laterUs));
    assertEquals(CheckReply.NOTHING, refund(50, laterUs, limit, laterUs + 50_000));
  }

  @Test
  void givesTheRestOfAUnitBackThatHasDrainedInPart() throws Exception {
    // Three in seven microseconds: a unit takes a third of seven.
    final ScriptLimit limit = ScriptLimit.paced(6, 3, 7);
    assertEquals(6, grant(9, limit, NOW));
    assertEquals(0, grant(1, limit, NOW + 2));
    assertEquals(CheckReply.DONE, refund(6, NOW, limit, NOW + 13));
    assertEquals(6, grant(9, limit, NOW + 13));
    assertEquals(CheckReply.NOTHING, refund(6, NOW + 13, limit, NOW + 27));
  }

  @Test
  void aQueueTakesNothingBackAsOthersHaveBeenToldTheirSlots() throws Exception {
    final ScriptLimit limit = ScriptLimit.queue(10, 10, SECOND_US, SECOND_US);
    assertEquals(2, grant(2, limit, NOW));
    assertEquals(CheckReply.NOTHING, refund(1, NOW, limit, NOW));
    call.clear().check(1, 1, limit);
    assertEquals(2 * SECOND_US / 10, at(NOW, call, "{p}").waitUs(0));
  }

  @Test
  void takesNothingOffTheStateThatAnotherLimitLeft() throws Exception {
    final ScriptLimit before = ScriptLimit.paced(100, 1_000, SECOND_US);
    final ScriptLimit after = ScriptLimit.fixedWindow(100, SECOND_US, 0);
    assertEquals(100, grant(100, before, NOW));
    assertEquals(50, grant(50, before, NOW + 50_000));
    assertEquals(CheckReply.NOTHING, refund(100, NOW, after, NOW + 50_000));
    assertEquals(0, grant(1, after, NOW + 50_000));
  }
}
