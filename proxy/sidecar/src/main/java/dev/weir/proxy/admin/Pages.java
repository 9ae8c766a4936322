package dev.weir.proxy.admin;

import dev.weir.proxy.metrics.Exposition;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.Metrics;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The pages of the admin port, and which the monitoring port has, by path. Not thread-safe. */
final class Pages {
  private static final String HGRM_SUFFIX = ".hgrm";
  private static final String LATENCY_PREFIX = "/latency/";

  private static final Page NO_SUCH_PAGE =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page; see / for those there are.");
  private static final Set<String> OF_MONITORING =
      Set.of("/metrics", "/livez", "/healthz", "/readyz");
  private static final Page NOT_OF_MONITORING =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page here; see /metrics and /readyz.");
  private static final Page NO_SUCH_STEP =
      Page.problem(
          HttpResponseStatus.NOT_FOUND,
          "There is no such step; it is one of "
              + Arrays.stream(LatencyStep.values())
                  .map(LatencyStep::label)
                  .collect(Collectors.joining(", "))
              + ".");
  private static final Page NO_SUCH_FORMAT =
      Page.problem(HttpResponseStatus.BAD_REQUEST, "The format is one of html, text, hgrm.");

  private final Metrics metrics;
  private final BooleanSupplier ready;
  private final Supplier<String> fault;
  private final Page index = Page.html(IndexPage.HTML);
  private final LatencyHistory history;
  private final long startNs = System.nanoTime();

  /**
   * @param fault why the process is not alive; null if it is.
   */
  Pages(Metrics metrics, BooleanSupplier ready, Supplier<String> fault) {
    this.fault = fault;
    this.metrics = metrics;
    this.ready = ready;
    history = new LatencyHistory(metrics.latencies(), System::nanoTime);
  }

  /**
   * Ends a slice of the recent times. To be called every {@link LatencyHistory#SLICE_NS}, by the
   * thread that asks for pages.
   */
  void endSlice() {
    history.endSlice();
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
      case "/livez", "/healthz":
        String why = fault.get();
        return why == null
            ? Page.text(HttpResponseStatus.OK, "ok\n")
            : Page.text(HttpResponseStatus.SERVICE_UNAVAILABLE, why + "\n");
      case "/readyz":
        return ready.getAsBoolean()
            ? Page.text(HttpResponseStatus.OK, "ready\n")
            : Page.text(HttpResponseStatus.SERVICE_UNAVAILABLE, "not ready\n");
      case "/metrics":
        Exposition.Page page = metrics.expose(accept);
        return new Page(HttpResponseStatus.OK, page.contentType(), page.body()).varying();
      case "/latency":
        String preferred = AcceptField.prefersHtml(accept) ? "html" : "text";
        return latency(last(uri, "format", preferred), last(uri, "step", "total")).varying();
      case "/latency.hlog":
        byte[] log = history.log(System.currentTimeMillis());
        return new Page(HttpResponseStatus.OK, "text/plain; charset=us-ascii", log);
      default:
        if (path.startsWith(LATENCY_PREFIX) && path.endsWith(HGRM_SUFFIX)) {
          int end = Math.max(LATENCY_PREFIX.length(), path.length() - HGRM_SUFFIX.length());
          return hgrm(path.substring(LATENCY_PREFIX.length(), end));
        }
        return NO_SUCH_PAGE;
    }
  }

  /** The page at a request's target, of those that others than this machine may see. */
  Page forMonitoring(String target, String accept) {
    return OF_MONITORING.contains(new QueryStringDecoder(target).path())
        ? at(target, accept)
        : NOT_OF_MONITORING;
  }

  private Page latency(String format, String step) {
    return switch (format) {
      case "html" ->
          Page.html(
              LatencyPage.html(
                  metrics.latencies(),
                  System.nanoTime() - startNs,
                  history.recent(LatencyPage.quantiles())));
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
