package dev.weir.proxy.rule.spec;

import org.agrona.DirectBuffer;

/** Receives the values of one header or query parameter, one after the other. */
public interface ValueSink {
  /**
   * Takes a value, decoded, valid during the call.
   *
   * @return whether this value is enough: no other follows.
   */
  boolean value(DirectBuffer bytes, int offset, int length);
}
