package dev.weir.proxy.admission;

import static dev.weir.proxy.admission.HashOnly.PLAIN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.metrics.StoreMetrics;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.Shares;
import dev.weir.proxy.rule.identity.Identities;
import dev.weir.proxy.rule.identity.Identity;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Memory for a decision while the store is away, whatever the rule. */
@Tag("allocation")
class StoreAwayAllocationTest {
  private static final int ROUNDS = 2_000;
  private static final int SIDECARS = 3;

  private final MultiThreadIoEventLoopGroup group =
      new MultiThreadIoEventLoopGroup(1, Transport.of(TransportKind.NIO).handlerFactory());
  private final StoreSettings settings =
      new StoreSettings(
          List.of(new StoreNode(new InetSocketAddress("127.0.0.1", 1), 1)),
          Topology.STANDALONE,
          null,
          StoreLogin.NONE,
          StoreLogin.NONE,
          0,
          false,
          null,
          5_000_000);
  private final Store store =
      new Store(settings, Transport.of(TransportKind.NIO), "", () -> "", (count, rank) -> {});
  private final LoopClock clock = new LoopClock();
  private final LimitTables tables =
      LimitTables.allocate(new AdmissionSettings(1000, 1000, 0), 128);
  private final OneIdentity identity = new OneIdentity();
  private final List<Rule> rules = rules();
  private final Charges charges = new Charges();
  private final Told outcome = new Told();
  private long ticket;
  private long told;

  @AfterEach
  void close() {
    store.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    tables.close();
  }

  private static List<Rule> rules() {
    List<RuleSpec> specs = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      specs.add(exact(algorithm + "").algorithm(algorithm).rate(Rate.parse("60/1m")).build());
    }
    specs.add(
        exact("queue")
            .algorithm(Algorithm.LEAKY_BUCKET)
            .overflow(Overflow.QUEUE)
            .rate(Rate.parse("60/1m"))
            .build());
    for (Alignment align : List.of(Alignment.DAY, Alignment.MONTH)) {
      specs.add(
          exact("calendar-" + align)
              .algorithm(Algorithm.FIXED_WINDOW)
              .align(align)
              .zone(ZoneId.of("Europe/Berlin"))
              .rate(Rate.parse(align == Alignment.DAY ? "9/1d" : "90/1month"))
              .build());
    }
    specs.add(exact("key").key(KeySpec.parse("api-key")).rate(Rate.parse("9/1m")).build());
    specs.add(exact("open").onStoreFailure(OnStoreFailure.OPEN).rate(Rate.parse("9/1m")).build());
    specs.add(exact("shut").onStoreFailure(OnStoreFailure.CLOSED).rate(Rate.parse("9/1m")).build());
    specs.add(
        exact("several")
            .limits(
                List.of(
                    new BudgetSpec.Builder().rate(Rate.parse("9/1m")).key(KeySpec.IP),
                    new BudgetSpec.Builder()
                        .rate(Rate.parse("90/1h"))
                        .key(KeySpec.parse("header:x-user-id"))))
            .build());
    Shares shares = new Shares();
    RuleSet set = RuleSet.compile(specs, false, RuleSet.EMPTY, LoopClock.unixEpochNs());
    shares.divideBy(SIDECARS, 0);
    shares.follow(set);
    return set.rules();
  }

  private static RuleSpec.Builder exact(String id) {
    return RuleSpec.builder(id).mode(Mode.EXACT);
  }

  @Test
  void allocatesNothingPerDecisionOfAnyRule() {
    StoreMetrics metrics = new Metrics().newLoop().store();
    ExactGate gate =
        new ExactGate(
            store.join((EventLoop) group.next(), clock, new Deadlines(clock), metrics),
            settings,
            StoreNames.DEFAULT,
            new LocalGate(tables),
            clock,
            metrics);
    ask(gate, 10 * ROUNDS);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < 20 && least > 0; i++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      ask(gate, ROUNDS);
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertEquals(0, least);
    assertTrue(told >= 11L * ROUNDS * rules.size(), "each is told once: " + told);
  }

  /** The rules take turns, as they do in front of a service. */
  private void ask(ExactGate gate, int rounds) {
    for (int round = 0; round < rounds; round++) {
      for (int i = 0; i < rules.size(); i++) {
        charges.set(rules.get(i), identity, PLAIN);
        long place = ticket++ % AdmissionHandler.PARKING_PLACES;
        told += gate.ask(place, charges, now(), outcome) == null ? 0 : 1;
      }
    }
  }

  private long now() {
    return clock.tick();
  }

  private final class Told implements Gate.Outcome {
    @Override
    public void settle(long settled, Verdict verdict) {
      told++;
    }

    @Override
    public boolean awaits(long asked) {
      return true;
    }
  }

  /** One identity for every key. */
  private static final class OneIdentity implements Identities, Identity {
    private final UnsafeBuffer bytes = new UnsafeBuffer(new byte[] {1, 0, 0, 0, 2, 'm', 'e'});

    @Override
    public Identity of(int group) {
      return this;
    }

    @Override
    public long hash() {
      return 0x1234_5678_9ABC_DEF0L;
    }

    @Override
    public DirectBuffer bytes() {
      return bytes;
    }

    @Override
    public int length() {
      return bytes.capacity();
    }
  }
}
