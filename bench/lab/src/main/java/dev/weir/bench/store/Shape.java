package dev.weir.bench.store;

/**
 * How a closed loop sends.
 *
 * @param commandsPerWrite sent at once.
 * @param writesInFlight per connection: so many are sent before the first is answered.
 * @param steps writes of one decision, each sent when the one before is answered; more than 1 only
 *     with one write in flight.
 */
record Shape(int connections, int commandsPerWrite, int writesInFlight, int steps) {
  /** One command at a time on each of 16 connections. */
  static final Shape UNPIPELINED = new Shape(16, 1, 1, 1);

  /** On one connection, two pipelines under way: the server finds the next when one is answered. */
  static Shape pipelined(int commands) {
    return new Shape(1, commands, 2, 1);
  }

  /** One connection, one command per write. */
  static Shape inFlight(int commands) {
    return new Shape(1, 1, commands, 1);
  }
}
