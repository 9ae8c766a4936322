package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Condition;
import dev.weir.bench.torture.plan.KeyPlan;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.handler.codec.http2.DefaultHttp2DataFrame;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2MultiplexHandler;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2StreamChannelBootstrap;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ApplicationProtocolNames;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.IdentityCipherSuiteFilter;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.netty.util.concurrent.Future;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import javax.net.ssl.SSLContext;

/**
 * A connection of HTTP/2 by Netty, with one request at a time: proxied ones, calls of gRPC through
 * the proxy, or calls of the decision API.
 */
final class Http2Connection implements Connection {

  private static final String SHOULD_RATE_LIMIT =
      "/envoy.service.ratelimit.v3.RateLimitService/ShouldRateLimit";

  /** Fields of an answer about quotas, and of one. */
  private static final int QUOTAS = 2;

  private static final int CURRENT_COUNT = 2;

  private static final int MESSAGE_PREFIX = 5;
  private static final int RESOURCE_EXHAUSTED = 8;
  private static final int UNAVAILABLE = 14;

  /** What is asked over it. */
  enum Use {
    REQUESTS,
    CALLS,
    CHECKS,
    ENVOY
  }

  private final Use use;
  private final int timeoutMs;
  private final Channel channel;
  private volatile boolean open = true;

  /** An answer as it came; {@code trailers} are those of the head if there is nothing else. */
  private record Reply(Http2Headers head, byte[] content, Http2Headers trailers) {}

  /** Connects to a port of 127.0.0.1, without TLS. */
  Http2Connection(int port, Use use, int timeoutMs) throws IOException {
    this(port, null, use, timeoutMs);
  }

