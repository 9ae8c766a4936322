package dev.weir.proxy.downstream;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.http2.Http2Loop;
import dev.weir.proxy.loop.ClientShares;
import dev.weir.proxy.loop.HeldTime;
import dev.weir.proxy.loop.TurnEnd;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection on an {@link EmbeddedChannel}, with time, verdicts and service in the hand
 * of the test.
 */
final class HeldLoop {
  static final long HEAD_NS = TimeUnit.SECONDS.toNanos(10);
  static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);
  static final long WRITE_NS = TimeUnit.SECONDS.toNanos(30);
  static final long BODY_NS = TimeUnit.SECONDS.toNanos(30);

  final ClientShares memory;
  long clientKey = ClientKey.NONE;
  final HeldAdmission admission = new HeldAdmission();
  final HeldService service = new HeldService();
  final Metrics metrics = new Metrics();
  final EmbeddedChannel channel = new EmbeddedChannel();
  private final HeldTime time = new HeldTime(channel);
  final ClientLoop loop;
  final FramePeer client = new FramePeer(channel);

  HeldLoop() {
    this(64 << 20);
  }

  /** Has so many bytes for all clients. */
  HeldLoop(long memoryBytes) {
    this(memoryBytes, WRITE_NS);
  }

  /**
   * @param memoryBytes for all clients.
   * @param writeNs that a client may take nothing of its answer.
   */
  HeldLoop(long memoryBytes, long writeNs) {
    this(memoryBytes, writeNs, 32 << 20);
  }

  /**
   * @param memoryBytes for all clients.
   * @param writeNs that a client may take nothing of its answer.
   * @param maxHeldBytes of contents and heads of all.
   */
  HeldLoop(long memoryBytes, long writeNs, long maxHeldBytes) {
    memory = new ClientShares(memoryBytes);
    LoopMetrics loopMetrics = metrics.newLoop();
    loop =
        new ClientLoop(
            new ClientSettings(
                List.of(ListenerSettings.plain(new InetSocketAddress(0))),
                new ClientTimeouts(HEAD_NS, BODY_NS, IDLE_NS, writeNs, IDLE_NS),
                new ClientCaps(32 * 1024, 100, 8 * 1024, 1, 1),
                new AnswerSettings(true, true)),
            time.clock,
            time.deadlines,
            memory,
            admission,
            service,
            request -> clientKey,
            loopMetrics,
            new Http2Loop(
                time.clock,
                time.deadlines,
                new TurnEnd(channel.eventLoop()),
                maxHeldBytes,
                32 * 1024,
                100),
            loopMetrics.http2Clients(),
            StreamRouter.REQUESTS_ONLY);
  }

  /** Connects, and says nothing. */
  HeldLoop connect() {
    return connect(Peer.LOOPBACK);
  }

  private HeldLoop connect(Peer peer) {
    channel.pipeline().addLast(new ProtocolChoice(loop, channel, peer, memory.of(null)));
    channel.pipeline().fireChannelActive();
    return this;
  }

  /** Connects as a client of HTTP/2, and reads what every connection begins with. */
  HeldLoop connectHttp2() {
    connect();
    client.startAsClient().send();
    client.received();
    return this;
  }

  /** Connects as an ingress that is believed, and carries many clients' streams by HTTP/2. */
  HeldLoop connectIngress() {
    connect(new Peer(IpAddress.LOOPBACK, true));
    client.startAsClient().send();
    client.received();
    return this;
  }

  /** The client sends bytes, in one read. */
  void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  /** How many deadlines are looked at in each sweep. */
  int deadlines() {
    return time.deadlines.count();
  }

  /** Lets time pass, and the deadlines in it. */
  void pass(long ns) {
    time.pass(ns);
  }

  /** Ends the connection. */
  void close() {
    channel.finishAndReleaseAll();
  }
}
