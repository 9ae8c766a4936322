package dev.weir.proxy.log;

import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/** The provider of loggers that SLF4J finds by {@code META-INF/services}. Thread-safe. */
public final class LogProvider implements SLF4JServiceProvider {
  private final ConcurrentHashMap<String, LineLogger> loggers = new ConcurrentHashMap<>();
  private final ILoggerFactory factory = this::logger;
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new NOPMDCAdapter();

  private LineLogger logger(String name) {
    LineLogger known = loggers.get(name);
    return known != null ? known : loggers.computeIfAbsent(name, LogProvider::make);
  }

  private static LineLogger make(String name) {
    return new LineLogger(name, least(name));
  }

  /** The least level of which a logger writes lines. */
  static Level least(String logger) {
    if (logger.startsWith("io.netty.")) {
      return Level.WARN;
    }
    // What goes wrong with a connection is told once, by who opened it.
    return logger.startsWith("io.lettuce.") ? Level.ERROR : Level.INFO;
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return factory;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {
    // Nothing is read, so nothing can be wrong.
  }
}
