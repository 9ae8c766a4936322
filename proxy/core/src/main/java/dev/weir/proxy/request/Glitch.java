package dev.weir.proxy.request;

/**
 * A kind of behaviour that RFC 9113 allows, or that ends only a stream, and that can be abuse. Each
 * takes units from its connection's budget.
 */
public enum Glitch {
  /** Streams were reset faster than they ended well. */
  RAPID_RESET(50),

  /** A stream had to be reset because of an error of the peer. */
  STREAM_FAULT(10, true),

  /** A stream was refused above the number that the peer had acknowledged. */
  EXCESS_STREAM(1),

  /** A CONTINUATION without a byte. */
  EMPTY_CONTINUATION(20, true),

  /** A PING too soon after the last, with nothing sent between. */
  PING(20),

  /** SETTINGS after the first. */
  SETTINGS(5),

  /** SETTINGS of more than 32 entries; beside {@link #SETTINGS}. */
  LONG_SETTINGS(50),

  /** SETTINGS that change the window of every stream; beside {@link #SETTINGS}. */
  WINDOW_CHANGE(10),

  /** DATA without a byte that ends nothing. */
  EMPTY_DATA(5, true),

  /** DATA of one to four bytes that ends nothing. */
  TINY_DATA(1, true),

  /** PRIORITY, PRIORITY_UPDATE and unknown frames, more than normal. */
  IGNORED_FRAME(1),

  /** WINDOW_UPDATE, more than the content sent needs. */
  WINDOW_UPDATE(1);

  private final int units;
  private final boolean ofMessage;

  Glitch(int units) {
    this(units, false);
  }

  Glitch(int units, boolean ofMessage) {
    this.units = units;
    this.ofMessage = ofMessage;
  }

  /** Whether it is within a single message; otherwise it is beside messages. */
  public boolean isOfMessage() {
    return ofMessage;
  }

  /** The units that one of these takes. */
  public int units() {
    return units;
  }
}
