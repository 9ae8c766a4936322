package dev.weir.proxy.control;

import dev.weir.proxy.admission.RuleDigest;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.List;

/**
 * Rules that were checked and can be compiled, and the lists that are asked before them.
 *
 * @param everywhere the limits of all requests; null if there are none.
 * @param users who the users are; null if nothing says it.
 * @param ignoreCase whether paths match whatever the case of their letters.
 */
public record RuleSource(
    List<RuleSpec> rules,
    RuleSpec everywhere,
    UsersSpec users,
    boolean ignoreCase,
    ListSettings lists) {
  public RuleSource {
    rules = List.copyOf(rules);
  }

  /** The most cells that a limit of these rules keeps for each key; 0 if none keeps any. */
  public int ringCells() {
    int most = everywhere == null ? 0 : everywhere.ringCells();
    for (RuleSpec rule : rules) {
      most = Math.max(most, rule.ringCells());
    }
    return most;
  }

  /** A digest of the rules and of the limits of all requests, the same on each sidecar. */
  public String digest(StoreNames names) {
    List<RuleSpec> all = new ArrayList<>(rules);
    if (everywhere != null) {
      all.add(everywhere);
    }
    return new RuleDigest(names).of(all);
  }

  /**
   * Compiles the rules; limits that did not change go on.
   *
   * @param previous the set in use; {@link RuleSet#EMPTY} at the start.
   */
  public RuleSet compile(RuleSet previous) {
    return RuleSet.compile(
        rules,
        everywhere,
        users,
        ignoreCase,
        previous,
        LoopClock.unixEpochNs(),
        LoopClock.timeNs());
  }
}
