package dev.weir.bench.torture.plan;

/**
 * The cost of a rule.
 *
 * @param units that a request takes which says nothing.
 * @param most the most that a request may say in its field; 0 if it has no say.
 */
public record CostPlan(int units, int most) {
  /** The field by which a trusted client says the cost. */
  public static final String FIELD = "x-cost";

  static CostPlan of(int units) {
    return new CostPlan(units, 0);
  }

  /**
   * The units that a request takes.
   *
   * @param told what it says itself; 0 for nothing, or if nobody trusts it.
   */
  public int unitsOf(int told) {
    return told == 0 || most == 0 ? units : Math.min(told, most);
  }

  /** The most units that a request may take. */
  public int highest() {
    return Math.max(units, most);
  }

  String yaml() {
    return most == 0
        ? Integer.toString(units)
        : "{header: %s, max: %d, default: %d}".formatted(FIELD, most, units);
  }
}
