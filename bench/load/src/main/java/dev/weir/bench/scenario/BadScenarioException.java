package dev.weir.bench.scenario;

import java.util.List;

/** A scenario that cannot be run, with everything that is wrong with it. */
public final class BadScenarioException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * @param faults each with where it is, what was found and what was expected.
   */
  BadScenarioException(List<String> faults) {
    super(String.join(System.lineSeparator(), faults));
  }
}
