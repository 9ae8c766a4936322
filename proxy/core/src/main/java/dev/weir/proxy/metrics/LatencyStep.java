package dev.weir.proxy.metrics;

import java.util.Optional;

/** The parts of a request's time that are measured. */
public enum LatencyStep {
  DECISION("From the question to a rule's verdict."),
  HAND("From the question to the verdict of a leased rule, without waiting for the store."),
  ASKED("From the question to the verdict of a leased rule, after waiting for the store."),
  STORE("From a batch's departure to the store's answer."),
  UPSTREAM("From the head's departure to the response's arrival."),
  OVERHEAD("What the proxy itself added, but for what it held on purpose."),
  TOTAL("From the head's arrival to the last byte's departure.");

  /** The figure by protocol; its labels are the protocol and the step. */
  static final String NAME_BY_PROTOCOL = "weir_protocol_latency_seconds";

  static final String HELP_BY_PROTOCOL =
      "Time per step of an exchange with the service, by protocol of the request, since the start.";

  /** The figure's name; its label is the step. */
  static final String NAME = "weir_latency_seconds";

  static final String HELP = "Time per step of a request, since the start.";

  private final String meaning;

  LatencyStep(String meaning) {
    this.meaning = meaning;
  }

  /** From when to when, as a sentence. */
  public String meaning() {
    return meaning;
  }

  /** Whether its times are told apart by the request's protocol. */
  public boolean isByProtocol() {
    return this == UPSTREAM || this == OVERHEAD || this == TOTAL;
  }

  /** The name on pages and in labels. */
  public String label() {
    return LabelText.of(this);
  }

  public static Optional<LatencyStep> parse(String label) {
    for (LatencyStep step : values()) {
      if (step.label().equals(label)) {
        return Optional.of(step);
      }
    }
    return Optional.empty();
  }
}
