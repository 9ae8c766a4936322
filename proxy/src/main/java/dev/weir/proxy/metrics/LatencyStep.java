package dev.weir.proxy.metrics;

import java.util.Optional;

/** The parts of a request's time that are measured. */
public enum LatencyStep {
  /** From the question to a rule's verdict. */
  DECISION,
  /** From a batch's departure to the store's answer. */
  STORE,
  /** From the head's departure to the response's arrival. */
  UPSTREAM,
  /** What the proxy itself added, but for what it held on purpose. */
  OVERHEAD,
  /** From the head's arrival to the last byte's departure. */
  TOTAL;

  /** The name on pages and in labels. */
  public String label() {
    return LabelText.of(this);
  }

  /** The step of that label. */
  public static Optional<LatencyStep> parse(String label) {
    for (LatencyStep step : values()) {
      if (step.label().equals(label)) {
        return Optional.of(step);
      }
    }
    return Optional.empty();
  }
}