  /**
   * Connects to a port of 127.0.0.1, and ends the handshake of TLS.
   *
   * @param tls null for a connection without.
   */
  Http2Connection(int port, SSLContext tls, Use use, int timeoutMs) throws IOException {
    this.use = use;
    this.timeoutMs = timeoutMs;
    final ChannelFuture connecting =
        new Bootstrap()
            .group(ClientLoop.group())
            .channel(NioSocketChannel.class)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, timeoutMs)
            .option(ChannelOption.TCP_NODELAY, true)
            .handler(
                new ChannelInitializer<>() {
                  @Override
                  protected void initChannel(Channel connection) {
                    if (tls != null) {
                      connection.pipeline().addLast(secured(tls).newHandler(connection.alloc()));
                    }
                    connection
                        .pipeline()
                        .addLast(Http2FrameCodecBuilder.forClient().build())
                        .addLast(new Http2MultiplexHandler(new ChannelInboundHandlerAdapter()))
                        .addLast(new Watch());
                  }
                })
            .connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port))
            .awaitUninterruptibly();
    if (!connecting.isSuccess()) {
      throw new IOException(connecting.cause());
    }
    channel = connecting.channel();
    if (tls != null) {
      final Future<Channel> handshake =
          channel.pipeline().get(SslHandler.class).handshakeFuture().awaitUninterruptibly();
      if (!handshake.isSuccess()) {
        throw new IOException(handshake.cause());
      }
    }
  }

  private static SslContext secured(SSLContext tls) {
    return new JdkSslContext(
        tls,
        true,
        null,
        IdentityCipherSuiteFilter.INSTANCE,
        new ApplicationProtocolConfig(
            ApplicationProtocolConfig.Protocol.ALPN,
            ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
            ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
            ApplicationProtocolNames.HTTP_2),
        ClientAuth.NONE,
        null,
        false);
  }

  /** Learns that no further stream may be opened. */
  private final class Watch extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext context, Object frame) {
      if (frame instanceof Http2GoAwayFrame) {
        open = false;
      }
      ReferenceCountUtil.release(frame);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      open = false;
      context.close();
    }
  }

  /** One stream. */
  private static final class Exchange extends ChannelInboundHandlerAdapter {
    private final CompletableFuture<Reply> reply = new CompletableFuture<>();
    private final ByteArrayOutputStream content = new ByteArrayOutputStream();
    private Http2Headers head;

    @Override
    public void channelRead(ChannelHandlerContext stream, Object frame) {
      try {
        if (frame instanceof Http2HeadersFrame headers) {
          if (head == null) {
            head = headers.headers();
          }
          end(headers.isEndStream(), headers.headers());
        } else if (frame instanceof Http2DataFrame data) {
          content.writeBytes(ByteBufUtil.getBytes(data.content()));
          end(data.isEndStream(), new DefaultHttp2Headers());
        } else if (frame instanceof Http2ResetFrame reset) {
          reply.completeExceptionally(new IOException("reset: " + reset.errorCode()));
        }
      } finally {
        ReferenceCountUtil.release(frame);
      }
    }

    private void end(boolean ended, Http2Headers last) {
      if (ended) {
        reply.complete(new Reply(head, content.toByteArray(), last));
      }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext stream, Object event) {
      if (event instanceof Http2ResetFrame reset) {
        reply.completeExceptionally(new IOException("reset: " + reset.errorCode()));
      }
      ReferenceCountUtil.release(event);
    }

    @Override
    public void channelInactive(ChannelHandlerContext stream) {
      reply.completeExceptionally(new IOException("the stream ended"));
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext stream, Throwable cause) {
      reply.completeExceptionally(new IOException(cause));
    }
  }

  @Override
  public Answer ask(Question question) throws IOException {
    return switch (use) {
      case REQUESTS -> requested(question);
      case CALLS -> called(question);
      case CHECKS -> checked(question);
      case ENVOY -> rateLimited(question);
    };
  }

  private Answer requested(Question question) throws IOException {
    final byte[] content = Content.of(question.number(), question.bodyLength());
    final Reply reply = exchange(head(question, content.length > 0 ? "POST" : "GET"), content);
    final String status = String.valueOf(reply.head.status());
    return switch (status) {
      case "200" -> compared(question, reply, content, question.chunked());
      case "429" -> Answer.REFUSED;
      default -> failed(status.equals("503"), status + " " + text(reply.content));
    };
  }

  private Answer called(Question question) throws IOException {
    final byte[] message = message(Content.of(question.number(), question.bodyLength()));
    final Http2Headers head = head(question, "POST");
    head.set("content-type", "application/grpc");
    final Reply reply = exchange(head, message);
    final int status = reply.trailers.getInt("grpc-status", -1);
    return switch (status) {
      case 0 -> compared(question, reply, message, true);
      case RESOURCE_EXHAUSTED -> Answer.REFUSED;
      default -> failed(status == UNAVAILABLE, status + " " + reply.trailers.get("grpc-message"));
    };
  }

  private Answer checked(Question question) throws IOException {
    return passedIfFirstIsOne(call("CheckRateLimit", question, ""));
  }

  /** A call of Envoy, whose domain the first part of the path names. */
  private Answer rateLimited(Question question) throws IOException {
    final Protobuf call = new Protobuf().text(1, question.path().split("/")[1]);
    final Protobuf descriptor = new Protobuf();
    for (int i = 0; i < 2; i++) {
      final Protobuf entry = new Protobuf().text(1, KeyPlan.FIELDS.get(i));
      descriptor.message(1, entry.text(2, Integer.toString(question.identities().get(i))));
    }
    return passedIfFirstIsOne(call(SHOULD_RATE_LIMIT, call.message(2, descriptor).bytes(), ""));
  }

  /** Both decision APIs say in field 1 whether it may pass: true, and OK, are 1. */
  private static Answer passedIfFirstIsOne(Reply reply) throws IOException {
    final int status = reply.trailers.getInt("grpc-status", -1);
    if (status != 0) {
      return failed(status == UNAVAILABLE, status + " " + reply.trailers.get("grpc-message"));
    }
    final ProtobufReader answer = read(reply);
    for (int field = answer.next(); field != 0; field = answer.next()) {
      if (field == 1 && answer.number() == 1) {
        return Answer.PASSED;
      }
    }
    return Answer.REFUSED;
  }

  /** How many units are used of each budget that a question would charge. */
  List<Long> used(Question question) throws IOException {
    final Reply reply = call("GetRemainingQuota", question, "");
    if (reply.trailers.getInt("grpc-status", -1) != 0) {
      throw new IOException("quota: " + reply.trailers);
    }
    final List<Long> used = new ArrayList<>();
    final ProtobufReader answer = read(reply);
    for (int field = answer.next(); field != 0; field = answer.next()) {
      if (field == QUOTAS) {
        final ProtobufReader quota = new ProtobufReader(answer.bytes());
        long count = 0;
        for (int of = quota.next(); of != 0; of = quota.next()) {
          count = of == CURRENT_COUNT ? quota.number() : count;
        }
        used.add(count);
      }
    }
    return used;
  }

  /** Gives an identity its budgets back. */
  void reset(Question question, String token) throws IOException {
    final Reply reply = call("ResetLimit", question, token);
    if (reply.trailers.getInt("grpc-status", -1) != 0) {
      throw new IOException("reset: " + reply.trailers);
    }
  }

  private static ProtobufReader read(Reply reply) {
    final int length = Math.max(0, reply.content.length - MESSAGE_PREFIX);
    return new ProtobufReader(
        ByteBuffer.wrap(reply.content, reply.content.length - length, length));
  }

  private Reply call(String method, Question question, String token) throws IOException {
    return call("/weir.v1.RateLimiter/" + method, identities(question), token);
  }

  private Reply call(String path, byte[] message, String token) throws IOException {
    final Http2Headers head = new DefaultHttp2Headers().method("POST").path(path);
    head.scheme("http").authority("torture").set("te", "trailers");
    head.set("content-type", "application/grpc");
    if (!token.isEmpty()) {
      head.set("authorization", "Bearer " + token);
    }
    return exchange(head, message(message));
  }

  private static byte[] identities(Question question) {
    final Protobuf check = new Protobuf();
    final String first = KeyPlan.FIELDS.get(0);
    question
        .fields()
        .forEach(
            (name, value) -> {
              if (name.equals(first)) {
                identify(check, value, "header:" + name);
              } else {
                check.message(4, identify(new Protobuf(), value, "header:" + name));
              }
            });
    check.message(4, identify(new Protobuf(), Condition.REQUESTED_HOST, "header:host"));
    check.message(
        4, identify(new Protobuf(), Condition.PARAMETER_VALUE, "query:" + Condition.PARAMETER));
    check.message(4, identify(new Protobuf(), "127.0.0.1", "ip"));
    if (!question.key().isEmpty()) {
      check.text(9, question.key());
    }
    return check.text(5, question.path()).text(6, "GET").bytes();
  }

  private static Protobuf identify(Protobuf in, String value, String source) {
    return in.text(1, value).text(3, source);
  }

  private static Answer failed(boolean mayBeStore, String why) {
    return new Answer(
        mayBeStore && why.contains("store") ? Outcome.UNDECIDED : Outcome.FAILED, why);
  }

  private static Answer compared(
      Question question, Reply reply, byte[] expected, boolean hasTrailers) {
    final String number = Long.toString(question.number());
    if (!number.contentEquals(String.valueOf(reply.head.get(Question.NUMBER)))) {
      return new Answer(Outcome.SPOILT, "has the answer of another request: " + reply.head);
    }
    if (!Arrays.equals(expected, reply.content)) {
      return new Answer(
          Outcome.SPOILT,
          "differs at byte %d of %d, has %d"
              .formatted(
                  Arrays.mismatch(expected, reply.content), expected.length, reply.content.length));
    }
    return hasTrailers && !number.contentEquals(String.valueOf(reply.trailers.get("x-end")))
        ? new Answer(Outcome.SPOILT, "has the trailers " + reply.trailers)
        : Answer.PASSED;
  }

  private static String text(byte[] content) {
    return new String(content, 0, Math.min(300, content.length), StandardCharsets.UTF_8);
  }

  private static Http2Headers head(Question question, String method) {
    final Http2Headers head = new DefaultHttp2Headers().method(method).path(question.target());
    head.scheme("http").authority(Condition.REQUESTED_HOST).set("te", "trailers");
    head.set(Question.NUMBER, Long.toString(question.number()));
    question.allFields().forEach(head::set);
    return head.set(
        Question.CONDUCT,
        "echo" + (question.chunked() ? ",chunked" : "") + (question.slow() ? ",slow" : ""));
  }

  private static byte[] message(byte[] content) {
    final byte[] message = new byte[MESSAGE_PREFIX + content.length];
    message[1] = (byte) (content.length >>> 24);
    message[2] = (byte) (content.length >>> 16);
    message[3] = (byte) (content.length >>> 8);
    message[4] = (byte) content.length;
    System.arraycopy(content, 0, message, MESSAGE_PREFIX, content.length);
    return message;
  }

  private Reply exchange(Http2Headers head, byte[] content) throws IOException {
    final Exchange exchange = new Exchange();
    Channel stream = null;
    try {
      stream =
          new Http2StreamChannelBootstrap(channel)
              .handler(exchange)
              .open()
              .get(timeoutMs, TimeUnit.MILLISECONDS);
      stream.write(new DefaultHttp2HeadersFrame(head, content.length == 0));
      if (content.length > 0) {
        stream.write(new DefaultHttp2DataFrame(Unpooled.wrappedBuffer(content), true));
      }
      stream.flush();
      return exchange.reply.get(timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException(e);
    } catch (ExecutionException e) {
      throw new IOException(e.getCause());
    } catch (TimeoutException e) {
      stream.close();
      throw new IOException("no answer within " + timeoutMs + " ms", e);
    }
  }

  @Override
  public boolean isOpen() {
    return open && channel.isActive();
  }

  @Override
  public void close() {
    channel.close();
  }
}
