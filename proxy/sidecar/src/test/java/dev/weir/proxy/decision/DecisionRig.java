package dev.weir.proxy.decision;

import dev.weir.proxy.decision.grpc.GrpcMethod;
import dev.weir.proxy.decision.http.HttpEndpoint;
import dev.weir.proxy.decision.http.Tokens;
import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.downstream.ClientSettings;
import dev.weir.proxy.downstream.ClientTimeouts;
import dev.weir.proxy.downstream.ListenerSettings;
import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.listen.EmbeddedClient;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.HeldTime;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.DecisionObserver;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The decision API on one event loop and one connection, with time in the hand of the test. */
public final class DecisionRig {
  public static final long BODY_NS = TimeUnit.SECONDS.toNanos(30);
  private static final long NS = TimeUnit.SECONDS.toNanos(60);

  public final EmbeddedChannel channel = new EmbeddedChannel();
  private final HeldTime time = new HeldTime(channel);
  public final LoopClock clock = time.clock;
  public final FramePeer client = new FramePeer(channel);
  public final Http2Loop http2 =
      new Http2Loop(
          clock, time.deadlines, new TurnEnd(channel.eventLoop()), 32 << 20, 32 * 1024, 100);

  /** What was told of calls: how many are open, and the statuses of those that ended. */
  public int open;

  public final List<String> ends = new ArrayList<>();
  private final LoopMetrics metrics = new Metrics().newLoop();
  private DecisionLoop loop;
  private Tokens tokens = Tokens.NONE;

  /** Listens with these. */
  public DecisionRig with(List<GrpcMethod> methods, List<HttpEndpoint> endpoints) {
    DecisionObserver observer =
        new DecisionObserver() {
          @Override
          public void callStarted(DecisionCall what) {
            open++;
          }

          @Override
          public void callEnded(DecisionCall what, int grpcStatus) {
            open--;
            ends.add(what + " " + grpcStatus);
          }
        };
    loop =
        new DecisionLoop(
            new ClientSettings(
                List.of(ListenerSettings.plain(new InetSocketAddress(0))),
                new ClientTimeouts(NS, BODY_NS, NS, NS, NS),
                new ClientCaps(32 * 1024, 100, 8 * 1024, 1, 1),
                new AnswerSettings(true, true)),
            clock,
            time.deadlines,
            new ClientShares(64 << 20),
            new Http1Memory(clock, 32 << 20),
            http2,
            methods,
            endpoints,
            tokens,
            observer,
            metrics,
            metrics.http2Clients());
    return this;
  }

  /** Has these tokens; to be said first. */
  public DecisionRig tokens(Tokens of) {
    tokens = of;
    return this;
  }

  public DecisionLoop loop() {
    return loop;
  }

  public DecisionRig connect() {
    return connect(Peer.LOOPBACK);
  }

  public DecisionRig connect(Peer peer) {
    EmbeddedClient.connect(loop.clients(), channel, peer);
    return this;
  }

  /** Connects as a client of HTTP/2, and reads what every connection begins with. */
  public DecisionRig connectHttp2() {
    connect();
    client.startAsClient().send();
    client.received();
    return this;
  }

  /** A call's head. */
  public FramePeer head(int stream, String path, String... lines) {
    List<String> all = new ArrayList<>(List.of(lines));
    all.add(0, "content-type: application/grpc");
    all.add(1, "te: trailers");
    return client.request(stream, false, "POST", path, all.toArray(String[]::new));
  }

  /** A message with its prefix. */
  public static byte[] message(byte... bytes) {
    return ByteBuffer.allocate(5 + bytes.length)
        .put((byte) 0)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  /** The same, as text. */
  public static String message(String bytes) {
    return "\0\0\0" + (char) (bytes.length() >> 8) + (char) (bytes.length() & 0xff) + bytes;
  }

  /** Has all memory of messages that come counted. */
  public UnpooledByteBufAllocator countMemory() {
    UnpooledByteBufAllocator counting = new UnpooledByteBufAllocator(true);
    channel.config().setAllocator(counting);
    return counting;
  }

  /** Another client of HTTP/2, on a connection of its own. */
  public FramePeer another(EmbeddedChannel of) {
    return another(of, null);
  }

  /**
   * A client of HTTP/2, on a connection of its own.
   *
   * @param client whom the connection is counted for; null if many may stand there.
   */
  public FramePeer another(EmbeddedChannel of, Object client) {
    EmbeddedClient.connect(loop.clients(), of, Peer.LOOPBACK, client);
    FramePeer peer = new FramePeer(of).startAsClient();
    peer.send();
    peer.received();
    return peer;
  }

  public void pass(long ns) {
    time.pass(ns);
  }

  public void close() {
    channel.finishAndReleaseAll();
  }
}
