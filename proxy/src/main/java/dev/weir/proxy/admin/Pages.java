package dev.weir.proxy.admin;

import dev.weir.proxy.metrics.Exposition;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.Metrics;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** What stands at each path. */
final class Pages {
  private static final String HGRM_SUFFIX = ".hgrm";
  private static final String LATENCY_PREFIX = "/latency/";

  private static final Page NO_SUCH_PAGE =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page; see / for those there are.");
  private static final Page NO_SUCH_STEP =
      Page.problem(
          HttpResponseStatus.NOT_FOUND,
          "There is no such step; it is one of decision, upstream, overhead, total.");
  private static final Page NO_SUCH_FORMAT =
      Page.problem(HttpResponseStatus.BAD_REQUEST, "The format is one of text, hgrm.");

  private final Metrics metrics;
  private final BooleanSupplier ready;
  private final Page index = Page.html(IndexPage.HTML);

  Pages(Metrics metrics, BooleanSupplier ready) {
    this.metrics = metrics;
    this.ready = ready;
  }

  /**
   * The page at a request's target.
   *
   * @param accept the request's Accept field; null for none.
   */
  Page at(String target, String accept) {
    QueryStringDecoder uri = new QueryStringDecoder(target);
    String path = uri.path();
    switch (path) {
      case "/":
        return index;
      case "/healthz":
        return Page.text(HttpResponseStatus.OK, "ok\n");
      case "/readyz":
        return ready.getAsBoolean()
            ? Page.text(HttpResponseStatus.OK, "ready\n")
            : Page.text(HttpResponseStatus.SERVICE_UNAVAILABLE, "not ready\n");
      case "/metrics":
        Exposition.Page page = metrics.expose(accept);
        return new Page(HttpResponseStatus.OK, page.contentType(), page.body());
      case "/latency":
        return latency(last(uri, "format", "text"), last(uri, "step", "total"));
      default:
        if (path.startsWith(LATENCY_PREFIX) && path.endsWith(HGRM_SUFFIX)) {
          int end = Math.max(LATENCY_PREFIX.length(), path.length() - HGRM_SUFFIX.length());
          return hgrm(path.substring(LATENCY_PREFIX.length(), end));
        }
        return NO_SUCH_PAGE;
    }
  }

  private Page latency(String format, String step) {
    return switch (format) {
      case "text" -> Page.text(HttpResponseStatus.OK, metrics.latencies().table());
      case "hgrm" -> hgrm(step);
      default -> NO_SUCH_FORMAT;
    };
  }

  private Page hgrm(String label) {
    Optional<LatencyStep> step = LatencyStep.parse(label);
    return step.isPresent()
        ? Page.text(HttpResponseStatus.OK, metrics.latencies().hgrm(step.get()))
        : NO_SUCH_STEP;
  }

  private static String last(QueryStringDecoder uri, String name, String fallback) {
    List<String> values = uri.parameters().get(name);
    return values == null ? fallback : values.get(values.size() - 1);
  }
}
