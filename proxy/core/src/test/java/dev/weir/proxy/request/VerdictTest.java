package dev.weir.proxy.request;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class VerdictTest {
  private static final QuotaPolicy THOUSANDTHS = new QuotaPolicy("r", 1, 3600, 1000);

  private final Verdict verdict = new Verdict();

  @Test
  void theStateOfALimitWithDecimalsIsThatOfItsThousandths() {
    assertEquals(Verdict.State.NORMAL, verdict.allow(THOUSANDTHS, 1900, 900, 0).state(990));
    assertEquals(Verdict.State.NORMAL, verdict.allow(THOUSANDTHS, 1900, 400, 0).state());
    assertEquals(Verdict.State.WARNING, verdict.allow(THOUSANDTHS, 1900, 380, 0).state());
    assertEquals(Verdict.State.THROTTLED, verdict.allow(THOUSANDTHS, 1900, 0, 0).state());
  }

  @Test
  void aRowHasTheStateOfItsUnitsToo() {
    verdict.allow(THOUSANDTHS, 1900, 900, 0).row(0, true, THOUSANDTHS, 1900, 900, 0, 0);
    assertEquals(Verdict.State.NORMAL, verdict.row(0).state());
    verdict.row(0, true, THOUSANDTHS, 1900, 380, 0, 0);
    assertEquals(Verdict.State.WARNING, verdict.row(0).state());
    verdict.row(0, true, THOUSANDTHS, 1900, 0, 0, 0);
    assertEquals(Verdict.State.THROTTLED, verdict.row(0).state());
  }
}
