package dev.weir.proxy.web;

import dev.weir.proxy.metrics.Exposition;
import dev.weir.proxy.metrics.LatencyHistory;
import dev.weir.proxy.metrics.LatencyStep;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.web.Route.Access;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** The pages about health, metrics and latency. Used by the server's thread only. */
final class Pages {
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

  /** Their rows in the table of routes. */
  List<Route> routes() {
    return List.of(
        Route.page("/", Access.ADMIN, request -> index),
        Route.page("/livez", Access.MONITORING, request -> alive()),
        Route.page("/healthz", Access.MONITORING, request -> alive()),
        Route.page("/readyz", Access.MONITORING, request -> ready()),
        Route.page("/metrics", Access.MONITORING, this::metrics),
        Route.page("/latency", Access.ADMIN, this::latency),
        Route.page("/latency/{file}", Access.ADMIN, request -> file(request.path().get("file"))),
        Route.page("/latency.hlog", Access.ADMIN, request -> hlog()));
  }

  /**
   * Ends a slice of the recent times. To be called every {@link LatencyHistory#SLICE_NS}, by the
   * thread that asks for pages.
   */
  void endSlice() {
    history.endSlice();
  }

  private Page alive() {
    String why = fault.get();
    return why == null
        ? Page.text(HttpResponseStatus.OK, "ok\n")
        : Page.text(HttpResponseStatus.SERVICE_UNAVAILABLE, why + "\n");
  }

  private Page ready() {
    return ready.getAsBoolean()
        ? Page.text(HttpResponseStatus.OK, "ready\n")
        : Page.text(HttpResponseStatus.SERVICE_UNAVAILABLE, "not ready\n");
  }

  private Page metrics(WebRequest request) {
    Exposition.Page page = metrics.expose(request.accept());
    return new Page(HttpResponseStatus.OK, page.contentType(), page.body()).varying();
  }

  private Page latency(WebRequest request) {
    String preferred = AcceptField.prefersHtml(request.accept()) ? "html" : "text";
    Page page =
        switch (request.parameter("format", preferred)) {
          case "html" ->
              Page.html(
                  LatencyPage.html(
                      metrics.latencies(),
                      System.nanoTime() - startNs,
                      history.recent(LatencyPage.quantiles())));
          case "text" -> Page.text(HttpResponseStatus.OK, metrics.latencies().table());
          case "hgrm" -> hgrm(request.parameter("step", "total"));
          default -> NO_SUCH_FORMAT;
        };
    return page.varying();
  }

  private Page file(String name) {
    return name.endsWith(".hgrm") ? hgrm(name.substring(0, name.length() - 5)) : NO_SUCH_STEP;
  }

  private Page hgrm(String label) {
    Optional<LatencyStep> step = LatencyStep.parse(label);
    return step.isPresent()
        ? Page.text(HttpResponseStatus.OK, metrics.latencies().hgrm(step.get()))
        : NO_SUCH_STEP;
  }

  private Page hlog() {
    byte[] log = history.log(System.currentTimeMillis());
    return new Page(HttpResponseStatus.OK, "text/plain; charset=us-ascii", log);
  }
}
