package dev.weir.proxy.virtual;

/** What happens in an episode, a line each; kept only where somebody will read it. */
final class Log {
  private final StringBuilder lines;
  private String last = "";
  private int times;

  Log(boolean isKept) {
    lines = isKept ? new StringBuilder() : null;
  }

  /** Whether lines are kept. */
  boolean isKept() {
    return lines != null;
  }

  void say(String format, Object... values) {
    if (lines == null) {
      return;
    }
    String line = String.format(format, values);
    if (line.equals(last)) {
      times++;
    } else {
      end();
      last = line;
      times = 1;
    }
  }

  private void end() {
    if (times > 0) {
      lines.append("  ").append(last).append(times > 1 ? " (" + times + " times)\n" : "\n");
      times = 0;
    }
  }

  @Override
  public String toString() {
    if (lines == null) {
      return "";
    }
    end();
    return lines.toString();
  }
}
