package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AdmissionSettings;
import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.StoreNames;
import dev.weir.proxy.control.ListSettings;
import dev.weir.proxy.control.RateLimitAnswers;
import dev.weir.proxy.control.RateLimitSettings;
import dev.weir.proxy.control.RuleSource;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.WhatIfSettings;
import dev.weir.proxy.decision.DecisionSettings;
import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.listen.Listeners;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.token.TokenSettings;
import dev.weir.proxy.traffic.Traffic;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.warmup.WarmUp;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second sidecar on the event loops of the first, for the requests of its warm-up: with rules, a
 * table, counters, connections and a service of its own, so that they count nowhere else. Same
 * transport, same settings of connections and answers.
 */
public final class SidecarWarmUp {
  /** About as many keys as ask within the warm-up; a full table does no harm. */
  private static final int KEYS = 10_000;

  /** Clients of each version of HTTP for each event loop: they are given to the loops in turn. */
  private static final int CLIENTS_PER_LOOP = 2;

  private static final Logger LOG = LoggerFactory.getLogger(SidecarWarmUp.class);

  private final LimitTables tables;
  private final SidecarTls tls;
  private final SidecarService service;
  private final SidecarLoops loops;
  private final Listeners listeners;

  private SidecarWarmUp(
      Settings settings, Traffic traffic, Transport transport, EventLoopGroup group)
      throws IOException {
    tls = new SidecarTls(settings.client().listeners(), null, settings.upstream());
    service = new SidecarService(settings.upstream(), transport, tls);
    tables = LimitTables.allocate(settings.admission(), 0);
    loops =
        new SidecarLoops(
            settings,
            group,
            new Metrics(),
            tables,
            new SidecarDecisions(settings),
            null,
            LoopClock::new,
            MemoryLimit.heapBytes());
    loops.make(tls, service::origin, null, null);
    loops.publish(settings.rules().compile(RuleSet.EMPTY));
    Listeners opened = null;
    try {
      opened =
          new Listeners(
              settings.client(),
              tls::of,
              transport,
              group,
              peer -> false,
              settings.identity().ipv6Prefix(),
              loops::clients);
      int count = CLIENTS_PER_LOOP * settings.process().eventLoopCount();
      traffic.connectHttp1(opened.addresses().get(0), count);
      traffic.connectHttp2(opened.addresses().get(0), count);
    } catch (IOException | RuntimeException e) {
      takeDown(opened);
      throw e;
    }
    listeners = opened;
  }

  /**
   * Makes the second sidecar and its requests, which can begin.
   *
   * @param settings of the sidecar that is to be warm.
   * @param group its event loops.
   * @return null if that cannot be done here; why has been logged.
   */
  static WarmUp of(Settings settings, Transport transport, EventLoopGroup group) {
    boolean isHttp2Service = settings.upstream().protocol() == UpstreamProtocol.H2C;
    try {
      Traffic traffic = new Traffic(isHttp2Service);
      try {
        Settings own = settings(settings, traffic.service());
        SidecarWarmUp sidecar = new SidecarWarmUp(own, traffic, transport, group);
        return new WarmUp(traffic, sidecar::takeDown);
      } catch (IOException | RuntimeException e) {
        traffic.close();
        throw e;
      }
    } catch (IOException | RuntimeException e) {
      LOG.info("not warmed up, so that the first requests are slower: {}", e.getMessage());
      return null;
    }
  }

  private static Settings settings(Settings of, SocketAddress service) throws IOException {
    UpstreamSettings upstream = of.upstream();
    UpstreamProtocol protocol =
        upstream.protocol() == UpstreamProtocol.H2C ? UpstreamProtocol.H2C : UpstreamProtocol.HTTP1;
    ClientSettings client = of.client();
    ClientCaps caps = client.caps();
    int clientCount = 2 * CLIENTS_PER_LOOP * of.process().eventLoopCount();
    SocketAddress anyPort = new InetSocketAddress(Traffic.loopback(), 0);
    return new Settings(
        new UpstreamSettings(
            service, protocol, upstream.tls(), upstream.timeouts(), upstream.caps()),
        new ClientSettings(
            List.of(ListenerSettings.plain(anyPort)),
            client.timeouts(),
            new ClientCaps(
                caps.headBytes(),
                caps.fieldCount(),
                caps.targetBytes(),
                clientCount + 1, // at the cap itself the log would say so
                clientCount),
            client.answers()),
        new DecisionSettings(List.of(), null, false),
        new RateLimitSettings(null, false, RateLimitAnswers.DEFAULT),
        new AdmissionSettings(KEYS, 0, 0),
        StoreSettings.NONE,
        new StoreNames("", false, Set.of(), ""),
        of.identity(),
        TokenSettings.NONE,
        WhatIfSettings.NONE,
        null, // no records
        of.process(),
        new RuleSource(List.of(rule()), null, null, false, ListSettings.NONE));
  }

  /** Refuses the last of {@link Traffic#REQUESTS_OF_USER} requests of a user. */
  private static RuleSpec rule() {
    return RuleSpec.builder("warm-up")
        .key(KeySpec.parse("header:x-user-id"))
        .rate(Rate.parse(Traffic.REQUESTS_OF_USER - 1 + "/1s"))
        .build();
  }

  private void takeDown() {
    takeDown(listeners);
  }

  /** No event loop may be inside a check when the memory of the table goes. */
  private void takeDown(Listeners opened) {
    if (opened != null) {
      opened.close();
    }
    loops.leave();
    loops.close();
    service.close();
    tls.close();
    tables.close();
  }
}
