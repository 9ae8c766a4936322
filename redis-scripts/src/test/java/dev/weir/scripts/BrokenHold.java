package dev.weir.scripts;

import dev.weir.scripts.HoldSpec.Kind;

/** A rule of the script that is broken, by a change of its text: a search finds it. */
enum BrokenHold {
  LOOKS_AT_NO_HELD_UNITS(
      Kind.CONCURRENCY,
      "available(st, limit, now) - (of and of.sum or 0)",
      "available(st, limit, now)"),
  CHARGES_NOTHING_THAT_LAPSED(Kind.FIXED_WINDOW, "      lapse(st, limit.kind, of)\n", ""),
  CHARGES_WHAT_LAPSED_AS_OF_NOW(
      Kind.SLIDING_LOG, "kind.late(st, now, units, at)", "kind.late(st, now, units, now)"),
  SWEEPS_LATE(
      Kind.CONCURRENCY,
      "if of.earliest > now and of.earliest",
      "if of.earliest > now - 9 and of.earliest"),
  TAKES_AN_OLDER_MESSAGE(
      Kind.SLIDING_LOG, "check.sequence <= of.sequence", "check.sequence < of.sequence - 1"),
  TAKES_A_REPEATED_MESSAGE(
      Kind.CONCURRENCY, "check.sequence <= of.sequence", "check.sequence < of.sequence"),
  FORGETS_NOBODY(
      Kind.FIXED_WINDOW,
      "if not of.units and check.how[i] == 1 then return FORGOTTEN end",
      "of.charged = of.charged or 0"),
  ADDS_WHAT_IS_HELD(
      Kind.CONCURRENCY, "math.max(of.sum - before, 0) + check.units[i]", "of.sum + check.units[i]"),
  CHARGES_THE_TOTAL_AGAIN(
      Kind.BUCKET_RING, "math.max(check.charged[i] - charged, 0)", "check.charged[i]"),
  RELEASES_BEFORE_ITS_MESSAGE_IS_APPLIED_TO_ALL(
      Kind.CONCURRENCY, "is_applied = is_applied and told_of[i] == APPLIED", "is_applied = true"),
  HOLDS_NOTHING_OF_WHAT_IT_KEEPS(
      Kind.CONCURRENCY,
      "local taken = (granted + kept) * limit.cost",
      "local taken = granted * limit.cost"),
  A_RECORD_GOES_WITH_ITS_UNITS(
      Kind.SLIDING_LOG,
      "if of.expires <= now then of.units = nil end",
      "if of.expires <= now or of.units == 0 then of.units = nil end"),
  GRANTS_BY_THE_FIRST_LIMIT_ALONE(
      Kind.SLIDING_COUNTER,
      "for i = 1, check.count do\n    granted = math.min(granted, floor_div(math.max(free[i]",
      "for i = 1, 1 do\n    granted = math.min(granted, floor_div(math.max(free[i]"),
  PACED_FORGETS_WHEN_IT_WAS_PAID(
      Kind.PACED,
      "owed = st.past or st.tat and (st.tat - now) * st.a + st.ticks or (at - now) * st.a",
      "owed = (at - now) * st.a"),
  PACED_OWES_WHAT_LAPSED_FROM_NOW(
      Kind.PACED,
      "st.past = math.max(owed, (at - now) * st.a) + units * st.b",
      "st.past = math.max(owed, 0) + units * st.b"),
  PACED_OWES_NO_MORE_THAN_TWICE(
      Kind.PACED, "math.max(2 * c * st.b, st.debt + held * st.b)", "c * st.b"),
  COUNTER_LAPSES_INTO_THE_PRESENT(
      Kind.SLIDING_COUNTER, "  st[name] = st[name] + units\n", "  st.count = st.count + units\n"),
  RING_LAPSES_INTO_NOTHING(
      Kind.BUCKET_RING,
      "if units == 0 or leaves <= present then return false end",
      "if true then return false end"),
  CALENDAR_LAPSES_INTO_ANOTHER(
      Kind.CALENDAR, "if units == 0 or at < st.start or at >= st.over then", "if units == 0 then"),
  // Of plans that change.
  SEES_NOTHING_OF_ANOTHER_PLAN(
      Kind.PACED, HoldSearch.PLANS, "if units > 0 then\n", "if units > 0 and kind ~= of then\n"),
  A_SMALLER_PLAN_FORGETS_WHAT_IS_ABOVE_IT(
      Kind.FIXED_WINDOW,
      HoldSearch.PLANS,
      "function FIXED.available(st, limit, now) return",
      "function FIXED.available(st, limit, now) st.count = math.min(st.count, limit.a) return"),
  HOLDS_UNDER_EACH_PLAN_APART(
      Kind.CONCURRENCY,
      HoldSearch.PLANS,
      "local key = KEYS[check.held[i]]",
      "local key = KEYS[check.held[i]] .. check[i].a");

  private final Kind kind;
  private final int plans;
  private final String rule;
  private final String instead;

  BrokenHold(Kind kind, String rule, String instead) {
    this(kind, 1, rule, instead);
  }

  BrokenHold(Kind kind, int plans, String rule, String instead) {
    this.kind = kind;
    this.plans = plans;
    this.rule = rule;
    this.instead = instead;
  }

  Kind kind() {
    return kind;
  }

  /** How many plans there have to be for a search to find it. */
  int plans() {
    return plans;
  }

  /** The script with the rule broken. */
  String of(String script) {
    final String broken = script.replace(rule, instead);
    if (broken.equals(script)) {
      throw new AssertionError(this + ": the script has no such rule");
    }
    return broken;
  }
}
