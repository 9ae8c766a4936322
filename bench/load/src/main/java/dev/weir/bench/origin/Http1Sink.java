package dev.weir.bench.origin;

import dev.weir.proxy.http1.ChunkScanner;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.loop.ChannelIo;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.LongAdder;
import org.agrona.concurrent.UnsafeBuffer;

/** Answers every request of HTTP/1.1 with the same bytes, on 127.0.0.1; HEAD without the body. */
public final class Http1Sink implements Sink {
  private static final int MAX_FIELDS = 128;
  private static final int MAX_TARGET_BYTES = 16 << 10;

  private final LongAdder requests = new LongAdder();
  private final byte[] answer;
  private final int headLength;
  private final Channel server;

  /**
   * Listens on a free port.
   *
   * @param answer a whole response.
   */
  public Http1Sink(EventLoopGroup group, Transport transport, byte[] answer) {
    this.answer = answer;
    headLength = new String(answer, StandardCharsets.ISO_8859_1).indexOf("\r\n\r\n") + 4;
    server =
        LocalLoop.listen(
            group, transport, 0, client -> client.pipeline().addLast(new Connection()));
  }

  /** A response of that status with a short body. */
  public static byte[] answer(String status) {
    return ("HTTP/1.1 " + status + "\r\nContent-Type: text/plain\r\nContent-Length: 3\r\n\r\nok\n")
        .getBytes(StandardCharsets.US_ASCII);
  }

  /** A response of 200 with so many bytes of text. */
  public static byte[] answer(int bodyBytes) {
    final String head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ";
    return (head + bodyBytes + "\r\n\r\n" + "x".repeat(bodyBytes))
        .getBytes(StandardCharsets.US_ASCII);
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) server.localAddress();
  }

  public long requestCount() {
    return requests.sum();
  }

  @Override
  public void close() {
    server.close().awaitUninterruptibly();
  }

  private final class Connection extends ChannelInboundHandlerAdapter {
    private final RequestHead head = new RequestHead(MAX_FIELDS, MAX_TARGET_BYTES);
    private final ChunkScanner chunks = new ChunkScanner();
    private final UnsafeBuffer window = new UnsafeBuffer();
    private ByteBuf in;
    private long bodyLeft;
    private boolean chunked;

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      in = ChannelIo.append(in, (ByteBuf) message);
      while (in.isReadable() && (chunked ? skipChunks(ctx) : skipBody(ctx) && readHead(ctx))) {
        continue;
      }
      if (!in.isReadable()) {
        in.release();
        in = null;
      }
    }

    private boolean skipBody(ChannelHandlerContext ctx) {
      if (bodyLeft == 0) {
        return true;
      }
      final int taken = (int) Math.min(bodyLeft, in.readableBytes());
      in.skipBytes(taken);
      bodyLeft -= taken;
      if (bodyLeft == 0) {
        answer(ctx);
      }
      return bodyLeft == 0 && in.isReadable();
    }

    private boolean skipChunks(ChannelHandlerContext ctx) {
      ChannelIo.view(in, window);
      final int limit = in.readableBytes();
      int at = 0;
      int kind = chunks.next(window, at, limit);
      while (kind != ChunkScanner.INCOMPLETE && kind != ChunkScanner.MALFORMED) {
        at = chunks.segmentEnd();
        if (kind == ChunkScanner.END) {
          chunked = false;
          answer(ctx);
          break;
        }
        kind = chunks.next(window, at, limit);
      }
      in.skipBytes(at);
      if (kind == ChunkScanner.MALFORMED) {
        ctx.close();
      }
      return !chunked;
    }

    private boolean readHead(ChannelHandlerContext ctx) {
      ChannelIo.view(in, window);
      final int length = head.scan(window, 0, in.readableBytes(), Peer.LOOPBACK);
      if (length == RequestHead.REFUSED) {
        in.skipBytes(in.readableBytes());
        ctx.close();
        return false;
      }
      if (length == RequestHead.INCOMPLETE) {
        return false;
      }
      in.skipBytes(length);
      if (head.chunked()) {
        chunked = true;
        chunks.reset();
      } else if (head.contentLength() > 0) {
        bodyLeft = head.contentLength();
      } else {
        answer(ctx);
      }
      return true;
    }

    private void answer(ChannelHandlerContext ctx) {
      requests.increment();
      final int length = head.headMethod() ? headLength : answer.length;
      ctx.write(ctx.alloc().directBuffer(length).writeBytes(answer, 0, length), ctx.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
      ctx.flush();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      if (in != null) {
        in.release();
        in = null;
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
      ctx.close();
    }
  }
}
