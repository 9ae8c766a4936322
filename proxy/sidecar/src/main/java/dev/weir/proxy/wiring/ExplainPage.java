package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.api.ApiRequest;
import dev.weir.proxy.explain.BadDescriptionException;
import dev.weir.proxy.explain.BudgetsLeft;
import dev.weir.proxy.explain.DescribedRequest;
import dev.weir.proxy.explain.ExplainedRequest;
import dev.weir.proxy.explain.ExplanationJson;
import dev.weir.proxy.explain.ExplanationText;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The page {@code /explain} of the admin port: explains a request that the parameters describe, and
 * looks at its budgets on an event loop, as {@code GetRemainingQuota} does. All but that look runs
 * on a thread of its own, one page after the other: many rules take a tenth of a second, for which
 * neither traffic nor {@code /livez} may wait. An idle thread ends.
 */
final class ExplainPage {
  static final String PATH = "/explain";

  /** Those that describe a request. */
  static final String[] PARAMETERS = {"method", "path", "url", "host", "from", "grpc", "header"};

  private static final long IDLE_SECONDS = 10;

  private static final Page NO_SUCH_PARAMETER =
      bad(
          "parameter: unknown or twice (expected: method, path, url, host, from, grpc, format, once"
              + " each, and header)");

  private static final Page NO_SUCH_FORMAT = bad("format: unknown (expected: text or json)");

  private final Supplier<SidecarExplainer> maker;

  /** Made for the first page, so that no start waits for it. */
  private SidecarExplainer explainer;

  private final Supplier<RuleSet> rules;
  private final SidecarLoops loops;
  private final Executor thread = ownThread();

  ExplainPage(Supplier<SidecarExplainer> maker, Supplier<RuleSet> rules, SidecarLoops loops) {
    this.maker = maker;
    this.rules = rules;
    this.loops = loops;
  }

  Route route() {
    return Route.latePage(PATH, Route.Access.ADMIN, this::page);
  }

  private static Executor ownThread() {
    ThreadPoolExecutor thread =
        new ThreadPoolExecutor(
            1,
            1,
            IDLE_SECONDS,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(), // the connections of the admin port bound it
            new DefaultThreadFactory("weir-explain", true));
    thread.allowCoreThreadTimeOut(true);
    return thread;
  }

  /** The same as a resource of the API, which is JSON. */
  CompletionStage<Page> answer(ApiRequest request) {
    Map<String, List<String>> parameters = request.http().target().parameters();
    return CompletableFuture.supplyAsync(() -> page(parameters, "json"), thread)
        .thenCompose(Function.identity());
  }

  /** Reads the parameters on this thread, as its request ends with it, and the rest later. */
  private CompletionStage<Page> page(WebRequest asked) {
    Map<String, List<String>> parameters = asked.target().parameters();
    String format = asked.parameter("format", "text");
    return CompletableFuture.supplyAsync(() -> page(parameters, format), thread)
        .thenCompose(Function.identity());
  }

  private CompletionStage<Page> page(Map<String, List<String>> parameters, String format) {
    if (!List.of("text", "json").contains(format)) {
      return now(NO_SUCH_FORMAT);
    }
    DescribedRequest request;
    RequestView view;
    try {
      DescribedRequest.Builder described = described(parameters);
      if (described == null) {
        return now(NO_SUCH_PARAMETER);
      }
      request = described.build();
      explainer = explainer == null ? maker.get() : explainer;
      view = explainer.view(request);
    } catch (BadDescriptionException bad) {
      return now(bad(bad.getMessage()));
    }
    Explanation explanation = explainer.explain(rules.get(), view);
    CompletionStage<BudgetsLeft> left =
        explanation.isLimited()
            ? look(view.copy())
            : CompletableFuture.completedFuture(new BudgetsLeft(null, List.of()));
    return left.thenApplyAsync(
        known -> {
          ExplainedRequest explained = new ExplainedRequest(request, explanation, known);
          return format.equals("json")
              ? Page.json(ExplanationJson.of(explained))
              : Page.text(HttpResponseStatus.OK, ExplanationText.of(explained));
        },
        thread);
  }

  /** The request that parameters describe; null if one of them is not known, or there twice. */
  private static DescribedRequest.Builder described(Map<String, List<String>> parameters)
      throws BadDescriptionException {
    DescribedRequest.Builder request = new DescribedRequest.Builder();
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      List<String> values = parameter.getValue();
      if (values.size() > 1 && !parameter.getKey().equals("header")) {
        return null;
      }
      for (String value : values) {
        switch (parameter.getKey()) {
          case "method" -> request.method(value);
          case "path" -> request.path(value);
          case "url" -> request.url(value);
          case "host" -> request.host(value);
          case "from" -> request.from(value);
          case "grpc" -> request.grpc(value);
          case "header" -> request.field(value);
          case "format" -> {
            // read already
          }
          default -> {
            return null;
          }
        }
      }
    }
    return request;
  }

  /** Looks at the budgets of a request, on an event loop. */
  private CompletionStage<BudgetsLeft> look(RequestView view) {
    CompletableFuture<BudgetsLeft> left = new CompletableFuture<>();
    SidecarLoops.Loop loop = loops.loops.get(0);
    loop.eventLoop()
        .execute(
            () -> {
              Question question = new Question().start(Operation.PEEK, Purpose.OPERATOR);
              question.request(view).wantsRows();
              Asked asked =
                  loop.admission()
                      .ask(
                          question,
                          (ticket, verdict) -> left.complete(BudgetsLeft.of(verdict)),
                          loop.parts().clock().tick());
              if (asked.verdict() != null) {
                left.complete(BudgetsLeft.of(asked.verdict()));
              }
            });
    return left;
  }

  private static Page bad(String detail) {
    return Page.problem(HttpResponseStatus.BAD_REQUEST, detail);
  }

  private static CompletionStage<Page> now(Page page) {
    return CompletableFuture.completedFuture(page);
  }
}
