package dev.weir.proxy.admin;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one request at a time: the next is read when the last answer has left, so that a client
 * which asks without reading costs one page and no more.
 */
final class AdminHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(AdminHandler.class);

  private static final Page BAD_REQUEST =
      Page.problem(HttpResponseStatus.BAD_REQUEST, "The request is malformed.");
  private static final Page BAD_METHOD =
      Page.problem(HttpResponseStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed.");
  private static final Page FAILED =
      Page.problem(HttpResponseStatus.INTERNAL_SERVER_ERROR, "The page failed; see the log.");

  private static final Page BAD_HOST =
      Page.problem(
          HttpResponseStatus.MISDIRECTED_REQUEST,
          "The admin port does not answer by that host; admin-hosts may name it.");

  private final BiFunction<String, String, Page> pageAt;
  private final Predicate<FullHttpRequest> answers;

  /**
   * The handler of one connection.
   *
   * @param pageAt a request's page, by its target and its Accept field, which may be null.
   * @param answers whether requests are answered by the host that they name.
   */
  AdminHandler(BiFunction<String, String, Page> pageAt, Predicate<FullHttpRequest> answers) {
    this.pageAt = pageAt;
    this.answers = answers;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    ctx.channel().config().setAutoRead(false);
    if (request.decoderResult().isFailure()) {
      answer(ctx, BAD_REQUEST, false);
      return;
    }
    if (!answers.test(request)) {
      answer(ctx, BAD_HOST, false);
      return;
    }
    answer(ctx, page(request), HttpUtil.isKeepAlive(request));
  }

  private Page page(FullHttpRequest request) {
    try {
      Page page = pageAt.apply(request.uri(), accept(request));
      boolean exists = page.status().code() != HttpResponseStatus.NOT_FOUND.code();
      return exists && !isAllowed(request.method()) ? BAD_METHOD : page;
    } catch (IllegalArgumentException malformed) {
      return BAD_REQUEST;
    } catch (RuntimeException bug) {
      LOG.error("Admin page failed", bug);
      return FAILED;
    }
  }

  /** The request's Accept field; null for none. Several count as one list (RFC 9110, 5.3). */
  private static String accept(FullHttpRequest request) {
    List<String> fields = request.headers().getAll(HttpHeaderNames.ACCEPT);
    return fields.isEmpty() ? null : String.join(",", fields);
  }

  private static boolean isAllowed(HttpMethod method) {
    return method.equals(HttpMethod.GET) || method.equals(HttpMethod.HEAD);
  }

  private static void answer(ChannelHandlerContext ctx, Page page, boolean keepAlive) {
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, page.status(), Unpooled.wrappedBuffer(page.body()));
    HttpHeaders fields = response.headers();
    fields.set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
    fields.setInt(HttpHeaderNames.CONTENT_LENGTH, page.body().length);
    fields.set(HttpHeaderNames.CACHE_CONTROL, "no-store");
    fields.set("X-Content-Type-Options", "nosniff");
    if (page.variesByAccept()) {
      fields.set(HttpHeaderNames.VARY, HttpHeaderNames.ACCEPT);
    }
    if (page == BAD_METHOD) {
      fields.set(HttpHeaderNames.ALLOW, "GET, HEAD");
    }
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
