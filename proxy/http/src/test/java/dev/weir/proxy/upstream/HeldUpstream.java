package dev.weir.proxy.upstream;

import dev.weir.proxy.downstream.HeldAdmission;
import dev.weir.proxy.exchange.Origin;
import dev.weir.proxy.exchange.RequestLoop;
import dev.weir.proxy.exchange.RequestTimeouts;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.loop.HeldTime;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.metrics.LoopMetrics;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;

/** What connections to a service stand on, in the hand of a test: time, verdicts, clients. */
public abstract class HeldUpstream {
  /** A request without a body. */
  public static final String GET = "GET /a HTTP/1.1\r\nHost: h\r\n\r\n";

  public static final InetSocketAddress ADDRESS = new InetSocketAddress("127.0.0.1", 1);
  public static final long MINUTE_NS = TimeUnit.MINUTES.toNanos(1);

  public final HeldTime time = new HeldTime();
  public final UpstreamAddresses addresses;
  private final Metrics figures = new Metrics();
  public final LoopMetrics metrics = figures.newLoop();
  public final HeldAdmission admission = new HeldAdmission();
  private RequestLoop loop;

  /** Who asks. */
  public long clientKey = ClientKey.NONE;

  public HeldUpstream() {
    this(fixed());
  }

  /** Where the service is, as a test says. */
  public HeldUpstream(UpstreamAddresses addresses) {
    this.addresses = addresses;
  }

  private static UpstreamAddresses fixed() {
    try {
      return new UpstreamAddresses(ADDRESS, Transport.NIO);
    } catch (IOException unknown) {
      throw new AssertionError(unknown);
    }
  }

  /** Has clients asked for be given this service; to be said before the first of them. */
  public final void serve(Origin origin) {
    loop =
        new RequestLoop(
            time.clock,
            time.deadlines,
            admission,
            origin,
            request -> clientKey,
            1_000,
            metrics,
            new RequestTimeouts(MINUTE_NS, MINUTE_NS, MINUTE_NS));
  }

  /** The value of a figure without labels. */
  public final long figure(String name) {
    return new String(figures.expose(null).body(), StandardCharsets.UTF_8)
        .lines()
        .filter(line -> line.startsWith(name + ' '))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length() + 1)))
        .sum();
  }

  /** A client that has not asked yet. */
  public final HeldClient client() {
    return new HeldClient(loop);
  }

  /** A client that has asked with a head of HTTP/1.1. */
  public final HeldClient ask(String head) {
    return client().start(head(head));
  }

  /**
   * An answer of a model server that took 900 tokens, of our own writing by the public
   * documentation of such servers.
   *
   * @param isStreamed as server-sent events, or as one object of JSON.
   */
  public static String completion(boolean isStreamed) {
    String name = isStreamed ? "chat-completion-stream.txt" : "chat-completion.json";
    try (InputStream in = HeldUpstream.class.getResourceAsStream(name)) {
      return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException unread) {
      throw new UncheckedIOException(unread);
    }
  }

  /** A head of HTTP/1.1. */
  public static RequestHead head(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    RequestHead head = new RequestHead(100, 8192);
    if (head.scan(new UnsafeBuffer(bytes), 0, bytes.length, Peer.LOOPBACK) != bytes.length) {
      throw new AssertionError("no head: " + text);
    }
    head.source().set(Unpooled.wrappedBuffer(bytes), 0, bytes.length);
    return head;
  }
}
