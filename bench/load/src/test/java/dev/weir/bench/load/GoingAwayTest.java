package dev.weir.bench.load;

import static dev.weir.bench.load.RawHttp2Server.ACK;
import static dev.weir.bench.load.RawHttp2Server.END_HEADERS;
import static dev.weir.bench.load.RawHttp2Server.END_STREAM;
import static dev.weir.bench.load.RawHttp2Server.HEADERS;
import static dev.weir.bench.load.RawHttp2Server.OK;
import static dev.weir.bench.load.RawHttp2Server.PING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.Schedule;
import dev.weir.proxy.loop.TransportKind;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

/** A load on a server that replaces its connections, as servers do that limit their age. */
class GoingAwayTest {
  private static final int SILENCE_MS = 50;
  private static final long RUN_NS = TimeUnit.MILLISECONDS.toNanos(300);

  /** Longer than any machine pauses: what is given up is reset, and that is a frame too. */
  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);

  private static Scenario scenario() {
    return new Scenario(
        "going away",
        List.of(Http2RequestsTest.spec("GET", "/", null)),
        KeyChoice.parse("one"),
        new Load(Schedule.constant(1_000, RUN_NS), RUN_NS, 0),
        new ClientSettings(
            Protocol.HTTP2,
            1,
            100,
            ClientSettings.NO_END,
            1,
            TransportKind.NIO,
            TIMEOUT_NS,
            TlsSettings.USUAL),
        List.of());
  }

  @Test
  void startsNothingOnAConnectionThatTheServerGivesUp() throws Exception {
    final AtomicReference<LoadRun> run = new AtomicReference<>();
    try (RawHttp2Server server =
        new RawHttp2Server(
            raw -> {
              raw.open();
              raw.read(HEADERS);
              raw.goAway(1);
              raw.send(PING, 0, 0, new byte[8]);
              // By then the client knows, and there are streams free.
              assertEquals(ACK, raw.read(PING).flags());
              raw.expectSilence(SILENCE_MS);
              raw.send(HEADERS, END_HEADERS | END_STREAM, 1, OK);
              raw.drain();
              // What is due from then on has nobody to go to.
              run.get().stop();
            })) {
      run.set(new LoadRun(scenario(), LoadRun.Progress.SILENT, target -> server.address()));
      run.get().run();
    }
  }
}
