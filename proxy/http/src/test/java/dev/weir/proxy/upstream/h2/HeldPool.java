package dev.weir.proxy.upstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import dev.weir.proxy.http2.message.RequestHead;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.upstream.HeldClient;
import dev.weir.proxy.upstream.HeldUpstream;
import dev.weir.proxy.upstream.UpstreamCaps;
import dev.weir.proxy.upstream.UpstreamConnector;
import dev.weir.proxy.upstream.UpstreamLoop;
import dev.weir.proxy.upstream.UpstreamProtocol;
import dev.weir.proxy.upstream.UpstreamSettings;
import dev.weir.proxy.upstream.UpstreamTimeouts;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.SocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** A pool of connections to services of HTTP/2, each of which is in the hand of the test. */
final class HeldPool extends HeldUpstream {
  static final String POST = "POST /a HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n";

  /** The frame that a {@link #GET} becomes on a stream. */
  static final String HEAD = "HEADERS %d :method: GET, :scheme: http, :authority: h, :path: /a end";

  static final long SECOND_NS = TimeUnit.SECONDS.toNanos(1);

  private final EmbeddedChannel tasks = new EmbeddedChannel();
  private final ArrayDeque<Wanted> attempts = new ArrayDeque<>();
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  final Http2Loop http2;
  final Http2Origin pool;

  /** A connection that is asked for, and what makes its handlers. */
  private record Wanted(
      UpstreamConnector.Attempt attempt, Function<Channel, ChannelHandler> handlers) {}

  HeldPool(int queue, int connections) {
    this(queue, connections, 1_000, 2 * SECOND_NS);
  }

  /**
   * @param queue how many may wait.
   * @param connections that there may be.
   * @param streams that may last.
   * @param responseNs that the service has to answer.
   */
  HeldPool(int queue, int connections, int streams, long responseNs) {
    http2 =
        new Http2Loop(
            time.clock, time.deadlines, new TurnEnd(tasks.eventLoop()), 32 << 20, 32 * 1024, 100);
    pool =
        new Http2Origin(
            new UpstreamLoop(
                new UpstreamSettings(
                    ADDRESS,
                    UpstreamProtocol.H2C,
                    null,
                    new UpstreamTimeouts(SECOND_NS, responseNs, SECOND_NS, SECOND_NS),
                    new UpstreamCaps(1, streams, connections, queue)),
                addresses,
                tasks.eventLoop(),
                time.clock,
                time.deadlines,
                metrics),
            http2,
            metrics.http2Services(),
            new Http2Messages("service", false),
            handlers -> attempt -> attempts.add(new Wanted(attempt, handlers)));
    serve(pool);
  }

  /** A call of gRPC whose client waits so long, as {@code grpc-timeout} has it. */
  HeldClient call(String timeout) {
    HpackEncoder fields =
        new HpackEncoder()
            .add(":method", "POST")
            .add(":scheme", "http")
            .add(":path", "/a")
            .add(":authority", "h")
            .add("content-type", "application/grpc")
            .add("grpc-timeout", timeout);
    ByteBuf bytes = Unpooled.directBuffer().writeBytes(fields.bytes());
    FieldBlock block = new FieldBlock(8192, 100, 8192);
    assertEquals(
        FieldDecoder.Outcome.DECODED,
        new FieldDecoder().decode(bytes, 0, bytes.readableBytes(), block));
    bytes.release();
    RequestHead head = new RequestHead(100, 8192, true);
    assertEquals(RequestHead.Outcome.READ, head.read(block, true, Peer.LOOPBACK));
    return client().start(head);
  }

  /** Runs what is to run behind this turn, and what follows from it. */
  void run() {
    tasks.runPendingTasks();
  }

  /** How many connections are being made. */
  int attempts() {
    return attempts.size();
  }

  /** Makes the connection that was asked for first, and returns the service at its other end. */
  Service connect() {
    Wanted wanted = attempts.remove();
    EmbeddedChannel channel = new EmbeddedChannel();
    channels.add(channel);
    channel.pipeline().addLast(wanted.handlers().apply(channel));
    wanted.attempt().begin(addresses.current());
    wanted.attempt().connected(channel);
    run();
    return new Service(this, channel);
  }

  /** Makes the first connection, whose service has said its settings. */
  Service connectSettled(int... settings) {
    Service service = connect();
    service.peer.settings(settings).settingsAck();
    service.send();
    return service;
  }

  /** Makes the connection that was asked for first; HTTP/1.1 is agreed on for it. */
  void connectHttp1(Channel channel, SocketAddress[] targets) {
    UpstreamConnector.Attempt attempt = attempts.remove().attempt();
    assertFalse(attempt.speaks("http/1.1"));
    attempt.begin(targets);
    attempt.speaksOther(channel);
    run();
  }

  /** Does not make the connection that was asked for first. */
  void refuse(RefusalReason reason) {
    attempts.remove().attempt().failed(reason);
    run();
  }

  /** Lets time pass, and the deadlines in it. */
  void pass(long ns) {
    time.pass(ns);
    run();
  }

  /** Ends all connections, and finds nothing held. */
  void close() {
    channels.forEach(EmbeddedChannel::finishAndReleaseAll);
    run();
    while (!attempts.isEmpty()) {
      refuse(RefusalReason.UPSTREAM_UNREACHABLE);
    }
    assertEquals(0, http2.heldBytes());
    addresses.close();
  }

  /** The service at the other end of a connection. */
  static final class Service {
    private final HeldPool pool;
    final EmbeddedChannel channel;
    final FramePeer peer;

    /** Whether it answers those pings that {@link #pings} and {@link #streams} come across. */
    boolean answersPings = true;

    Service(HeldPool pool, EmbeddedChannel channel) {
      this.pool = pool;
      this.channel = channel;
      this.peer = new FramePeer(channel);
    }

    /** Gives the connection what was written, and lets the turn end. */
    void send() {
      peer.send();
      pool.run();
    }

    /** Heads, content and resets that have come, without what is about the connection. */
    List<String> streams() {
      List<String> frames = received();
      pings(frames);
      return frames.stream()
          .filter(frame -> frame.matches("(HEADERS|DATA|RST_STREAM) .*"))
          .map(frame -> frame.replaceAll(", x-forwarded-for: .*x-request-id: [0-9a-f]{32}", ""))
          .toList();
    }

    /** How many pings have come, which it answers if it does that. */
    int pings() {
      return pings(received());
    }

    /** Settings that have come, and no acknowledgements. */
    List<String> settings() {
      return received().stream().filter(frame -> frame.matches("SETTINGS( \\d.*)?")).toList();
    }

    private int pings(List<String> frames) {
      List<String> pings = frames.stream().filter(frame -> frame.matches("PING \\d+")).toList();
      if (answersPings && !pings.isEmpty()) {
        pings.forEach(ping -> peer.pingAck(Long.parseLong(ping.substring("PING ".length()))));
        send();
      }
      return pings.size();
    }

    private List<String> received() {
      pool.run();
      return peer.received();
    }

    /** The connection breaks. */
    void breakOff() {
      channel.close();
      pool.run();
    }
  }
}
