package dev.weir.proxy.api;

import java.util.List;
import java.util.concurrent.CompletionStage;

/** The limits and bans of users, as the running sidecar and its store have them. Any thread. */
public interface UserLimits {
  /**
   * Looks at a user's limits, and charges nothing.
   *
   * @return the limits of all rules that have this user's budgets, in the order of the rules.
   */
  CompletionStage<List<UserLimit>> look(String user);

  /**
   * Makes a user's budgets full again: those of this sidecar, and those in the store.
   *
   * @param limit the name of those of one limit; null for all.
   * @return why some could not be; null if all were.
   */
  CompletionStage<String> reset(String user, String limit);

  /**
   * Bans a user under all rules that can, on all sidecars that share a store; a ban that ends later
   * stays.
   *
   * @param forNs how long; 0 ends the user's bans.
   */
  CompletionStage<Void> ban(String user, long forNs);
}
