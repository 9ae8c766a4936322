package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.KeptPlaces;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.listen.AcceptedClients;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.OneFigure;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.upstream.UpstreamAddresses;
import dev.weir.proxy.upstream.UpstreamEndpoint;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.UpstreamPool;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.h2.Http2Origin;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.function.LongSupplier;

/**
 * The shipped classes of one event loop, as {@link Sidecar} wires them, on an event loop, clock and
 * channels of a test's.
 */
public final class VirtualSidecar {
  /** Waiters for a deadline that stay with requests that are reused: of two pools, and clients. */
  private static final int MOST_REUSED = 100;

  private final Settings settings;
  private final Metrics metrics = new Metrics();
  private final EventLoop eventLoop;
  private final LimitTables tables;
  private final SidecarLoops loops;
  private final SidecarLoops.Loop loop;
  private final AcceptedClients clients;
  private final int restingDeadlines;
  private RuleSet rules = RuleSet.EMPTY;

  /**
   * @param yaml the file of settings.
   * @param time of the clock.
   * @param channels to the service.
   */
  public VirtualSidecar(
      String yaml,
      EventLoop eventLoop,
      LongSupplier time,
      ChannelFactory<? extends Channel> channels) {
    this.eventLoop = eventLoop;
    settings = settings(yaml);
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    try {
      loops =
          new SidecarLoops(
              settings, eventLoop, metrics, tables, new SidecarDecisions(settings), null, time);
      UpstreamAddresses addresses =
          new UpstreamAddresses(settings.upstream().address(), Transport.NIO);
      loops.make(
          new SidecarTls(settings.client().listeners(), settings.upstream()),
          parts -> origin(parts, addresses, channels),
          null,
          null);
    } catch (IOException noFiles) {
      throw new UncheckedIOException(noFiles);
    }
    loop = loops.loops.get(0);
    clients = new AcceptedClients(settings.client(), settings.identity().ipv6Prefix());
    publish(settings);
    restingDeadlines = loop.parts().deadlines().count();
  }

  private static Settings settings(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    Settings settings = new SettingsFile().read(yaml.getBytes(StandardCharsets.UTF_8), faults);
    if (settings == null) {
      throw new IllegalArgumentException(faults + " in\n" + yaml);
    }
    return settings;
  }

  private Origin origin(
      LoopParts parts, UpstreamAddresses addresses, ChannelFactory<? extends Channel> channels) {
    UpstreamLoop upstream =
        new UpstreamLoop(
            settings.upstream(),
            addresses,
            parts.eventLoop(),
            parts.clock(),
            parts.deadlines(),
            parts.metrics());
    UpstreamEndpoint endpoint = new UpstreamEndpoint(channels, null, "service", null);
    return settings.upstream().protocol() == UpstreamProtocol.HTTP1
        ? new UpstreamPool(upstream, endpoint)
        : new Http2Origin(upstream, endpoint, parts.http2(), parts.metrics().http2Services());
  }

  /** Lets a client in. */
  public void accept(Channel channel) {
    channel
        .pipeline()
        .addLast(
            new ChannelSetUp() {
              @Override
              protected void setUp(Channel accepted) {
                clients.accepted(loop.clients(), accepted);
              }
            });
    eventLoop.register(channel);
  }

  /** Takes the rules of other settings, as a reload does. */
  public void reload(String yaml) {
    publish(settings(yaml));
  }

  private void publish(Settings of) {
    rules = of.rules().compile(rules);
    rules.succeed();
    loops.publish(rules);
  }

  /** Begins its end: each connection ends with the request that is in flight on it. */
  public void drain() {
    loops.drain();
  }

  /** Frees the tables. */
  public void close() {
    loops.close();
    tables.close();
  }

  /**
   * Figures of what is open or held, and is not 0 though nothing goes on; empty if there is none.
   */
  public String leftovers() {
    AdmissionHandler admission = loop.admission();
    ClientLoop clientLoop = loop.clients().clients;
    return OneFigure.open(metrics)
        + unless(clientLoop.connectionCount(), "connections")
        + unless(clientLoop.memory.taken(), "bytes of clients")
        + unless(KeptPlaces.parked(admission), "parking places")
        + unless(KeptPlaces.refundSlips(admission), "records of charges")
        + unless(isPoolUsed() ? 1 : 0, "pool with connections")
        + unless(loop.parts().http2().heldBytes(), "bytes held of HTTP/2")
        + unless(loop.parts().deadlines().armedCount(), "deadlines")
        + unless(Math.max(0, waiters() - MOST_REUSED), "waiters for a deadline");
  }

  private boolean isPoolUsed() {
    return loop.origin() instanceof UpstreamPool pool && !pool.isUnused();
  }

  private int waiters() {
    return loop.parts().deadlines().count() - restingDeadlines;
  }

  private static String unless(long count, String what) {
    return count == 0 ? "" : count + " " + what + ' ';
  }
}
