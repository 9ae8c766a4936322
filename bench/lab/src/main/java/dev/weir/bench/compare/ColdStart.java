package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.process.ProcessorTime;
import dev.weir.bench.process.ServerProcess;
import dev.weir.bench.process.SidecarProcess;
import dev.weir.bench.rounds.LoadFigures;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** One start of a contender, and what its first clients get. */
final class ColdStart {
  private static final int SECONDS = 3;
  private static final int ANSWER_MS = 30_000;
  private static final int FILLING_KEYS = 400_000;
  private static final int FILLING_SECONDS = 3;

  /** Seconds of load after which a server is taken to be as fast as it will be. */
  private static final int WARMING_SECONDS = 15;

  private static final byte[] REQUEST =
      "GET / HTTP/1.1\r\nHost: cold\r\nX-User-Id: first\r\n\r\n"
          .getBytes(StandardCharsets.US_ASCII);

  private final ServerProcess process;
  private final Site site;
  private final int adminPort;
  private final double secondLength;
  private final double readyMs;
  private final double readySpentMs;
  private final double startMib;

  /**
   * Starts one, and waits until it listens.
   *
   * @param adminPort where its figures can be asked for; 0 if it has none.
   * @param secondLength 1; less in tests.
   */
  ColdStart(Contender contender, Site site, int adminPort, double secondLength) throws IOException {
    this.site = site;
    this.adminPort = adminPort;
    this.secondLength = secondLength;
    final List<String> command = site.cores().onServerCore(contender.command(site));
    final long startNs = System.nanoTime();
    process = ServerProcess.launch(contender.name(), command, Contender.log(site));
    try {
      process.awaitListening(site.port());
    } catch (IOException | RuntimeException e) {
      process.close();
      throw e;
    }
    readyMs = (System.nanoTime() - startNs) / 1e6;
    readySpentMs = ProcessorTime.ofTreeUs(process.pid()) / 1e3;
    startMib = ProcessorTime.residentMib(process.pid());
  }

  /**
   * The figures of one start.
   *
   * @param firstMs of the first request, its connection included.
   * @param secondMs of the second, on the same connection.
   * @param seconds of load, from the first on.
   * @param filledMib once many keys have asked, and the figures were asked for; NaN if not tried.
   */
  record Figures(
      double readyMs,
      double readySpentMs,
      double firstMs,
      double secondMs,
      List<LoadFigures> seconds,
      double startMib,
      double loadedMib,
      double filledMib) {
    LoadFigures second(int index) {
      return seconds.get(index);
    }
  }

  /**
   * Sends the first requests and the first seconds of load.
   *
   * @param pauseNs before the first client comes.
   * @param fills whether the memory of many keys is to be looked at too.
   */
  Figures measure(Shape shape, long pauseNs, boolean fills)
      throws IOException, InterruptedException {
    TimeUnit.NANOSECONDS.sleep(pauseNs);
    final double[] requestMs = firstRequests();
    final List<LoadFigures> seconds = new ArrayList<>();
    for (int i = 0; i < SECONDS; i++) {
      seconds.add(second(shape));
    }
    final double loadedMib = ProcessorTime.residentMib(process.pid());
    return new Figures(
        readyMs,
        readySpentMs,
        requestMs[0],
        requestMs[1],
        seconds,
        startMib,
        loadedMib,
        fills ? filledMib(shape) : Double.NaN);
  }

  private double[] firstRequests() throws IOException {
    final double[] requestMs = new double[2];
    long fromNs = System.nanoTime();
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), site.port())) {
      client.setTcpNoDelay(true);
      client.setSoTimeout(ANSWER_MS);
      for (int i = 0; i < requestMs.length; i++) {
        client.getOutputStream().write(REQUEST);
        takeAnswer(client.getInputStream());
        final long nowNs = System.nanoTime();
        requestMs[i] = (nowNs - fromNs) / 1e6;
        fromNs = nowNs;
      }
    }
    return requestMs;
  }

  /** Reads an answer of the service behind, which has a short body of one letter. */
  private static void takeAnswer(InputStream in) throws IOException {
    final StringBuilder head = new StringBuilder();
    while (head.indexOf("\r\n\r\n") < 0) {
      final int next = in.read();
      if (next < 0) {
        throw new IOException("the connection ended behind: " + head);
      }
      head.append((char) next);
    }
    if (!head.toString().startsWith("HTTP/1.1 200 ")) {
      throw new IOException("an answer of " + head.substring(0, head.indexOf("\r\n")));
    }
    if (in.readNBytes(Upstream.BODY_BYTES).length < Upstream.BODY_BYTES) {
      throw new IOException("the connection ended within an answer");
    }
  }

  private LoadFigures second(Shape shape) throws IOException, InterruptedException {
    final LoadFigures figures =
        LoadFigures.measure(
            Traffic.closed(site.wire(), 1, shape).load(),
            site.port(),
            secondLength,
            LoadAnswers::notPassedShare,
            site.cores(),
            process.pid());
    if (!process.isAlive()) {
      throw new IOException("has ended while it was measured");
    }
    if (figures.count() == 0 || figures.wrongPercent() > 0) {
      throw new IOException(figures.wrongPercent() + " % of the requests did not pass");
    }
    return figures;
  }

  private void load(int keys, Shape shape, int seconds) throws IOException, InterruptedException {
    Traffic.closed(site.wire(), keys, shape).load().run(site.port(), seconds * secondLength);
  }

  private double filledMib(Shape shape) throws IOException, InterruptedException {
    load(FILLING_KEYS, shape, FILLING_SECONDS);
    for (int i = 0; i < 2 && adminPort != 0; i++) {
      SidecarProcess.metrics(adminPort);
    }
    return ProcessorTime.residentMib(process.pid());
  }

  /** Seconds of load once it is as fast as it will be. */
  List<LoadFigures> steady(Shape shape, int count) throws IOException, InterruptedException {
    load(1, shape, WARMING_SECONDS);
    final List<LoadFigures> seconds = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      seconds.add(second(shape));
    }
    return seconds;
  }

  ServerProcess process() {
    return process;
  }

  void end() {
    process.close();
  }
}
