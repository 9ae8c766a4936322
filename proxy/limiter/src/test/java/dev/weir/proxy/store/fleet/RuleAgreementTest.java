package dev.weir.proxy.store.fleet;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class RuleAgreementTest {
  private final RuleAgreement agreement = new RuleAgreement();

  @Test
  void tellsOnceOfADifferenceThatLasts() {
    long fromNs = Long.MAX_VALUE - 1; // the clock may wrap
    assertFalse(agreement.counted(1, fromNs - 1));
    assertFalse(agreement.counted(2, fromNs));
    assertFalse(agreement.counted(3, fromNs + RuleAgreement.LASTS_NS - 1));
    assertTrue(agreement.counted(2, fromNs + RuleAgreement.LASTS_NS));
    assertFalse(agreement.counted(2, fromNs + 9 * RuleAgreement.LASTS_NS));
  }

  @Test
  void takesADifferenceThatEndsForARollout() {
    assertFalse(agreement.counted(2, 0));
    assertFalse(agreement.counted(1, RuleAgreement.LASTS_NS - 1));
    assertFalse(agreement.counted(2, RuleAgreement.LASTS_NS));
    assertFalse(agreement.counted(0, 2 * RuleAgreement.LASTS_NS));
    assertFalse(agreement.counted(2, 3 * RuleAgreement.LASTS_NS));
    assertTrue(agreement.counted(2, 4 * RuleAgreement.LASTS_NS));
  }
}
