package dev.weir.proxy.rig;

import dev.weir.proxy.admission.AdmissionHandler;
import dev.weir.proxy.admission.Gate;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.downstream.ClientLoop;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.LoopEnd;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.upstream.UpstreamAddresses;
import dev.weir.proxy.upstream.UpstreamEndpoint;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.UpstreamPool;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;

/** The parts of one event loop of a sidecar, for tests that put one of their own among them. */
public final class LoopRig implements AutoCloseable {
  private final Settings settings;
  private final Transport transport;
  private final EventLoopGroup group;
  public final EventLoop eventLoop;
  public final LoopClock clock;
  public final Deadlines deadlines;
  public final LoopMetrics metrics = new Metrics().newLoop();
  public final UpstreamPool pool;

  public LoopRig(Settings settings, Transport transport, LoopClock clock) throws IOException {
    this.settings = settings;
    this.transport = transport;
    this.clock = clock;
    group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    eventLoop = (EventLoop) group.iterator().next();
    deadlines = new Deadlines(clock);
    pool =
        new UpstreamPool(
            new UpstreamLoop(
                settings.upstream(),
                new UpstreamAddresses(settings.upstream().address(), transport),
                eventLoop,
                clock,
                deadlines,
                metrics),
            new UpstreamEndpoint(transport, settings.upstream().address(), "origin", null));
    eventLoop.submit(() -> deadlines.start(eventLoop)).syncUninterruptibly();
  }

  /** Decides by the rules of the settings. */
  public AdmissionHandler admission(Gate gate) {
    IdentityReader identities =
        new IdentityReader(
            settings.identity(),
            KeyHasher.random(),
            new ClientIpReader(settings.identity()),
            settings.client().caps().headBytes());
    AdmissionHandler admission = new AdmissionHandler(gate, identities, metrics, clock, eventLoop);
    admission.publish(settings.rules().compile(RuleSet.EMPTY));
    return admission;
  }

  /** Clients of HTTP/1.1, whose requests go to the service. */
  public ClientProtocols clients(AdmissionHandler admission) {
    return new ClientProtocols(
        new ClientLoop(
            settings.client(),
            clock,
            deadlines,
            new ClientShares(64 << 20),
            admission,
            pool,
            request -> ClientKey.NONE,
            metrics),
        new Http1Memory(clock, 32 << 20),
        new Http2Loop(
            clock,
            deadlines,
            new TurnEnd(eventLoop),
            32 << 20,
            settings.client().caps().headBytes(),
            settings.client().caps().fieldCount()),
        null,
        StreamRouter.REQUESTS_ONLY);
  }

  /** Lets clients in. */
  public Listeners listen(ClientProtocols clients) throws IOException {
    return new Listeners(
        settings.client(), plain -> null, transport, group, peer -> false, 64, of -> clients);
  }

  @Override
  public void close() {
    LoopEnd.await(group);
  }
}
