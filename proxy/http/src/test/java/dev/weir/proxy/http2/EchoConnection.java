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
public final class EchoConnection implements StreamEvents {
  final Http2Connection connection;
  private final Channel channel;
  private final Stream[] owners = new Stream[256];
  private final FieldEncoder encoder = new FieldEncoder();
  private static final byte[] OK = {'a', 'n', 's', 'w', 'e', 'r'};

  public EchoConnection(Http2Loop loop, Channel channel) {
    this.channel = channel;
    connection = new Http2Connection(loop, Role.SERVER, channel, new CountedGlitches(), 100, this);
    channel.pipeline().addLast(connection.handler());
  }

  @Override
  public void headReceived(int stream, FieldBlock fields, boolean endStream) {
    final int length = fields.find(FieldKind.CONTENT_LENGTH, 0);
    if (length >= 0) {
      connection.expectContent(stream, Long.parseLong(Fields.value(fields, length)));
    }
    if (!fields.hasPseudo(FieldKind.METHOD)
        || !fields.hasPseudo(FieldKind.PATH)
        || !fields.hasPseudo(FieldKind.SCHEME)
        || fields.hasPseudo(FieldKind.STATUS)
        || fields.valueLength(fields.find(FieldKind.PATH, 0)) == 0) {
      connection.reset(stream, ErrorCode.PROTOCOL_ERROR);
      connection.release(stream);
      return;
    }
    if (owners[stream] == null) {
      owners[stream] = new Stream(stream);
    }
    connection.owner(stream, owners[stream]);
    if (endStream) {
      answer(stream);
    }
  }

  /** The owner of each stream that has a slot's number. */
  private final class Stream implements StreamOwner {
    private final int stream;

    Stream(int stream) {
      this.stream = stream;
    }

    @Override
    public int dataReceived(ByteBuf in, int offset, int bytes, boolean endStream) {
      if (endStream) {
        answer(stream);
      }
      return 0;
    }

    @Override
    public void trailersReceived(FieldBlock fields) {
      answer(stream);
    }

    @Override
    public void cancelled(StreamEnd how, int errorCode) {
      connection.release(stream);
    }

    @Override
    public void bytesSent(int bytes) {}
  }

  private void answer(int stream) {
    final ByteBuf head = connection.beginHead(stream);
    encoder.status(head, 200);
    connection.endHead(stream, false);
    connection.sendData(stream, channel.alloc().directBuffer(OK.length).writeBytes(OK), true);
    connection.release(stream);
  }

  @Override
  public void connectionEnded() {}

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
                    channel.eventLoop().execute(() -> new EchoConnection(loop, channel));
                  }
                });
    server
        .bind(new InetSocketAddress("127.0.0.1", Integer.parseInt(args[0])))
        .sync()
        .channel()
        .closeFuture()
        .sync();
  }
}
