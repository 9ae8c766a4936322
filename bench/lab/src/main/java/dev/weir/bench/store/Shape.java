package dev.weir.bench.store;

/**
 * How a closed loop sends.
 *
 * @param commandsPerWrite sent at once.
 * @param writesInFlight per connection: so many are sent before the first is answered.
 */
record Shape(int connections, int commandsPerWrite, int writesInFlight) {
  /** One command at a time on each of 16 connections. */
  static final Shape UNPIPELINED = new Shape(16, 1, 1);

  /** On one connection, two pipelines under way: the server finds the next when one is answered. */
  static Shape pipelined(int commands) {
    return new Shape(1, commands, 2);
  }

  /** One connection, one command per write. */
  static Shape inFlight(int commands) {
    return new Shape(1, 1, commands);
  }
}
