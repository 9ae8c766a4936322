package dev.weir.bench.torture.judge;

import java.util.List;

/** The word for an episode. */
public enum Verdict {
  OK("ok"),
  /** Nothing was found, and the machine was too busy for most of what would have shown it. */
  NOT_JUDGED("not judged"),
  FOUND("FOUND");

  private final String text;

  Verdict(String text) {
    this.text = text;
  }

  /** The verdict by what the judges found. */
  public static Verdict of(Evidence evidence, List<Finding> findings) {
    if (!findings.isEmpty()) {
      return FOUND;
    }
    return 2 * evidence.undisturbed() < evidence.asked().size() ? NOT_JUDGED : OK;
  }

  @Override
  public String toString() {
    return text;
  }
}
