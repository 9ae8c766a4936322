package dev.weir.proxy.downstream.answer;

import static dev.weir.proxy.request.TextWriter.ascii;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.request.Verdict.State;

/**
 * The field {@code X-RateLimit-State} of answers under a rule with {@code warn-at}: NORMAL, WARNING
 * or THROTTLED.
 */
public enum StateField {
  NORMAL,
  WARNING,
  THROTTLED;

  /** The name in lower case. */
  public static final String NAME = "x-ratelimit-state";

  /** The most bytes of a field in any notation. */
  static final int MAX_BYTES = 40;

  private static final StateField[] BY_STATE = new StateField[State.values().length];

  static {
    for (State state : State.values()) {
      BY_STATE[state.ordinal()] = valueOf(state.name());
    }
  }

  private final byte[] value = ascii(name());
  private final byte[] line = ascii("X-RateLimit-State: " + name() + "\r\n");
  private final byte[] block = new HpackEncoder().add(NAME, name()).bytes();

  public static StateField of(State state) {
    return BY_STATE[state.ordinal()];
  }

  public byte[] value() {
    return value;
  }

  /** The field's line in HTTP/1.1. */
  byte[] line() {
    return line;
  }

  /** The field's block in HTTP/2. */
  byte[] block() {
    return block;
  }
}
