package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import dev.weir.bench.load.LoadSink.Failure;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.InetSocketAddress;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** One connection of a load, of which a test sees each thing that is told, in words. */
final class WatchedConnection implements LoadSink, AutoCloseable {
  private static final int SECONDS = 20;
  private static final String ROOM = "room";

  private final EventLoopGroup loops =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final BlockingQueue<String> told = new LinkedBlockingQueue<>();
  private volatile LoadConnection connection;

  /** Connects; the handlers come behind what the test adds. */
  <C extends ChannelHandler & LoadConnection> WatchedConnection connect(
      InetSocketAddress address, C made, Consumer<Channel> before) {
    connection = made;
    new Bootstrap()
        .group(loops)
        .channel(NioSocketChannel.class)
        .option(ChannelOption.TCP_NODELAY, true)
        .handler(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel channel) {
                before.accept(channel);
                channel.pipeline().addLast(made);
              }
            })
        .connect(address)
        .syncUninterruptibly();
    return this;
  }

  WatchedConnection http2(InetSocketAddress address, int maxStreams, boolean grpc) {
    return connect(
        address,
        new Http2Connection(this, maxStreams, grpc, AnswerFields.newBlock()),
        channel -> {});
  }

  /** Connects, and is ready for requests. */
  WatchedConnection opened(InetSocketAddress address, int maxStreams, boolean grpc) {
    http2(address, maxStreams, grpc).expect("opened");
    return this;
  }

  /** Starts a request for each due time, which is also when it is started, and sends them. */
  void start(Request request, long... dueNs) {
    on(
        c -> {
          for (long due : dueNs) {
            c.start(request, due, due);
          }
          c.flush();
        });
  }

  void on(Consumer<LoadConnection> action) {
    loops.next().submit(() -> action.accept(connection)).syncUninterruptibly();
  }

  boolean hasRoom() {
    return loops.next().submit(() -> connection.hasRoom()).syncUninterruptibly().getNow();
  }

  int inFlight() {
    return loops.next().submit(() -> connection.inFlight()).syncUninterruptibly().getNow();
  }

  /** What is told next, that there is room aside. */
  String next() {
    String text = take();
    while (text.equals(ROOM)) {
      text = take();
    }
    return text;
  }

  /** That this is told next, that there is room aside, in this order. */
  void expect(String... texts) {
    for (String text : texts) {
      assertEquals(text, next());
    }
  }

  void expectRoom() {
    assertEquals(ROOM, take());
  }

  private String take() {
    try {
      String text = told.poll(SECONDS, TimeUnit.SECONDS);
      assertNotNull(text, "nothing was told in time");
      return text;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Override
  public void opened(LoadConnection opened) {
    told.add("opened");
  }

  @Override
  public void shakenHands(boolean resumed) {}

  @Override
  public void refused(Throwable cause) {
    told.add("refused: " + cause.getMessage());
  }

  @Override
  public void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs) {
    assertEquals(dueNs, startedNs);
    told.add(dueNs + " " + httpStatus + (grpcStatus < 0 ? "" : " grpc " + grpcStatus));
  }

  @Override
  public void failed(Failure failure, long dueNs, long startedNs) {
    assertEquals(dueNs, startedNs);
    told.add(dueNs + " " + failure);
  }

  @Override
  public void room(LoadConnection roomy) {
    told.add(ROOM);
  }

  @Override
  public void closed(LoadConnection closed) {
    told.add("closed");
  }

  /** Ends its event loop, and with it the connection; fails over what was told and not expected. */
  @Override
  public void close() {
    if (connection != null) {
      on(LoadConnection::close);
    }
    loops.shutdownGracefully(0, SECONDS, TimeUnit.SECONDS).syncUninterruptibly();
    told.removeIf(ROOM::equals);
    assertEquals("[]", told.toString());
  }
}
