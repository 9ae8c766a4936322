package dev.weir.proxy.web;

import dev.weir.proxy.request.CertificateNames;
import dev.weir.proxy.tls.ServerTls;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpServerCodec;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.util.concurrent.CompletionStage;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one request at a time: the next is read when the last response was sent, so a client that
 * sends without reading costs one page and no more. Who may send a request, and how long its body
 * may be, is decided by its head, before any of the body is kept.
 */
final class WebHandler extends SimpleChannelInboundHandler<HttpObject> {
  private static final Logger LOG = LoggerFactory.getLogger(WebHandler.class);

  private static final Page BAD_REQUEST =
      Page.problem(HttpResponseStatus.BAD_REQUEST, "The request is malformed.");

  private static final Page BAD_HOST =
      Page.problem(
          HttpResponseStatus.MISDIRECTED_REQUEST,
          "The admin port does not answer by that host; admin-hosts may name it.");

  private static final Page FAILED =
      Page.problem(HttpResponseStatus.INTERNAL_SERVER_ERROR, "The page failed; see the log.");

  private final WebHosts hosts;
  private final Routes routes;
  private final Route.Access port;
  private final InetAddress from;
  private final RequestDeadline deadline;

  /** Null if the client has shown none. */
  private CertificateNames certificate;

  /** The request whose body is read; null between requests, and once its answer is the last. */
  private HttpRequest head;

  private Routes.Found found;
  private ByteArrayOutputStream body;

  /** The answer that is awaited; null while none is. */
  private CompletionStage<Page> awaited;

  /**
   * The handler of one connection.
   *
   * @param hosts whose requests are answered.
   * @param from the client's address; null for a Unix-domain socket.
   * @param deadline of the same connection, told when a request is whole.
   */
  WebHandler(
      WebHosts hosts,
      Routes routes,
      Route.Access port,
      InetAddress from,
      RequestDeadline deadline) {
    this.hosts = hosts;
    this.routes = routes;
    this.port = port;
    this.from = from;
    this.deadline = deadline;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == SslHandshakeCompletionEvent.SUCCESS) {
      certificate = ServerTls.clientNames(ctx.pipeline().get(SslHandler.class).engine());
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, HttpObject part) throws IOException {
    if (part instanceof HttpRequest request) {
      begin(ctx, request);
    }
    if (part instanceof HttpContent content && head != null) {
      gather(ctx, content);
    }
  }

  private void begin(ChannelHandlerContext ctx, HttpRequest request) {
    if (request.decoderResult().isFailure()) {
      sendLast(ctx, BAD_REQUEST);
      return;
    }
    head = request;
    body = new ByteArrayOutputStream();
    found = find(request);
    int most = found.maxBodyBytes();
    boolean isExpecting = HttpUtil.is100ContinueExpected(request);
    if (HttpUtil.getContentLength(request, 0L) > most) {
      sendLast(ctx, found.refusal() == null ? Page.tooLarge(most) : found.refusal());
    } else if (found.refusal() != null
        && (isExpecting || HttpUtil.isTransferEncodingChunked(head))) {
      sendLast(ctx, found.refusal());
    } else if (isExpecting) {
      ctx.writeAndFlush(
          new DefaultFullHttpResponse(
              HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE, Unpooled.EMPTY_BUFFER));
    }
  }

  private Routes.Found find(HttpRequest request) {
    if (!hosts.answers(request)) {
      return Routes.Found.refused(BAD_HOST);
    }
    try {
      return routes.find(request, port, new WebClient(from, certificate));
    } catch (IllegalArgumentException malformed) {
      return Routes.Found.refused(BAD_REQUEST);
    } catch (RuntimeException bug) {
      return Routes.Found.refused(failed(bug));
    }
  }

  private void gather(ChannelHandlerContext ctx, HttpContent content) throws IOException {
    if (content.decoderResult().isFailure()) {
      sendLast(ctx, BAD_REQUEST);
      return;
    }
    ByteBuf bytes = content.content();
    if (body.size() + bytes.readableBytes() > found.maxBodyBytes()) {
      sendLast(ctx, Page.tooLarge(found.maxBodyBytes()));
      return;
    }
    if (found.refusal() == null) {
      bytes.readBytes(body, bytes.readableBytes());
    }
    if (content instanceof LastHttpContent) {
      answer(ctx);
    }
  }

  private void answer(ChannelHandlerContext ctx) {
    boolean keepAlive = HttpUtil.isKeepAlive(head);
    HttpRequest asked = head;
    head = null;
    deadline.requestEnded();
    if (found.refusal() != null) {
      send(ctx, found.refusal(), keepAlive && found.refusal() != BAD_HOST);
      return;
    }
    CompletionStage<Page> page;
    try {
      page = found.answer(asked, body.toByteArray(), from);
    } catch (IllegalArgumentException malformed) {
      send(ctx, BAD_REQUEST, keepAlive);
      return;
    } catch (RuntimeException bug) {
      send(ctx, failed(bug), keepAlive);
      return;
    }
    ctx.channel().config().setAutoRead(false); // the next request waits for this answer
    awaited = page;
    page.whenComplete(
        (known, bug) -> {
          if (ctx.executor().inEventLoop()) {
            answered(ctx, known, bug, keepAlive);
          } else {
            ctx.executor().execute(() -> answered(ctx, known, bug, keepAlive));
          }
        });
    if (awaited != null) {
      // One read, past the handler that keeps requests back: it tells when the client leaves.
      ctx.pipeline().context(HttpServerCodec.class).read();
    }
  }

  private void answered(ChannelHandlerContext ctx, Page page, Throwable bug, boolean keepAlive) {
    awaited = null;
    if (ctx.channel().isActive()) {
      send(ctx, bug == null ? page.with(found.fields()) : failed(bug), keepAlive);
    }
  }

  /** The client has left: nobody needs the answer any more. */
  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    if (awaited != null) {
      awaited.toCompletableFuture().cancel(false);
    }
    ctx.fireChannelInactive();
  }

  private static Page failed(Throwable bug) {
    LOG.error("Admin page failed", bug);
    return FAILED;
  }

  /** Sends an answer, reads nothing more, and ends the connection. */
  private void sendLast(ChannelHandlerContext ctx, Page page) {
    head = null;
    deadline.requestEnded();
    send(ctx, page, false);
  }

  /** Sends an answer; nothing is read until it is sent. */
  private static void send(ChannelHandlerContext ctx, Page page, boolean keepAlive) {
    ctx.channel().config().setAutoRead(false);
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, page.status(), Unpooled.wrappedBuffer(page.body()));
    HttpHeaders fields = response.headers();
    if (page.contentType() != null) {
      fields.set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
      fields.setInt(HttpHeaderNames.CONTENT_LENGTH, page.body().length);
    }
    fields.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    fields.set("X-Content-Type-Options", "nosniff");
    page.fields().forEach(fields::set);
    if (!keepAlive) {
      fields.set(HttpHeaderNames.CONNECTION, "close");
    }
    ChannelFuture written = ctx.writeAndFlush(response);
    if (keepAlive) {
      written.addListener(done -> ctx.channel().config().setAutoRead(true));
    } else {
      written.addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** A reset, a time-out, or what the codec could not bear: all end the connection. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    LOG.debug("Admin connection ended", cause);
    ctx.close();
  }
}
