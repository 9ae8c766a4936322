package dev.weir.proxy.rule;

/**
 * Keeps this node's share of each limit right: the limit divided by the nodes of the fleet. Shares
 * are made when the rules or the number of nodes changes, by the thread that says so, and never
 * when a request asks: to work out one may take as long as thousands of decisions. Any thread.
 */
public final class Shares {
  private RuleSet rules = RuleSet.EMPTY;
  private int nodeCount = 1;
  private int rank;

  /** Makes the shares of rules that are not in use yet; they are kept right from now on. */
  public synchronized void follow(RuleSet newRules) {
    newRules.divide(nodeCount, rank);
    rules = newRules;
  }

  /**
   * Makes the shares anew.
   *
   * @param count how many nodes there are, 1 or more.
   * @param place of this one among them, from 0: where a limit is smaller than their number, the
   *     last ones have no share of it.
   */
  public synchronized void divideBy(int count, int place) {
    if (count != nodeCount || place != rank) {
      nodeCount = count;
      rank = place;
      rules.divide(count, place);
    }
  }
}
