package dev.weir.proxy.rule;

/**
 * A rule at its place among the rules of one host and path.
 *
 * @param place from 0; the lowest whose conditions a request fulfils wins.
 */
record PlacedRule(Rule rule, int place) {
  /**
   * The first rule that a request fulfils, if it stands before another one.
   *
   * @param rules by their places.
   * @param best that other one, which is returned if there is none before it; may be null.
   */
  static PlacedRule first(PlacedRule[] rules, MatchedRequest request, PlacedRule best) {
    for (PlacedRule placed : rules) {
      if (best != null && placed.place >= best.place) {
        return best;
      }
      if (placed.rule.holds(request)) {
        return placed;
      }
    }
    return best;
  }
}
