package dev.weir.proxy.rule;

/**
 * Keeps this node's share of each limit: the limit divided by the sidecars of the fleet. Shares are
 * computed when the rules or the number of sidecars change, by the thread that reports the change,
 * and never for a request, as one may take as long as thousands of decisions. Any thread.
 */
public final class Shares {
  private RuleSet rules = RuleSet.EMPTY;
  private int nodeCount = 1;
  private int rank;

  /**
   * Computes the shares of rules that are not in use yet, and keeps them up to date from now on.
   */
  public synchronized void follow(RuleSet newRules) {
    newRules.divide(nodeCount, rank);
    rules = newRules;
  }

  /**
   * Computes the shares again.
   *
   * @param count number of sidecars, 1 or more.
   * @param place of this one among them, from 0: if a limit is smaller than their number, the last
   *     ones have no share of it.
   */
  public synchronized void divideBy(int count, int place) {
    if (count != nodeCount || place != rank) {
      nodeCount = count;
      rank = place;
      rules.divide(count, place);
    }
  }
}
