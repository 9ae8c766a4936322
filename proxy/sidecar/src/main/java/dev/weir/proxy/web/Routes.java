package dev.weir.proxy.web;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The table of routes. Whoever adds a page or a method adds a row. */
final class Routes {
  private static final Page NO_SUCH_PAGE =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page; see / for those there are.");

  private static final Page NOT_OF_MONITORING =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page here; see /metrics and /readyz.");

  private final List<Route> rows;

  /**
   * @param rows of which the first counts that takes a request.
   */
  Routes(List<Route> rows) {
    this.rows = List.copyOf(rows);
  }

  /** The longest body that any route takes. */
  int maxBodyBytes() {
    return rows.stream().mapToInt(Route::maxBodyBytes).max().orElse(0);
  }

  /**
   * Answers a request.
   *
   * @param port by which it came.
   * @throws IllegalArgumentException if its target is malformed.
   */
  CompletionStage<Page> answer(FullHttpRequest request, Route.Access port) {
    QueryStringDecoder target = new QueryStringDecoder(request.uri());
    Set<String> otherMethods = new LinkedHashSet<>();
    for (Route row : rows) {
      String wildcard = row.access().compareTo(port) < 0 ? null : row.match(target.path());
      if (wildcard == null) {
        continue;
      }
      if (row.takes(request.method())) {
        return request.content().readableBytes() > row.maxBodyBytes()
            ? now(Page.tooLarge(row.maxBodyBytes()))
            : row.handler().apply(new WebRequest(request, target, wildcard));
      }
      otherMethods.add(row.method().name());
      if (row.method().equals(HttpMethod.GET)) {
        otherMethods.add(HttpMethod.HEAD.name());
      }
    }
    if (!otherMethods.isEmpty()) {
      return now(Page.badMethod(otherMethods));
    }
    return now(port == Route.Access.ADMIN ? NO_SUCH_PAGE : NOT_OF_MONITORING);
  }

  private static CompletionStage<Page> now(Page page) {
    return CompletableFuture.completedFuture(page);
  }
}
