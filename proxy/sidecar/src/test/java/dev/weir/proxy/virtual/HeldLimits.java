package dev.weir.proxy.virtual;

import java.util.List;

/**
 * Limits whose units requests hold until they end: one by {@link DrawnRule#FIELDS}' first, whose
 * cost the response tells, and at times slots by the second.
 *
 * @param told how a response tells its cost.
 * @param algorithm of the limit with a cost.
 * @param units that it has in a year.
 * @param reserve units that a request holds.
 * @param missing units that a response costs which tells nothing.
 * @param slots requests of a group at a time; 0 for no such limit.
 */
record HeldLimits(Told told, String algorithm, int units, int reserve, int missing, int slots) {
  /** The field of a response's head that tells its cost. */
  static final String HEADER = "x-spent";

  /** The field of a trailer section that tells the cost of its response. */
  static final String TRAILER = "x-cost";

  /** The bytes of content that cost a unit, where they tell the cost. */
  static final int UNIT_BYTES = 1_024;

  /** The status of all responses of the service. */
  private static final int STATUS = 200;

  private static final String[] ALGORITHMS = {"fixed-window", "token-bucket", "gcra"};

  /** How a response tells its cost. */
  enum Told {
    HEADER,
    TRAILER,
    BYTES,
    STATUS
  }

  /** Draws limits. */
  static HeldLimits draw(Choices choices) {
    Told told = Told.values()[choices.below(Told.values().length)];
    String algorithm = ALGORITHMS[choices.below(ALGORITHMS.length)];
    int units = choices.of(1_000, 10, 20, 40);
    int slots = choices.of(0, 1, 2, 3);
    return told == Told.STATUS
        ? new HeldLimits(told, algorithm, units, 1, 1, slots)
        : new HeldLimits(told, algorithm, units, choices.of(1, 4, 9), choices.of(0, 3, 6), slots);
  }

  /** The fields by which the limits know their clients. */
  List<String> fields() {
    return DrawnRule.FIELDS.subList(0, slots == 0 ? 1 : 2);
  }

  /**
   * The cost that a whole response tells; negative if it tells none.
   *
   * @param costs the values of each of both fields.
   * @param hasTrailers whether the response has a trailer section.
   * @param contentBytes of the response.
   */
  long cost(List<String> costs, boolean hasTrailers, int contentBytes) {
    return switch (told) {
      case HEADER -> number(costs);
      case TRAILER -> hasTrailers ? number(costs) : -1;
      case BYTES -> units(contentBytes);
      case STATUS -> 1;
    };
  }

  private static long number(List<String> values) {
    return values.size() == 1 && values.get(0).matches("\\d+") ? Long.parseLong(values.get(0)) : -1;
  }

  /** One unit for each begun piece of content. */
  static long units(int contentBytes) {
    return (contentBytes + UNIT_BYTES - 1) / UNIT_BYTES;
  }

  /** The limits of a rule, in the order of its quotas. */
  String yaml() {
    String response =
        switch (told) {
          case HEADER -> "header: " + HEADER;
          case TRAILER -> "trailer: " + TRAILER;
          case BYTES -> "bytes: 1KiB";
          case STATUS -> "status: [" + STATUS + ']';
        };
    String atEnd =
        told == Told.STATUS
            ? "{response: {" + response + "}}"
            : "{response: {" + response + "}, reserve: " + reserve + ", missing: " + missing + '}';
    String slotted =
        slots == 0
            ? ""
            : "      - {name: slots, concurrency: " + slots + ", key: 'header:x-group'}\n";
    return "    limits:\n      - {name: units, limit: "
        + units
        + "/365d, algorithm: "
        + algorithm
        + ", key: 'header:x-user', cost: "
        + atEnd
        + "}\n"
        + slotted;
  }
}
