package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.KeptPlaces;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RuleSource;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.listen.AcceptedClients;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.loop.ChannelSetUp;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.OneFigure;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.store.LoopStore;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
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
import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;

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
  private final SidecarDecisions decisions;
  private final AcceptedClients clients;
  private final int restingDeadlines;
  private final List<ModelServer> servers;
  private final LongUnaryOperator jitter;

  /** Null without a store. */
  private LoopStore store;

  private RuleSet rules = RuleSet.EMPTY;

  /**
   * @param yaml the file of settings.
   * @param time of the clock.
   * @param channels to the service.
   * @param servers of the store; none if there is no store.
   * @param heapBytes that it may take.
   * @param jitter draws a number below another.
   */
  public VirtualSidecar(
      String yaml,
      EventLoop eventLoop,
      LongSupplier time,
      ChannelFactory<? extends Channel> channels,
      List<ModelServer> servers,
      long heapBytes,
      LongUnaryOperator jitter) {
    this.eventLoop = eventLoop;
    this.servers = servers;
    this.jitter = jitter;
    settings = settings(yaml);
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    try {
      decisions = new SidecarDecisions(settings);
      loops =
          new SidecarLoops(
              settings,
              eventLoop,
              metrics,
              tables,
              decisions,
              null,
              () -> new LoopClock(time),
              heapBytes);
      UpstreamAddresses addresses =
          new UpstreamAddresses(settings.upstream().address(), Transport.NIO);
      loops.make(
          new SidecarTls(settings.client().listeners(), null, settings.upstream()),
          parts -> origin(parts, addresses, channels),
          servers.isEmpty() ? null : this::store,
          null);
    } catch (IOException noFiles) {
      throw new UncheckedIOException(noFiles);
    }
    loop = loops.loops.get(0);
    if (store != null) {
      ModelStore.connect(store, servers);
    }
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

  private LoopStore store(LoopParts parts) {
    store =
        ModelStore.of(
            parts.eventLoop(),
            parts.clock(),
            parts.deadlines(),
            parts.metrics().store(),
            servers,
            settings.store().deadlineNs(),
            jitter);
    return store;
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
    accept(channel, loop.clients());
  }

  /** Lets a program in that uses the decision API. */
  public void acceptProgram(Channel channel) {
    accept(channel, decisions.clients(eventLoop));
  }

  private void accept(Channel channel, ClientProtocols as) {
    channel
        .pipeline()
        .addLast(
            new ChannelSetUp() {
              @Override
              protected void setUp(Channel accepted) {
                clients.accepted(as, accepted);
              }
            });
    eventLoop.register(channel);
  }

  /** Takes the rules of other settings, as a reload does. */
  public void reload(String yaml) {
    publish(settings(yaml));
  }

  private void publish(Settings of) {
    RuleSource source = of.rules();
    rules =
        RuleSet.compile(
            source.rules(),
            source.everywhere(),
            source.ignoreCase(),
            rules,
            0,
            loop.parts().clock().tick());
    rules.succeed();
    loops.publish(rules);
  }

  /** Begins its end: each connection ends with the request that is in flight on it. */
  public void drain() {
    loops.drain();
  }

  /**
   * Whether the store has nothing to do any more, all that it leased has gone back, and no record
   * of what requests held can be there any more.
   */
  public boolean isStoreAtRest() {
    return store == null
        || ModelStore.isAtRest(store)
            && loops.leases().table().heldUnits() == 0
            && figure("weir_store_held_keys_open") == 0;
  }

  private long figure(String name) {
    return (long) OneFigure.of(metrics, name).orElseThrow();
  }

  /** The bytes of content that are counted as held, of connections of HTTP/2. */
  public long countedBytes() {
    return loop.parts().http2().heldBytes();
  }

  /** Whether any request waits for its verdict. */
  public boolean isDeciding() {
    return KeptPlaces.parked(loop.admission()) > 0;
  }

  /** Gives back what was leased, as far as the store takes it now, as at the end of a process. */
  public void giveBack() {
    loop.admission().ending();
  }

  /**
   * Units of a budget in the table of this sidecar that are used.
   *
   * @param limit the number of the limit in the rule.
   * @param capacity of it.
   * @param fields of the request, each with its value.
   */
  public long used(int limit, long capacity, List<String> fields, List<String> values) {
    Question question = new Question().start(Operation.PEEK, Purpose.DECISION).rule("all");
    for (int i = 0; i < fields.size(); i++) {
      UnsafeBuffer bytes = new UnsafeBuffer(values.get(i).getBytes(StandardCharsets.US_ASCII));
      question.identity("header:" + fields.get(i), bytes, 0, bytes.capacity());
    }
    long nowNs = loop.parts().clock().tick();
    Asked asked = loop.admission().ask(question.wantsRows(), null, nowNs);
    return capacity - asked.verdict().row(limit).remaining();
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
        + unless(figure("weir_holdings_unknown_total"), "ends of what was not held")
        + unless(clientLoop.connectionCount(), "connections")
        + unless(clientLoop.memory.taken(), "bytes of clients")
        + unless(KeptPlaces.parked(admission), "parking places")
        + unless(KeptPlaces.refundSlips(admission), "records of charges")
        + unless(isPoolUsed() ? 1 : 0, "pool with connections")
        + unless(loop.parts().http2().heldBytes(), "bytes held of HTTP/2")
        + unless(loop.parts().deadlines().armedCount() - servers.size(), "deadlines")
        + unless(isStoreAtRest() ? 0 : 1, "store with questions or leases")
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
