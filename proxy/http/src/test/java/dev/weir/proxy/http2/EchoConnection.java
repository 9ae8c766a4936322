package dev.weir.proxy.http2;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldEncoder;
import dev.weir.proxy.http2.hpack.FieldKind;
import dev.weir.proxy.http2.hpack.Fields;
import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.TurnEnd;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetSocketAddress;

/** A server that answers each request alike. */
public final class EchoConnection extends Http2Connection {
  private final FieldEncoder encoder = new FieldEncoder();
  private static final byte[] OK = {'a', 'n', 's', 'w', 'e', 'r'};

  public EchoConnection(Http2Loop loop, Channel channel) {
    super(loop, Role.SERVER, channel, new CountedGlitches(), 100);
  }

  @Override
  protected void headReceived(int stream, FieldBlock fields, boolean endStream) {
    final int length = fields.find(FieldKind.CONTENT_LENGTH, 0);
    if (length >= 0) {
      expectContent(stream, Long.parseLong(Fields.value(fields, length)));
    }
    if (!fields.hasPseudo(FieldKind.METHOD)
        || !fields.hasPseudo(FieldKind.PATH)
        || !fields.hasPseudo(FieldKind.SCHEME)
        || fields.hasPseudo(FieldKind.STATUS)
        || fields.valueLength(fields.find(FieldKind.PATH, 0)) == 0) {
      reset(stream, ErrorCode.PROTOCOL_ERROR);
      release(stream);
      return;
    }
    if (endStream) {
      answer(stream);
    }
  }

  private void answer(int stream) {
    final ByteBuf head = beginHead(stream);
    encoder.status(head, 200);
    endHead(stream, false);
    sendData(stream, channel.alloc().directBuffer(OK.length).writeBytes(OK), true);
    release(stream);
  }

  @Override
  protected int dataReceived(int stream, ByteBuf in, int offset, int bytes, boolean endStream) {
    if (endStream) {
      answer(stream);
    }
    return 0;
  }

  @Override
  protected void trailersReceived(int stream, FieldBlock fields) {
    answer(stream);
  }

  @Override
  protected void streamEnded(int stream, StreamEnd how, int errorCode) {
    release(stream);
  }

  @Override
  protected void bytesSent(int stream, int bytes) {}

  @Override
  protected void connectionEnded() {}

  /** Serves until the process ends. */
  public static void main(String[] args) throws InterruptedException {
    final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    final LoopClock clock = new LoopClock();
    final Deadlines deadlines = new Deadlines(clock);
    deadlines.start(group.next());
    final Http2Loop loop =
        new Http2Loop(clock, deadlines, new TurnEnd(group.next()), 32 << 20, 32 * 1024, 100);
    final ServerBootstrap server =
        new ServerBootstrap()
            .group(group)
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    channel.eventLoop().execute(() -> begin(loop, channel));
                  }
                });
    server
        .bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }

  private static void begin(Http2Loop loop, Channel channel) {
    final EchoConnection connection = new EchoConnection(loop, channel);
    channel.pipeline().addLast(connection);
    connection.start();
  }
}
