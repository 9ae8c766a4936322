package dev.weir.proxy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What is logged from its making to its end, each line as its level and its message. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final Logger root = (Logger) LoggerFactory.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);

  public LogLines() {
    setContext(root.getLoggerContext());
    start();
    root.addAppender(this);
  }

  @Override
  protected void append(ILoggingEvent event) {
    lines.add(event.getLevel() + " " + event.getFormattedMessage());
  }

  /** The lines that contain all of these texts. */
  public List<String> with(String... texts) {
    return lines.stream().filter(line -> List.of(texts).stream().allMatch(line::contains)).toList();
  }

  @Override
  public void close() {
    root.detachAppender(this);
  }

  @Override
  public String toString() {
    return String.join("\n", lines);
  }
}
