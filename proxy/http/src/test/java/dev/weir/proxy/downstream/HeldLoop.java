package dev.weir.proxy.downstream;

import dev.weir.proxy.downstream.answer.AnswerSettings;
import dev.weir.proxy.downstream.h1.Http1Memory;
import dev.weir.proxy.downstream.h2.StreamRouter;
import dev.weir.proxy.downstream.listen.ClientProtocols;
import dev.weir.proxy.downstream.listen.EmbeddedClient;
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
public final class HeldLoop {
  public static final long HEAD_NS = TimeUnit.SECONDS.toNanos(10);
  public static final long IDLE_NS = TimeUnit.SECONDS.toNanos(60);
  public static final long WRITE_NS = TimeUnit.SECONDS.toNanos(30);
  public static final long BODY_NS = TimeUnit.SECONDS.toNanos(30);

  public final ClientShares memory;
  private final Http1Memory http1;
  public long clientKey = ClientKey.NONE;
  public final HeldAdmission admission = new HeldAdmission();
  public final HeldService service = new HeldService();
  public final Metrics metrics = new Metrics();
  public final EmbeddedChannel channel = new EmbeddedChannel();
  private final HeldTime time = new HeldTime(channel);
  public final ClientLoop loop;
  public final Http2Loop http2;
  public final ClientProtocols protocols;
  public final FramePeer client = new FramePeer(channel);

  public HeldLoop() {
    this(64 << 20);
  }

  /** Has so many bytes for all clients. */
  public HeldLoop(long memoryBytes) {
    this(memoryBytes, WRITE_NS);
  }

  /**
   * @param memoryBytes for all clients.
   * @param writeNs that a client may take nothing of its answer.
   */
  public HeldLoop(long memoryBytes, long writeNs) {
    this(memoryBytes, writeNs, 32 << 20);
  }

  /**
   * @param memoryBytes for all clients.
   * @param writeNs that a client may take nothing of its answer.
   * @param maxHeldBytes of contents and heads of all.
   */
  public HeldLoop(long memoryBytes, long writeNs, long maxHeldBytes) {
    this(null, memoryBytes, writeNs, maxHeldBytes);
  }

  /** Other listeners of the same event loop. */
  public HeldLoop beside() {
    return new HeldLoop(http1, 64 << 20, WRITE_NS, 32 << 20);
  }

  private HeldLoop(Http1Memory shared, long memoryBytes, long writeNs, long maxHeldBytes) {
    http1 = shared == null ? new Http1Memory(time.clock, maxHeldBytes) : shared;
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
            loopMetrics);
    http2 =
        new Http2Loop(
            time.clock,
            time.deadlines,
            new TurnEnd(channel.eventLoop()),
            maxHeldBytes,
            32 * 1024,
            100);
    protocols =
        new ClientProtocols(
            loop, http1, http2, loopMetrics.http2Clients(), StreamRouter.REQUESTS_ONLY);
  }

  /** Connects, and says nothing. */
  public HeldLoop connect() {
    return connect(Peer.LOOPBACK);
  }

  private HeldLoop connect(Peer peer) {
    EmbeddedClient.connect(protocols, channel, peer, memory.of(null));
    return this;
  }

  /** Connects as a client of HTTP/2, and reads what every connection begins with. */
  public HeldLoop connectHttp2() {
    connect();
    client.startAsClient().send();
    client.received();
    return this;
  }

  /** Connects as an ingress that is believed, and carries many clients' streams by HTTP/2. */
  public HeldLoop connectIngress() {
    connect(new Peer(IpAddress.LOOPBACK, true));
    client.startAsClient().send();
    client.received();
    return this;
  }

  /** The client sends bytes, in one read. */
  public void send(String text) {
    channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
  }

  /** How many deadlines are looked at in each sweep. */
  public int deadlines() {
    return time.deadlines.count();
  }

  /** Lets time pass, and the deadlines in it. */
  public void pass(long ns) {
    time.pass(ns);
  }

  /** Lets time pass before the next look at the deadlines. */
  public void passUnseen(long ns) {
    time.passUnseen(ns);
  }

  /** Ends the connection. */
  public void close() {
    channel.finishAndReleaseAll();
  }
}
