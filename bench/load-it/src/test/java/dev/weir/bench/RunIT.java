package dev.weir.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.origin.Http1Sink;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.rig.JavaCommand;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** {@code weir bench run}, as people and builds use it. */
@Timeout(180)
class RunIT {
  private static final EventLoopGroup SINKS =
      new MultiThreadIoEventLoopGroup(1, Transport.NIO.handlerFactory());
  private static final int MISSED = 3;
  private static final int INTERRUPTED = 130;

  @TempDir private Path folder;

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @AfterAll
  static void endSinks() {
    SINKS.shutdownGracefully(0, 10, TimeUnit.SECONDS).syncUninterruptibly();
  }

  private int run(String args) {
    final CommandLine commandLine = BenchCommandLine.of(new LoadMain());
    commandLine.setOut(new PrintWriter(out, true));
    commandLine.setErr(new PrintWriter(err, true));
    return commandLine.execute(("run " + args).split(" "));
  }

  private static Http1Sink sink() {
    return new Http1Sink(SINKS, Transport.NIO, Http1Sink.answer("200 OK"));
  }

  private static String url(Http1Sink sink) {
    return "http://127.0.0.1:" + sink.address().getPort() + "/";
  }

  @Test
  void thresholdsSetTheExitCode() {
    try (Http1Sink sink = sink()) {
      final String args = url(sink) + " -r 200 -d 300ms --warm-up 0 --no-ceiling ";
      assertEquals(0, run(args + "-t errors==0 -t passed==60 -t refused<0.1%"), err.toString());
      assertTrue(out.toString().contains("held    passed==60  (60)"), out.toString());
      assertEquals(MISSED, run(args + "-t errors==0 -t max<1ns"), err.toString());
      assertTrue(out.toString().contains("MISSED  max<1ns"), out.toString());
    }
  }

  @Test
  void anUnreachableTargetIsNamed() throws Exception {
    // Has the port, so that nobody else gets it, and does not listen.
    try (Socket silent = new Socket()) {
      silent.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
      final String url = "http://127.0.0.1:" + silent.getLocalPort();
      assertEquals(1, run(url + "/ -r 10 -d 1s --no-ceiling"));
      assertTrue(err.toString().startsWith("weir bench run: " + url + ": "), err.toString());
      assertTrue(
          err.toString().contains("(expected: a server that listens there)"), err.toString());
      assertEquals("", out.toString());
    }
  }

  @Test
  void anUnknownHostIsNamed() {
    assertEquals(1, run("http://no-such-host.invalid/ -r 10 -d 1s --no-ceiling"));
    assertEquals(
        "weir bench run: http://no-such-host.invalid: no such host (expected: a name or an"
            + " address)",
        err.toString().strip());
  }

  @Test
  void aMalformedScenarioIsToldByLineAndColumn() throws Exception {
    final Path file = Files.writeString(folder.resolve("s.yaml"), "rate: fast\nkeys: [\n");
    assertEquals(2, run("-s " + file + " --no-ceiling"));
    assertTrue(err.toString().startsWith(file + ":3:1: "), err.toString());
    Files.writeString(file, "rate: fast\ntargets: http://127.0.0.1:1/\n");
    err.getBuffer().setLength(0);
    assertEquals(2, run("-s " + file + " --no-ceiling"));
    assertTrue(err.toString().startsWith(file + ":1:7: rate: fast (expected: "), err.toString());
  }

  @Test
  void moreThanTheHarnessCanDoIsSaidBeforeAndInTheReport() {
    try (Http1Sink sink = sink()) {
      assertEquals(
          0, run(url(sink) + " -r 10000000 -d 100ms --warm-up 0 --timeout 50ms --event-loops 1"));
      final String warning = "10,000,000 requests/s are beyond what this harness can do here";
      assertTrue(err.toString().contains("warning: " + warning), err.toString());
      assertTrue(out.toString().contains("warning: " + warning), out.toString());
      assertTrue(out.toString().contains("requests that were due could be started"), "and less");
    }
  }

  @Test
  void ctrlCEndsItWithAReport() throws Exception {
    try (Http1Sink sink = sink()) {
      final Path report = folder.resolve("report");
      final Process process =
          start(url(sink), "-r 200 -d 10m --warm-up 0 --no-ceiling --out " + report);
      try {
        while (sink.requestCount() < 100) {
          assertTrue(process.isAlive(), () -> output("err"));
          TimeUnit.MILLISECONDS.sleep(10);
        }
        new ProcessBuilder("kill", "-INT", Long.toString(process.pid())).start().waitFor();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it ends before the load does");
        assertEquals(INTERRUPTED, process.exitValue(), output("err"));
        assertTrue(output("out").contains("warning: Stopped early, after "), output("out"));
        assertTrue(output("out").contains("| corrected "), output("out"));
        try (var files = Files.list(report)) {
          assertTrue(files.count() >= 4, "the report is whole");
        }
        assertTrue(output("err").contains("written to " + report), output("err"));
      } finally {
        process.destroyForcibly().waitFor();
      }
    }
  }

  private Process start(String url, String args) throws Exception {
    final List<String> command = JavaCommand.of(LoadMain.class);
    command.addAll(List.of("run", url));
    command.addAll(List.of(args.split(" ")));
    return new ProcessBuilder(command)
        .redirectOutput(folder.resolve("out").toFile())
        .redirectError(folder.resolve("err").toFile())
        .start();
  }

  private String output(String name) {
    try {
      return Files.readString(folder.resolve(name));
    } catch (IOException e) {
      return e.toString();
    }
  }
}
