package dev.weir.bench.torture.traffic;

import dev.weir.bench.process.ServerProcess;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;

/** A service of HTTP/2 in the clear by Netty, also for calls of gRPC. */
final class Http2Service implements Service {
  private final Ledger ledger;
  private final int port;
  private final ChannelGroup connections = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
  private Channel listening;

  /** Listens on a free port. */
  Http2Service(Ledger ledger) throws IOException {
    this.ledger = ledger;
    port = ServerProcess.freePort();
    listen();
  }

  @Override
  public String url() {
    return "h2c://127.0.0.1:" + port;
  }

  @Override
  public void listen() {
    listening =
        new ServerBootstrap()
            .group(ClientLoop.group())
            .channel(NioServerSocketChannel.class)
            .childHandler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel connection) {
                    connections.add(connection);
                    connection
                        .pipeline()
                        .addLast(Http2FrameCodecBuilder.forServer().build())
                        .addLast(new Http2MultiplexHandler(new Streams()))
                        .addLast(new Ending());
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .syncUninterruptibly()
            .channel();
  }

  @Override
  public void stop() {
    listening.close().syncUninterruptibly();
    connections.close().awaitUninterruptibly();
  }

  @Override
  public void close() {
    stop();
  }

  /** Ends a connection on which its client, or a hostile one behind it, has gone too far. */
  private final class Ending extends ChannelInboundHandlerAdapter {
    @Override
    public void exceptionCaught(ChannelHandlerContext connection, Throwable cause) {
      ledger.ended("a connection", cause);
      connection.close();
    }
  }

  private final class Streams extends ChannelInitializer<Channel> {
    @Override
    protected void initChannel(Channel stream) {
      stream.pipeline().addLast(new Stream());
    }
  }

  /** One request: its head, its content, and the answer once it has ended. */
  private final class Stream extends ChannelInboundHandlerAdapter {
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private Http2Headers head;

    @Override
    public void channelRead(ChannelHandlerContext stream, Object frame) {
      try {
        boolean ended = false;
        if (frame instanceof Http2HeadersFrame headers && head == null) {
          head = headers.headers();
          ledger.note(head.get(Question.NUMBER));
          ended = headers.isEndStream();
          if ("unread".contentEquals(conduct())) {
            stream.channel().config().setAutoRead(false); // neither window opens again
          }
        } else if (frame instanceof Http2HeadersFrame trailers) {
          ended = trailers.isEndStream();
        } else if (frame instanceof Http2DataFrame data) {
          content.writeBytes(ByteBufUtil.getBytes(data.content()));
          ended = data.isEndStream();
        }
        if (ended) {
          answer(stream);
        }
      } finally {
        ReferenceCountUtil.release(frame);
      }
    }

    private String conduct() {
      final CharSequence told = head.get(Question.CONDUCT);
      return told == null ? "echo" : told.toString();
    }

    private void answer(ChannelHandlerContext stream) {
      final String conduct = conduct();
      switch (conduct.split(",")[0]) {
        case "silent" -> later(stream, SILENT_MS, () -> reset(stream));
        case "reset" -> {
          stream.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
          reset(stream);
        }
        case "lie" -> {
          final Http2Headers lie = new DefaultHttp2Headers().status("200");
          stream.write(new DefaultHttp2HeadersFrame(lie.set("content-length", "9")));
          data(stream, Unpooled.wrappedBuffer(new byte[4]), true);
        }
        case "large" -> {
          stream.write(new DefaultHttp2HeadersFrame(new DefaultHttp2Headers().status("200")));
          data(stream, Unpooled.wrappedBuffer(LARGE), true);
        }
        default ->
            later(
                stream,
                conduct.contains("slow") ? SLOW_MS : 0,
                () -> echo(stream, conduct.contains("chunked")));
      }
    }

    private void later(ChannelHandlerContext stream, int ms, Runnable task) {
      if (ms == 0) {
        task.run();
      } else {
        stream.executor().schedule(task, ms, TimeUnit.MILLISECONDS);
      }
    }

    private void reset(ChannelHandlerContext stream) {
      stream.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.INTERNAL_ERROR));
    }

    private void data(ChannelHandlerContext stream, ByteBuf bytes, boolean last) {
      stream.writeAndFlush(new DefaultHttp2DataFrame(bytes, last));
    }

    private void echo(ChannelHandlerContext stream, boolean chunked) {
      final CharSequence number = head.get(Question.NUMBER);
      ledger.answers(number);
      final CharSequence type = head.get("content-type");
      final boolean call = type != null && type.toString().startsWith("application/grpc");
      final Http2Headers answer = new DefaultHttp2Headers().status("200");
      answer.set(Question.NUMBER, number == null ? "0" : number);
      if (call) {
        answer.set("content-type", type);
      }
      stream.write(new DefaultHttp2HeadersFrame(answer));
      final boolean trailers = call || chunked;
      data(stream, Unpooled.wrappedBuffer(content.toByteArray()), !trailers);
      if (trailers) {
        final Http2Headers end = new DefaultHttp2Headers();
        end.set("x-end", number == null ? "0" : number);
        if (call) {
          end.set("grpc-status", "0");
        }
        stream.writeAndFlush(new DefaultHttp2HeadersFrame(end, true));
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext stream, Throwable cause) {
      ledger.ended("a stream", cause); // mostly as the other side has gone
      stream.close();
    }
  }
}
