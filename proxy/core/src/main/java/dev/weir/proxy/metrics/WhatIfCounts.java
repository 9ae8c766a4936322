package dev.weir.proxy.metrics;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.agrona.DirectBuffer;

/**
 * How requests of one event loop were decided by the rules in use and by a candidate, by rule, and
 * the identities about which the two differ most. Written by that event loop only, read by any
 * thread; bounded, whatever clients send.
 */
public final class WhatIfCounts {
  /** Pairs of rules that are told apart; requests of all others count together. */
  static final int MAX_ROWS = 1_024;

  /** Stands for both rules of the pairs beyond {@link #MAX_ROWS}. */
  static final String OTHERS = "(others)";

  private static final int UNCOMPARED = Outcome.values().length;

  /** The pair of decisions on one request. */
  public enum Outcome {
    BOTH_PASS,
    BOTH_REFUSE,

    /** The rules in use refuse it, and the candidate would not. */
    ONLY_NOW,

    /** The rules in use let it pass, and the candidate would not. */
    ONLY_THEN;

    static Outcome of(boolean passesNow, boolean passesThen) {
      if (passesNow == passesThen) {
        return passesNow ? BOTH_PASS : BOTH_REFUSE;
      }
      return passesNow ? ONLY_THEN : ONLY_NOW;
    }

    /** The label's value. */
    public String label() {
      return LabelText.of(this);
    }
  }

  /** Requests of one rule in use and one of the candidate; either is null if none applied. */
  static final class Row {
    final String now;
    final String then;
    private final Counters counters = new Counters(Outcome.values().length);

    Row(String now, String then) {
      this.now = now;
      this.then = then;
    }

    long count(Outcome outcome) {
      return counters.getAcquire(outcome.ordinal());
    }
  }

  private final Counters totals;
  private final Map<String, Map<String, Row>> rows = new HashMap<>();
  private final Row others = new Row(OTHERS, OTHERS);
  private final DifferingIdentities identities = new DifferingIdentities();
  private volatile Row[] all = {others};

  /** Counts of an event loop that has compared nothing yet. */
  public WhatIfCounts() {
    this(new Counters(Outcome.values().length + 1));
  }

  private WhatIfCounts(Counters totals) {
    this.totals = totals;
  }

  /** New counts of the same event loop, which takes its totals along. */
  public WhatIfCounts anew() {
    return new WhatIfCounts(totals);
  }

  /**
   * Counts a request.
   *
   * @param now the rule in use, null for none; {@code then} is the candidate's.
   * @param text of the identity, and {@code identity} its hash; used only if the decisions differ.
   * @param length 0 if it has none.
   */
  public void add(
      String now,
      boolean passesNow,
      String then,
      boolean passesThen,
      long identity,
      DirectBuffer text,
      int length) {
    Outcome outcome = Outcome.of(passesNow, passesThen);
    Row row = row(now, then);
    row.counters.increment(outcome.ordinal());
    totals.increment(outcome.ordinal());
    if (passesNow != passesThen) {
      identities.add(row, passesThen, identity, text, length);
    }
  }

  /** Counts a request that was to be compared and could not be. */
  public void uncompared() {
    totals.increment(UNCOMPARED);
  }

  private Row row(String now, String then) {
    Map<String, Row> ofNow = rows.get(now);
    Row known = ofNow == null ? null : ofNow.get(then);
    return known == null ? makeRow(now, then) : known;
  }

  private Row makeRow(String now, String then) {
    Row[] before = all;
    if (before.length > MAX_ROWS) {
      return others;
    }
    Row made = new Row(now, then);
    rows.computeIfAbsent(now, rule -> new HashMap<>()).put(then, made);
    Row[] more = Arrays.copyOf(before, before.length + 1);
    more[before.length] = made;
    all = more;
    return made;
  }

  /** The rows, in the order in which they came; the first is that of all others. */
  Row[] rows() {
    return all;
  }

  /** Reads the identities that differ most, in no order. */
  void identities(Consumer<DifferingIdentities.Found> to) {
    identities.read(to);
  }

  /** The number of requests that had an outcome, since the event loop began to compare. */
  public long total(Outcome outcome) {
    return totals.getAcquire(outcome.ordinal());
  }

  /** The number of requests that could not be compared, since the event loop began to compare. */
  public long uncomparedTotal() {
    return totals.getAcquire(UNCOMPARED);
  }
}
