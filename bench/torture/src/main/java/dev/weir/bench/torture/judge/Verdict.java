package dev.weir.bench.torture.judge;

import java.util.List;

/** The word for an episode. */
public enum Verdict {
  OK("ok"),
  /**
   * No judge found anything, and the machine was too busy for most of what would have shown it: a
   * process may then take minutes to start.
   */
  NOT_JUDGED("not judged"),
  FOUND("FOUND");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /** The verdict by what the judges found. */
  public static Verdict of(Evidence evidence, List<Finding> findings) {
    final boolean isDisturbed = evidence.isMostlyDisturbed();
    if (findings.stream().anyMatch(each -> !isDisturbed || !each.judge().equals(Finding.LATE))) {
      return FOUND;
    }
    return isDisturbed ? NOT_JUDGED : OK;
  }

  @Override
  public String toString() {
    return text;
  }
}
