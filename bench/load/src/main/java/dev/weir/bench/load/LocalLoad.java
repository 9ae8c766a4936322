package dev.weir.bench.load;

import dev.weir.bench.load.LoadRun.LoadException;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.report.RunResult;
import dev.weir.bench.report.RunTotals;
import dev.weir.bench.scenario.Body;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.Field;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import java.io.IOException;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Requests of one kind to a server on 127.0.0.1, by one event loop of this process.
 *
 * @param isTls whether the server speaks TLS.
 * @param fields such as {@link #USER}.
 * @param body null for none, and then the method is GET, else POST.
 * @param keys that ask.
 * @param perSecond at which requests are due; {@link #CLOSED} for as many as are answered.
 */
public record LocalLoad(
    ClientSettings client,
    boolean isTls,
    String path,
    List<Field> fields,
    Body body,
    KeyChoice keys,
    double perSecond) {
  /** The rate of a closed loop. */
  public static final double CLOSED = 0;

  /** The key in the field by which servers under comparison limit. */
  public static final List<Field> USER = List.of(new Field("X-User-Id", RequestSpec.KEY));

  /** Clients that keep their connections, and look at no certificate. */
  public static ClientSettings clients(
      Protocol protocol, int connections, int streams, long timeoutNs) {
    return new ClientSettings(
        protocol,
        connections,
        streams,
        ClientSettings.NO_END,
        1,
        ClientSettings.usualTransport(),
        timeoutNs,
        new TlsSettings(null, true, true, List.of()));
  }

  /**
   * Loads the server on a port.
   *
   * @throws IOException if there is no connection to it.
   */
  public LoadAnswers run(int port, double seconds) throws IOException, InterruptedException {
    final long durationNs = (long) (seconds * 1e9);
    final Target target = new Target(isTls, "127.0.0.1", port, "127.0.0.1:" + port);
    final String method = body == null ? "GET" : "POST";
    final Scenario scenario =
        new Scenario(
            path,
            List.of(new RequestSpec(target, method, path, fields, body, 1)),
            keys,
            new Load(
                perSecond == CLOSED ? null : Schedule.constant(perSecond, durationNs),
                durationNs,
                0),
            client,
            List.of());
    try {
      final LoadRun run = new LoadRun(scenario, LoadRun.Progress.SILENT);
      final RunResult result = run.run();
      return LoadAnswers.of(result, run.handshakeCount(), run.resumedCount());
    } catch (LoadException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  /**
   * The answers to a load, counted.
   *
   * @param latencies in nanoseconds; of an open loop from when requests were due.
   * @param sentLatencies from when requests were sent.
   * @param handshakes of TLS.
   * @param resumed of them, those that went on with a session of before.
   */
  public record LoadAnswers(
      RunTotals totals,
      Histogram latencies,
      Histogram sentLatencies,
      long handshakes,
      long resumed) {
    static LoadAnswers of(RunResult result, long handshakes, long resumed) {
      final Histogram latencies = result.latencies().get(0).total();
      return new LoadAnswers(
          RunTotals.of(result.slices()),
          latencies,
          result.latencies().stream()
              .filter(series -> series.tag().equals(LatencySeries.UNCORRECTED))
              .findFirst()
              .map(LatencySeries::total)
              .orElse(latencies),
          handshakes,
          resumed);
    }

    /** Answers that passed, and refusals. */
    public long count() {
      return totals.answered();
    }

    public double seconds() {
      return Math.max(1, totals.durationMs()) / 1e3;
    }

    /** The part of all requests that was refused or failed, from 0 to 1. */
    public double notPassedShare() {
      return share(totals.refused() + totals.failed());
    }

    /** The part of all requests that was not refused, from 0 to 1. */
    public double notRefusedShare() {
      return share(totals.passed() + totals.failed());
    }

    private double share(long part) {
      return part == 0 ? 0 : (double) part / totals.ended();
    }
  }
}
