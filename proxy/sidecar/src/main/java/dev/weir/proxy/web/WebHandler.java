package dev.weir.proxy.web;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers one request at a time: the next is read when the last response was sent, so a client that
 * sends without reading costs one page and no more.
 */
final class WebHandler extends SimpleChannelInboundHandler<FullHttpRequest> {
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
  private final Function<FullHttpRequest, CompletionStage<Page>> answers;

  /**
   * The handler of one connection.
   *
   * @param hosts whose requests are answered.
   * @param answers finds the response to a request, on this thread.
   */
  WebHandler(WebHosts hosts, Function<FullHttpRequest, CompletionStage<Page>> answers) {
    this.hosts = hosts;
    this.answers = answers;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpRequest request) {
    if (request.decoderResult().isFailure()) {
      send(ctx, BAD_REQUEST, false);
    } else if (!hosts.answers(request)) {
      send(ctx, BAD_HOST, false);
    } else {
      answer(ctx, request, HttpUtil.isKeepAlive(request));
    }
  }

  private void answer(ChannelHandlerContext ctx, FullHttpRequest request, boolean keepAlive) {
    CompletionStage<Page> page;
    try {
      page = answers.apply(request);
    } catch (IllegalArgumentException malformed) {
      send(ctx, BAD_REQUEST, keepAlive);
      return;
    } catch (RuntimeException bug) {
      send(ctx, failed(bug), keepAlive);
      return;
    }
    ctx.channel().config().setAutoRead(false); // the next request waits for this answer
    page.whenComplete(
        (known, bug) -> {
          Page answer = bug == null ? known : failed(bug);
          if (ctx.executor().inEventLoop()) {
            send(ctx, answer, keepAlive);
          } else {
            ctx.executor().execute(() -> send(ctx, answer, keepAlive));
          }
        });
  }

  private static Page failed(Throwable bug) {
    LOG.error("Admin page failed", bug);
    return FAILED;
  }

  /** Sends an answer; nothing is read until it is sent. */
  static void send(ChannelHandlerContext ctx, Page page, boolean keepAlive) {
    ctx.channel().config().setAutoRead(false);
    DefaultFullHttpResponse response =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1, page.status(), Unpooled.wrappedBuffer(page.body()));
    HttpHeaders fields = response.headers();
    fields.set(HttpHeaderNames.CONTENT_TYPE, page.contentType());
    fields.setInt(HttpHeaderNames.CONTENT_LENGTH, page.body().length);
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
