package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.admission.LimitTables;
import dev.weir.proxy.admission.LocalGate;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFlags;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.Admission;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.rig.LoopRig;
import dev.weir.proxy.rig.RecordingOrigin;
import io.netty.channel.EventLoop;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/**
 * A sidecar's event loop between clients of a protocol made up for tests, {@link LineClient}, and a
 * service of HTTP/1.1.
 */
abstract class LineProtocolTest {
  private static final long ORIGIN_NS = System.nanoTime() - 1;

  private final BlockingQueue<String> ends = new LinkedBlockingQueue<>();

  /** Of the last end. */
  volatile boolean wasForwarded;

  RecordingOrigin origin;
  private LoopRig rig;
  EventLoop eventLoop;
  private LimitTables tables;

  /** Time that has passed in no time. */
  final AtomicLong skippedNs = new AtomicLong();

  final LoopClock clock = new LoopClock(() -> System.nanoTime() - ORIGIN_NS + skippedNs.get());
  RequestLoop loop;
  private WatchedAdmission admission;

  /** The limit of each client, or of all: they have one address. */
  String limit() {
    return "2/365d";
  }

  @BeforeEach
  void start() throws Exception {
    origin = new RecordingOrigin();
    Settings settings =
        SettingsFlags.read(
            Map.of(
                "--upstream", "http://" + origin.address(),
                "--listen", "127.0.0.1:0",
                "--table.keys", "1000",
                "--limit", limit(),
                "--cost", "messages"),
            Faults.ofFlags());
    rig = new LoopRig(settings, Transport.NIO, clock);
    eventLoop = rig.eventLoop;
    tables = LimitTables.allocate(settings.admission(), settings.ringCells());
    admission = new WatchedAdmission(rig.admission(new LocalGate(tables)));
    long aMinuteNs = TimeUnit.MINUTES.toNanos(1);
    loop =
        new RequestLoop(
            clock,
            rig.deadlines,
            admission,
            rig.pool,
            request -> ClientKey.NONE,
            1_000,
            rig.metrics,
            new RequestTimeouts(aMinuteNs, aMinuteNs, aMinuteNs));
  }

  @AfterEach
  void stop() throws Exception {
    origin.close();
    rig.close();
    tables.close();
  }

  LineClient client() {
    return new LineClient(eventLoop, clock, loop, LineClient.UNBOUNDED);
  }

  static void assertLines(LineClient client, String... expected) throws InterruptedException {
    for (String line : expected) {
      assertEquals(line, client.next());
    }
  }

  String nextEnd() throws InterruptedException {
    String end = ends.poll(60, TimeUnit.SECONDS);
    assertTrue(end != null, "no end was told");
    return end;
  }

  /** Has all verdicts from now on told late, when the event loop has done what it is at. */
  void decideLate() {
    admission.isLate = true;
  }

  /** Passes everything on, and writes down how requests end. */
  private final class WatchedAdmission implements Admission {
    private static final long LATE_TICKET = 1L << 40;

    private final Admission watched;
    private volatile boolean isLate;
    private boolean isAwaited;

    WatchedAdmission(Admission watched) {
      this.watched = watched;
    }

    @Override
    public Asked ask(Question question, VerdictListener asker, long nowNs) {
      Asked asked = watched.ask(question, asker, nowNs);
      if (!isLate || asked.verdict() == null) {
        return asked;
      }
      Verdict verdict = new Verdict();
      verdict.set(asked.verdict());
      isAwaited = true;
      eventLoop.execute(
          () -> {
            if (isAwaited) {
              isAwaited = false;
              asker.decided(LATE_TICKET, verdict);
            }
          });
      boolean countsMessages = asked.countsMessages();
      return asked.awaited(LATE_TICKET).countsMessages(countsMessages);
    }

    @Override
    public long dueNs(long ticket) {
      return watched.dueNs(ticket);
    }

    @Override
    public int keep() {
      return watched.keep();
    }

    @Override
    public void giveBack(int kept) {
      watched.giveBack(kept);
    }

    @Override
    public void letStand(int kept) {
      watched.letStand(kept);
    }

    @Override
    public void ended(long ticket, RequestEnd end) {
      wasForwarded = end.forwardedNs() != RequestEnd.NEVER;
      ends.add(
          end.how() + " " + end.status() + " " + end.requestBytes() + " " + end.responseBytes());
      isAwaited &= ticket != LATE_TICKET;
      watched.ended(ticket == LATE_TICKET ? SETTLED : ticket, end);
    }
  }
}
