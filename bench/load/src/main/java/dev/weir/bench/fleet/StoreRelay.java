package dev.weir.bench.fleet;

import dev.weir.bench.origin.LocalLoop;
import dev.weir.bench.scenario.ClientSettings;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.ReferenceCountUtil;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;

/**
 * The way from sidecars to a store, as an address that moves from server to server has it: what
 * passes may be late, wait, or be lost with its connection. One event loop of its own; the methods
 * may be called by any thread, and have come to pass when they return.
 */
final class StoreRelay implements AutoCloseable {
  private final LocalLoop loop = new LocalLoop("weir-fleet-relay", ClientSettings.usualTransport());
  private final EventLoop eventLoop = loop.eventLoop();
  private final Set<Pair> pairs = new HashSet<>();
  private final Channel listener;
  private InetSocketAddress server;
  private long delayNs;
  private boolean held;
  private int repliesToLose;

  StoreRelay(InetSocketAddress server) {
    this.server = server;
    listener = LocalLoop.listen(eventLoop, loop.transport(), 0, client -> new Pair(client).open());
  }

  int port() {
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  /** From now on leads to another server; connections to the one before are reset. */
  void moveTo(InetSocketAddress next) {
    on(
        () -> {
          server = next;
          Set.copyOf(pairs).forEach(Pair::reset);
          return true;
        });
  }

  /** Whatever servers send from now on comes so much later; 0 for at once. */
  void delayReplies(long ns) {
    on(() -> delayNs = ns);
  }

  /** Nothing passes either way until {@link #release}, as if a cable were out. */
  void hold() {
    on(() -> held = true);
  }

  /** Lets pass what was held, and all that comes. */
  void release() {
    on(
        () -> {
          held = false;
          Set.copyOf(pairs).forEach(Pair::pass);
          return true;
        });
  }

  /** The next reply of a server is lost, and its connection reset. */
  void loseReply() {
    on(() -> repliesToLose = 1);
  }

  private <T> void on(Callable<T> task) {
    eventLoop.submit(task).syncUninterruptibly();
  }

  @Override
  public void close() {
    listener.close().awaitUninterruptibly();
    on(
        () -> {
          Set.copyOf(pairs).forEach(Pair::reset);
          return true;
        });
    loop.close();
  }

  /** A sidecar's connection, and the one to the server that belongs to it; on the event loop. */
  private final class Pair {
    private final Channel client;
    private final Way toServer = new Way(false);
    private final Way toClient = new Way(true);
    private Channel upstream;

    private Pair(Channel client) {
      this.client = client;
    }

    private void open() {
      pairs.add(this);
      client.pipeline().addLast(toServer);
      toClient.to = client;
      new Bootstrap()
          .group(eventLoop)
          .channel(loop.transport().clientChannel(server))
          .option(ChannelOption.TCP_NODELAY, true)
          .handler(toClient)
          .connect(server)
          .addListener(
              connected -> {
                if (connected.isSuccess()) {
                  toServer.to = upstream;
                  toServer.pass();
                } else {
                  reset();
                }
              });
    }

    private void pass() {
      toServer.pass();
      toClient.pass();
      if (!client.isActive() || !upstream.isActive()) {
        reset();
      }
    }

    private void reset() {
      if (pairs.remove(this)) {
        toServer.drop();
        toClient.drop();
        reset(client);
        reset(upstream);
      }
    }

    private void reset(Channel channel) {
      if (channel.isOpen()) {
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        channel.close();
      }
    }

    private final class Way extends ChannelInboundHandlerAdapter {
      private final boolean isOfServer;
      private final ArrayDeque<ByteBuf> waiting = new ArrayDeque<>();
      private Channel to;

      private Way(boolean isOfServer) {
        this.isOfServer = isOfServer;
      }

      @Override
      public void handlerAdded(ChannelHandlerContext ctx) {
        if (isOfServer) {
          upstream = ctx.channel();
        }
      }

      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (isOfServer && repliesToLose > 0) {
          repliesToLose--;
          reset();
        }
        if (!pairs.contains(Pair.this)) {
          ReferenceCountUtil.release(message);
          return;
        }
        waiting.add((ByteBuf) message);
        if (isOfServer && delayNs > 0) {
          eventLoop.schedule(this::passOne, delayNs, TimeUnit.NANOSECONDS);
        } else {
          pass();
        }
      }

      private void passOne() {
        final ByteBuf first = waiting.peek();
        if (first != null && !held && to != null) {
          waiting.poll();
          to.writeAndFlush(first);
        }
      }

      private void pass() {
        while (!waiting.isEmpty() && !held && to != null) {
          passOne();
        }
      }

      private void drop() {
        waiting.forEach(ReferenceCountUtil::release);
        waiting.clear();
      }

      @Override
      public void channelInactive(ChannelHandlerContext ctx) {
        // The end of a connection is held as what it carries is.
        if (!held) {
          reset();
        }
      }

      @Override
      public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        reset();
      }
    }
  }
}
