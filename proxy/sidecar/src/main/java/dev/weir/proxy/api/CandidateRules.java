package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.control.RuleSource;
import dev.weir.proxy.metrics.WhatIfReport;

/** The candidate that decides beside the rules in use. Any thread. */
public interface CandidateRules {
  /** How the candidate compares with the rules in use, so far. */
  WhatIfReport report();

  /** Reads a document that is a whole set of rules, as a candidate for this sidecar. */
  Reading compile(byte[] document);

  /**
   * Puts rules in the place of the file's candidate.
   *
   * @param rules as they were {@linkplain #compile compiled}.
   * @param permille the part of the identities that it is asked about; 0 for that of the settings.
   */
  void replace(RuleSource rules, int permille);

  /**
   * Returns to the candidate of the file.
   *
   * @return false if the file has none that can be used: then there is no other one.
   */
  boolean returnToFile();
}
