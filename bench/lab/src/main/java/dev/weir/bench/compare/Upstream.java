package dev.weir.bench.compare;

import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.origin.Http1Sink;
import dev.weir.bench.origin.Http2Answer;
import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.origin.Sink;
import dev.weir.bench.process.Cores;
import dev.weir.bench.process.Programs;
import dev.weir.bench.process.ServerProcess;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The service behind all contenders, on the core of the load: answers every request with 100 bytes,
 * or every call with 38, as cheaply as can be.
 */
final class Upstream implements AutoCloseable {
  static final int BODY_BYTES = 100;

  /** Length of a gRPC message, each way. */
  static final int MESSAGE_BYTES = 33;

  final int port;
  final String text;
  private final Runnable ending;

  private Upstream(int port, String text, Runnable ending) {
    this.port = port;
    this.text = text;
    this.ending = ending;
  }

  /** A program in C where there is a compiler, else a thread of this process. */
  static Upstream start(Path folder, Cores cores) throws IOException {
    final Optional<Path> compiler = Programs.find("cc");
    return compiler.isPresent() ? inC(compiler.get(), folder, cores) : inJava();
  }

  private static Upstream inC(Path compiler, Path folder, Cores cores) throws IOException {
    final Path source = folder.resolve("upstream.c");
    try (InputStream in = Upstream.class.getResourceAsStream("/compare/upstream.c")) {
      Files.copy(in, source);
    }
    final Path program = folder.resolve("upstream");
    Programs.output(
        List.of(compiler.toString(), "-O2", "-o", program.toString(), source.toString()));
    final int port = ServerProcess.freePort();
    final ServerProcess process =
        ServerProcess.start(
            "upstream",
            cores.onClientCore(List.of(program.toString(), Integer.toString(port))),
            folder.resolve("upstream.log"),
            port);
    return new Upstream(port, "a C program of one thread", process::close);
  }

  static Upstream inJava() {
    final LocalLoop loop = new LocalLoop("weir-upstream", TransportKind.AUTO);
    return new Upstream(
        loop.http1(Http1Sink.answer(BODY_BYTES)),
        loop,
        "a thread of the load's own process, as there is no cc");
  }

  /** A service of gRPC over HTTP/2 with prior knowledge, in a thread of this process. */
  static Upstream inHttp2() {
    final LocalLoop loop = new LocalLoop("weir-upstream", TransportKind.AUTO);
    return new Upstream(
        loop.http2(Http2Answer.grpc(0, new byte[MESSAGE_BYTES])),
        loop,
        "a thread of the load's own process that reads no fields");
  }

  private Upstream(Sink sink, LocalLoop loop, String text) {
    this(
        sink.address().getPort(),
        text,
        () -> {
          sink.close();
          loop.close();
        });
  }

  /**
   * How many requests it answers without anything before it.
   *
   * @param wire of its own protocol, without TLS.
   */
  double perSecond(Wire wire, Shape shape, double seconds, double warmUpSeconds)
      throws IOException, InterruptedException {
    final LocalLoad load = Traffic.closed(wire, 1, shape).load();
    load.run(port, Math.max(seconds, warmUpSeconds)); // the load's own code
    final LoadAnswers answers = load.run(port, seconds);
    return answers.count() / answers.seconds();
  }

  @Override
  public void close() {
    ending.run();
  }

  /** The services behind the contenders, one for each protocol that proxies ask in. */
  record Services(Upstream http1, Upstream http2) implements AutoCloseable {
    /** Starts both, on the core of the load. */
    static Services start(Path folder, Cores cores) throws IOException {
      return new Services(Upstream.start(folder, cores), Upstream.inHttp2());
    }

    Upstream of(Wire wire) {
      return wire.servedByHttp2() ? http2 : http1;
    }

    @Override
    public void close() {
      http1.close();
      http2.close();
    }
  }
}
