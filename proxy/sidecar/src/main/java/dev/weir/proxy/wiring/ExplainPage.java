package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.api.Answers;
import dev.weir.proxy.api.ApiProblem;
import dev.weir.proxy.api.ApiRequest;
import dev.weir.proxy.api.ApiRoute;
import dev.weir.proxy.api.ApiThread;
import dev.weir.proxy.explain.BadDescriptionException;
import dev.weir.proxy.explain.BudgetsLeft;
import dev.weir.proxy.explain.DescribedRequest;
import dev.weir.proxy.explain.ExplainedRequest;
import dev.weir.proxy.explain.ExplanationJson;
import dev.weir.proxy.explain.ExplanationText;
import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebRequest;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
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

  private static final String FORMAT = "format";

  /** Those that describe a request, and how the answer is written. */
  private static final String[] PARAMETERS = {
    "method", "path", "url", "host", "from", "grpc", "header", FORMAT
  };

  private static final String EXPECTED =
      "method, path, url, host, from, grpc, format, once each, and header";

  private static final Page NO_SUCH_FORMAT = bad("format: unknown (expected: text or json)");

  private static final Page BUSY =
      Page.problem(
              HttpResponseStatus.SERVICE_UNAVAILABLE,
              "Too many requests wait to be explained; try again.")
          .with(Map.of("Retry-After", "1"));

  private final Supplier<SidecarExplainer> maker;

  /** Made for the first page, so that no start waits for it. */
  private SidecarExplainer explainer;

  private final Supplier<RuleSet> rules;
  private final SidecarLoops loops;
  private final Executor thread = new ApiThread("weir-explain", ApiThread.MAX_QUEUED);

  ExplainPage(Supplier<SidecarExplainer> maker, Supplier<RuleSet> rules, SidecarLoops loops) {
    this.maker = maker;
    this.rules = rules;
    this.loops = loops;
  }

  Route route() {
    return Route.latePage(PATH, Route.Access.ADMIN, this::page);
  }

  /** The same as resources of the API, of which one takes the request as a body. */
  List<ApiRoute> resources() {
    return List.of(
        ApiRoute.late(HttpMethod.GET, PATH, Role.VIEWER, this::get)
            .withoutStore()
            .taking(PARAMETERS),
        ApiRoute.late(HttpMethod.POST, PATH, Role.VIEWER, this::post)
            .withoutStore()
            .withBody(ApiRoute.RECORD_BYTES)
            .taking(FORMAT));
  }

  private CompletionStage<Page> get(ApiRequest request) throws ApiProblem {
    Map<String, List<String>> parameters = request.http().target().parameters();
    return later(
        () -> described(parameters),
        format(request),
        bad -> {
          String kind = parameters.containsKey(name(bad)) ? "parameter" : null;
          return problem(400, bad, kind, name(bad));
        });
  }

  private static Page problem(int status, BadDescriptionException bad, String kind, String at) {
    return Answers.problem(
        new ApiProblem(status, bad.getMessage()).error(kind, at, bad.found(), bad.expected()));
  }

  private CompletionStage<Page> post(ApiRequest request) throws ApiProblem, BadRecordException {
    Object tree = JsonText.read(request.body(), ApiRoute.RECORD_BYTES);
    if (!(tree instanceof Map<?, ?> members)) {
      throw fault("", JsonText.shown(tree), "an object with " + EXPECTED);
    }
    Map<String, List<String>> parts = new LinkedHashMap<>();
    for (Map.Entry<?, ?> member : members.entrySet()) {
      String name = (String) member.getKey();
      parts.put(name, texts(JsonText.pointer("", name), name, member.getValue()));
    }
    return later(
        () -> described(parts),
        format(request),
        bad -> problem(422, bad, "pointer", parts.containsKey(name(bad)) ? "/" + name(bad) : ""));
  }

  /** The texts of a member: one, or of header a list too. */
  private static List<String> texts(String pointer, String name, Object value)
      throws BadRecordException {
    if (value instanceof String text) {
      return List.of(text);
    }
    List<String> texts = new ArrayList<>();
    if (name.equals("header") && value instanceof List<?> list) {
      for (Object item : list) {
        if (!(item instanceof String text)) {
          throw fault(pointer + "/" + texts.size(), JsonText.shown(item), "a text");
        }
        texts.add(text);
      }
      return texts;
    }
    throw fault(pointer, JsonText.shown(value), "a text");
  }

  private static BadRecordException fault(String pointer, String found, String expected) {
    return new BadRecordException(List.of(new RecordFault(pointer, 0, found, expected)));
  }

  private static String format(ApiRequest request) throws ApiProblem {
    String format = request.query(FORMAT, "json");
    if (!List.of("text", "json").contains(format)) {
      throw ApiProblem.ofParameter(FORMAT, format, "text or json");
    }
    return format;
  }

  /** Reads the parameters on this thread, as its request ends with it, and the rest later. */
  private CompletionStage<Page> page(WebRequest asked) {
    Map<String, List<String>> parameters = asked.target().parameters();
    String format = asked.parameter(FORMAT, "text");
    if (!List.of("text", "json").contains(format)) {
      return CompletableFuture.completedFuture(NO_SUCH_FORMAT);
    }
    return later(() -> described(parameters), format, fault -> bad(fault.getMessage()));
  }

  /** A description that is read later. */
  private interface Description {
    DescribedRequest.Builder read() throws BadDescriptionException;
  }

  /**
   * Explains on the thread of explanations. Of a page that is cancelled nothing is done any more,
   * but it has its place in the queue until its turn.
   *
   * @param refusal of a request that cannot be as it is described.
   */
  private CompletionStage<Page> later(
      Description description, String format, Function<BadDescriptionException, Page> refusal) {
    CompletableFuture<Page> page = new CompletableFuture<>();
    Executor unlessLeft =
        task ->
            thread.execute(
                () -> {
                  if (!page.isDone()) { // its client is still there
                    task.run();
                  }
                });
    CompletableFuture.completedFuture(description)
        .thenApplyAsync(read -> explained(read, format, refusal, unlessLeft), unlessLeft)
        .thenCompose(Function.identity())
        .whenComplete((known, failure) -> complete(page, known, failure));
    return page;
  }

  private static void complete(CompletableFuture<Page> page, Page known, Throwable failure) {
    if (failure == null) {
      page.complete(known);
    } else if (failure.getCause() instanceof RejectedExecutionException) {
      page.complete(BUSY);
    } else {
      page.completeExceptionally(failure);
    }
  }

  private CompletionStage<Page> explained(
      Description description,
      String format,
      Function<BadDescriptionException, Page> refusal,
      Executor unlessLeft) {
    try {
      return explained(description.read().build(), format, unlessLeft);
    } catch (BadDescriptionException bad) {
      return CompletableFuture.completedFuture(refusal.apply(bad));
    }
  }

  private CompletionStage<Page> explained(
      DescribedRequest request, String format, Executor unlessLeft) throws BadDescriptionException {
    explainer = explainer == null ? maker.get() : explainer;
    RequestView view = explainer.view(request);
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
        unlessLeft);
  }

  /** The request that parameters describe. */
  private static DescribedRequest.Builder described(Map<String, List<String>> parameters)
      throws BadDescriptionException {
    DescribedRequest.Builder request = new DescribedRequest.Builder();
    for (Map.Entry<String, List<String>> parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      boolean isOnce = parameter.getValue().size() == 1 || name.equals("header");
      for (String value : parameter.getValue()) {
        if (!isOnce || !request.set(name, value) && !name.equals(FORMAT)) {
          throw new BadDescriptionException("parameter", "unknown or twice", EXPECTED);
        }
      }
    }
    return request;
  }

  /** The parameter that has the part at fault. */
  private static String name(BadDescriptionException bad) {
    return bad.part().toLowerCase(Locale.ROOT);
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
}
