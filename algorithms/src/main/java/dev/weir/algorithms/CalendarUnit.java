package dev.weir.algorithms;

/** The windows of a calendar (ISO 8601). */
public enum CalendarUnit {
  /** Sixty seconds, counted from the Unix epoch: zones differ by whole minutes. */
  MINUTE,
  /** Sixty minutes, counted from where the day starts; the last one of a day may be shorter. */
  HOUR,
  /** From midnight, or where the zone skips it, from the first moment of the day. */
  DAY,
  /** From Monday. */
  WEEK,
  /** From the first. */
  MONTH
}
