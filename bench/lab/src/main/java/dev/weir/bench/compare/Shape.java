package dev.weir.bench.compare;

import dev.weir.bench.scenario.Protocol;
import dev.weir.proxy.rule.spec.BadValueException;

/**
 * How many requests there are at once, and over how many connections.
 *
 * @param streams on each connection of HTTP/2, at most; of HTTP/1.1 there is one.
 */
record Shape(int inFlight, int streams) implements Comparable<Shape> {
  static final int MOST_CONNECTIONS = 256;

  /** Streams that every contender takes on a connection. */
  static final int MOST_STREAMS = 100;

  private static final int USUAL_STREAMS = 16;
  private static final String EXPECTED =
      "from 1 to " + MOST_CONNECTIONS + ", or CONNECTIONSxSTREAMS with at most " + MOST_STREAMS;

  /**
   * Reads {@code 64}, requests at once, or {@code 4x16}.
   *
   * @throws BadValueException for anything else.
   */
  static Shape parse(String text) {
    if (!text.matches("[0-9]{1,3}(x[0-9]{1,3})?")) {
      throw new BadValueException(text, EXPECTED);
    }
    final String[] parts = text.split("x");
    final int connections = Integer.parseInt(parts[0]);
    final int streams = parts.length == 1 ? USUAL_STREAMS : Integer.parseInt(parts[1]);
    if (connections < 1
        || connections > MOST_CONNECTIONS
        || streams < 1
        || streams > MOST_STREAMS) {
      throw new BadValueException(text, EXPECTED);
    }
    return new Shape(parts.length == 1 ? connections : connections * streams, streams);
  }

  int connections(Protocol protocol) {
    return protocol == Protocol.HTTP1 ? inFlight : parts(inFlight, streams);
  }

  /** On each connection; of HTTP/1.1 one. */
  int streams(Protocol protocol) {
    return parts(inFlight, connections(protocol));
  }

  private static int parts(int whole, int part) {
    return (whole + part - 1) / part;
  }

  /** The shape as it is over a protocol: 64, or 4x16. */
  String text(Protocol protocol) {
    return protocol == Protocol.HTTP1
        ? Integer.toString(inFlight)
        : connections(protocol) + "x" + streams(protocol);
  }

  @Override
  public int compareTo(Shape other) {
    return inFlight != other.inFlight
        ? Integer.compare(inFlight, other.inFlight)
        : Integer.compare(streams, other.streams);
  }
}
