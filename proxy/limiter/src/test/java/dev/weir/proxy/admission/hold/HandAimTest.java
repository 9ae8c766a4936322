package dev.weir.proxy.admission.hold;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.algorithms.lease.LeaseTerms;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HandAimTest {
  private static final long MS = 1_000_000;
  private static final LeaseTerms TERMS = new LeaseTerms(2_000 * MS, false);
  private static final long QUARTER_NS = 500 * MS;

  private final HandAim aim = new HandAim();
  private long nowNs = 1_000_000 * MS;

  @BeforeEach
  void begin() {
    aim.begin(TERMS);
  }

  /** Requests arrive, a millisecond apart, for long: half of a life's are some 1,000. */
  private void demand() {
    for (int i = 0; i < 60_000; i++) {
      nowNs += MS;
      aim.arrived(nowNs);
    }
  }

  private void runsOut() {
    nowNs += MS;
    aim.ranOut(nowNs);
  }

  @Test
  void nothingIsKeptWithoutDemandOrTerms() {
    runsOut();
    assertFalse(aim.isOn());
    aim.use(null);
    demand();
    runsOut();
    aim.pause(nowNs);
    assertFalse(aim.isOn());
    assertEquals(0, aim.keep(0, nowNs));
  }

  @Test
  void doublesEachTimeThatTheHandRunsOutSoonUpToHalfOfALifesDemand() {
    demand();
    for (int requests = 2; requests <= 512; requests *= 2) {
      runsOut();
      assertEquals(requests, aim.requests());
    }
    runsOut();
    runsOut();
    assertTrue(aim.requests() > 900 && aim.requests() <= 1_000, "" + aim.requests());
  }

  @Test
  void staysIfTheHandLastsForAQuarterOfALife() {
    demand();
    runsOut();
    nowNs += QUARTER_NS - MS;
    runsOut();
    assertEquals(2, aim.requests());
    nowNs += QUARTER_NS - 2 * MS;
    runsOut();
    assertEquals(4, aim.requests());
  }

  @Test
  void asksForWhatIsMissing() {
    demand();
    runsOut();
    runsOut();
    assertEquals(4, aim.keep(0, nowNs));
    assertEquals(1, aim.keep(3, nowNs));
    assertEquals(0, aim.keep(9, nowNs));
  }

  @Test
  void fallsByHalfOfWhatNobodyNeededInAQuarterOfALife() {
    demand();
    for (int i = 0; i < 6; i++) {
      runsOut();
    }
    assertFalse(aim.isLookDue(nowNs));
    nowNs += QUARTER_NS;
    assertTrue(aim.isLookDue(nowNs));
    aim.look(20, nowNs);
    assertEquals(54, aim.requests());
    assertFalse(aim.isLookDue(nowNs));
    aim.arrived(nowNs);
    aim.look(200, nowNs);
    assertEquals(1, aim.requests(), "as long as requests arrive");
    aim.look(0, nowNs);
    assertFalse(aim.isOn(), "none has arrived");
  }

  @Test
  void endsWithTheDemand() {
    demand();
    runsOut();
    nowNs += 60_000 * MS;
    aim.look(0, nowNs);
    assertFalse(aim.isOn());
  }

  @Test
  void fallsToWhatThereIsIfTheStoreHasLessThanHalf() {
    demand();
    for (int i = 0; i < 5; i++) {
      runsOut();
    }
    aim.answered(32, 16, 20, nowNs);
    assertEquals(32, aim.requests(), "half");
    aim.answered(32, 15, 20, nowNs);
    assertEquals(20, aim.requests());
    assertFalse(aim.mayAskAhead(nowNs));
    assertEquals(0, aim.keep(0, nowNs));
    runsOut();
    assertEquals(20, aim.requests());
    nowNs += QUARTER_NS;
    assertTrue(aim.mayAskAhead(nowNs));
    runsOut();
    assertEquals(20, aim.requests(), "the hand has lasted");
    aim.answered(20, 0, 3, nowNs);
    assertFalse(aim.isOn(), "others wait for the last units");
  }

  @Test
  void beginsAnewUnderOtherTerms() {
    demand();
    runsOut();
    aim.use(TERMS);
    assertTrue(aim.isOn());
    aim.use(new LeaseTerms(1_000 * MS, false));
    assertFalse(aim.isOn());
  }
}
