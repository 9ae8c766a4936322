package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.upstream.ConnectionCounts.Use;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A pool of connections to services of HTTP/1.1, each of which is in the hand of the test. */
public final class HeldHttp1Pool extends HeldUpstream {
  public static final long RESPONSE_NS = TimeUnit.SECONDS.toNanos(2);
  public static final long IDLE_NS = TimeUnit.SECONDS.toNanos(3);

  private final EmbeddedChannel connector = new EmbeddedChannel();
  private final List<Service> services = new ArrayList<>();

  public final UpstreamPool pool;

  public HeldHttp1Pool() {
    pool = pool(2);
    serve(pool);
  }

  /**
   * @param places as many connections, streams, and requests that wait.
   */
  public HeldHttp1Pool(int places) {
    pool = pool(places);
    serve(pool);
  }

  public HeldHttp1Pool(UpstreamAddresses addresses) {
    super(addresses);
    pool = pool(2);
    serve(pool);
  }

  private UpstreamPool pool(int places) {
    return new UpstreamPool(
        new UpstreamLoop(
            new UpstreamSettings(
                ADDRESS,
                UpstreamProtocol.HTTP1,
                null,
                new UpstreamTimeouts(MINUTE_NS, RESPONSE_NS, IDLE_NS, MINUTE_NS),
                new UpstreamCaps(places, places, places, places)),
            addresses,
            connector.eventLoop(),
            time.clock,
            time.deadlines,
            metrics),
        new UpstreamEndpoint(Transport.NIO, ADDRESS, "service", null));
  }

  /** A service whose connection nobody uses yet: the next that asks does. */
  public Service connect() {
    Service service = service();
    pool.adopt(service.channel, addresses.current());
    return service;
  }

  /** A service at the other end of a connection that the pool does not know yet. */
  public Service service() {
    Service service = new Service();
    services.add(service);
    return service;
  }

  /** Lets time pass, and the deadlines in it. */
  public void pass(long ns) {
    time.pass(ns);
    connector.runPendingTasks();
  }

  /** Ends all connections, and finds that none counts as anything. */
  public void close() {
    services.forEach(service -> service.channel.finishAndReleaseAll());
    assertTrue(pool.isUnused());
    addresses.close();
  }

  /** The service at the other end of a connection. */
  public static final class Service {
    public final DuplexConnection channel = new DuplexConnection();

    /** Sends bytes, in one read. */
    public Service send(String text) {
      channel.writeInbound(Unpooled.copiedBuffer(text, StandardCharsets.ISO_8859_1));
      return this;
    }

    /** Ends its side, behind which it still reads. */
    public void endOutput() {
      channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
    }

    /** Ends the connection. */
    public void end() {
      channel.close();
    }

    /** Breaks the connection, without an end. */
    public void reset() {
      channel.pipeline().fireExceptionCaught(new IOException("reset"));
    }

    /** Says whether it takes what is written. */
    public void takes(boolean isWritable) {
      channel.unsafe().outboundBuffer().setUserDefinedWritability(1, isWritable);
      channel.runPendingTasks();
    }

    /** What it has got since this was called last. */
    public String got() {
      StringBuilder text = new StringBuilder();
      for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
        text.append(bytes.toString(StandardCharsets.ISO_8859_1));
        bytes.release();
      }
      return text.toString();
    }

    public boolean isConnected() {
      return channel.isOpen();
    }

    /** Whether what it sends is read. */
    public boolean isRead() {
      return channel.config().isAutoRead();
    }

    /** What its connection counts as. */
    public Use use() {
      return connection().use;
    }

    private UpstreamConnection connection() {
      return channel.pipeline().get(UpstreamConnection.class);
    }
  }

  /** A connection whose sides end one by one. */
  public static final class DuplexConnection extends EmbeddedChannel implements DuplexChannel {
    private boolean outputEnded;

    @Override
    public boolean isInputShutdown() {
      return false;
    }

    @Override
    public ChannelFuture shutdownInput() {
      return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
      throw new UnsupportedOperationException();
    }

    @Override
    public boolean isOutputShutdown() {
      return outputEnded;
    }

    @Override
    public ChannelFuture shutdownOutput() {
      return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
      outputEnded = true;
      return promise.setSuccess();
    }

    @Override
    public boolean isShutdown() {
      return !isOpen();
    }

    @Override
    public ChannelFuture shutdown() {
      return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
      throw new UnsupportedOperationException();
    }
  }
}
