package dev.weir.proxy.log;

import java.nio.charset.StandardCharsets;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/** Writes {@link LogLine}s to standard error, each at once. Thread-safe. */
final class LineLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1;

  private final Level least;

  /**
   * @param least the least level that is written; others cost a comparison.
   */
  LineLogger(String name, Level least) {
    this.name = name;
    this.least = least;
  }

  private boolean writes(Level level) {
    return level.toInt() >= least.toInt();
  }

  @Override
  public boolean isTraceEnabled() {
    return writes(Level.TRACE);
  }

  @Override
  public boolean isDebugEnabled() {
    return writes(Level.DEBUG);
  }

  @Override
  public boolean isInfoEnabled() {
    return writes(Level.INFO);
  }

  @Override
  public boolean isWarnEnabled() {
    return writes(Level.WARN);
  }

  @Override
  public boolean isErrorEnabled() {
    return writes(Level.ERROR);
  }

  @Override
  protected String getFullyQualifiedCallerName() {
    // Lines do not say where they were written.
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
    String text = MessageFormatter.basicArrayFormat(message, arguments);
    String line = LogLine.of(System.currentTimeMillis(), level, name, text, thrown);
    byte[] bytes = line.getBytes(StandardCharsets.UTF_8);
    // One write, so that lines of several threads do not mix.
    System.err.write(bytes, 0, bytes.length);
    System.err.flush();
  }
}
