package dev.weir.proxy.admission;

import dev.weir.proxy.rule.Plans;

/** What is known of users, for all event loops together. Any thread. */
public final class Users {
  private final Plans plans = new Plans();

  /** All plans. */
  Plans plans() {
    return plans;
  }
}
