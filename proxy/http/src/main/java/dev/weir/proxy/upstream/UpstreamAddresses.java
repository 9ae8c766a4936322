package dev.weir.proxy.upstream;

import dev.weir.proxy.loop.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.security.Security;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses of the service. A name is resolved at start, then every {@value #PERIOD_S} s, and
 * soon after none of its addresses could be connected to; always on a thread of its own, as
 * resolving blocks. If a name does not resolve any more, its last addresses stay.
 */
public final class UpstreamAddresses implements AutoCloseable {
  /** Resolves names to addresses. */
  interface Resolver {
    InetAddress[] resolve(String host) throws UnknownHostException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(UpstreamAddresses.class);

  private static final int PERIOD_S = 30;

  /** The time from a failed connection to resolving again, and so the least time between two. */
  private static final long AFTER_FAILURE_MS = 1_000;

  /** The JVM's property for how long it caches answers; 30 s by default. */
  private static final String JVM_CACHE_S = "networkaddress.cache.ttl";

  /** The most addresses that are tried for one request. */
  private static final int MAX_COUNT = 8;

  private final InetSocketAddress name;
  private final Resolver resolver;
  private final AtomicBoolean lookUpDue = new AtomicBoolean();

  /** Null if there is no name to resolve. */
  private final ScheduledExecutorService thread;

  private final ServiceIncidents incidents;
  private volatile SocketAddress[] current;
  private volatile boolean resolves = true;

  /**
   * Finds the addresses of the service.
   *
   * @param address in the settings, not resolved.
   * @throws IOException if there are none.
   */
  public UpstreamAddresses(SocketAddress address, Transport transport) throws IOException {
    this(address, transport, InetAddress::getAllByName);
  }

  UpstreamAddresses(SocketAddress address, Transport transport, Resolver resolver)
      throws IOException {
    this.resolver = resolver;
    incidents = new ServiceIncidents(address);
    if (!(address instanceof InetSocketAddress inet) || !inet.isUnresolved()) {
      name = null;
      thread = null;
      current = new SocketAddress[] {transport.adapt(address)};
      return;
    }
    name = inet;
    if (Security.getProperty(JVM_CACHE_S) == null) {
      Security.setProperty(JVM_CACHE_S, "1");
    }
    try {
      current = lookUp();
    } catch (UnknownHostException unknown) {
      throw new IOException(
          "upstream: " + inet.getHostString() + " (expected: a host name that resolves)", unknown);
    }
    thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread made = new Thread(task, "weir-resolver");
              made.setDaemon(true);
              return made;
            });
    thread.scheduleWithFixedDelay(this::lookUpAgain, PERIOD_S, PERIOD_S, TimeUnit.SECONDS);
  }

  /** The addresses, at least one; the same array until they change. Not to be written to. */
  public SocketAddress[] current() {
    return current;
  }

  /** Whether the service's name resolved the last time; true if it has none. */
  boolean resolves() {
    return resolves;
  }

  /** The faults of the service, for the log. */
  public ServiceIncidents incidents() {
    return incidents;
  }

  /** None of the addresses could be connected to: resolves the name again soon. Any thread. */
  void failed() {
    if (thread != null && lookUpDue.compareAndSet(false, true)) {
      thread.schedule(
          () -> {
            lookUpDue.set(false);
            lookUpAgain();
          },
          AFTER_FAILURE_MS,
          TimeUnit.MILLISECONDS);
    }
  }

  private SocketAddress[] lookUp() throws UnknownHostException {
    return Arrays.stream(resolver.resolve(name.getHostString()))
        .limit(MAX_COUNT)
        .map(found -> new InetSocketAddress(found, name.getPort()))
        .toArray(SocketAddress[]::new);
  }

  /** Resolves again, on its thread; logs a change or a failure once. */
  void lookUpAgain() {
    try {
      SocketAddress[] found = lookUp();
      if (!Arrays.equals(found, current)) {
        LOG.info("upstream: {} is at {} now", name.getHostString(), text(found));
        current = found;
      }
      resolves = true;
      incidents.unresolved.ended();
    } catch (UnknownHostException unknown) {
      resolves = false;
      incidents.unresolved.noticed("its name does not resolve; looked for at " + text(current));
    }
  }

  private static String text(SocketAddress[] addresses) {
    return Arrays.stream(addresses)
        .map(address -> ((InetSocketAddress) address).getAddress().getHostAddress())
        .collect(Collectors.joining(", "));
  }

  @Override
  public void close() {
    if (thread != null) {
      thread.shutdownNow();
    }
  }
}
