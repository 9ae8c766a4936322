package dev.weir.proxy.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.web.Authenticator;
import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebRequest;
import java.time.Instant;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns routes of the API into routes of the web server: checks what all have in common, runs each
 * handler on the thread of its {@link ApiRoute.Need}, and answers its exceptions as problems.
 */
public final class Api implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Api.class);

  /** Waits for the store. */
  private final ApiThread thread = new ApiThread("weir-api", ApiThread.MAX_QUEUED);

  /** Waits for no store, so that one that is away holds up nothing that can do without. */
  private final ApiThread storelessThread =
      new ApiThread("weir-api-storeless", ApiThread.MAX_QUEUED);

  /** So that a batch of 10,000 users holds up no ban. */
  private final ApiThread longThread = new ApiThread("weir-api-long", ApiThread.MAX_QUEUED_LONG);

  private final OwnLimits limits = new OwnLimits();
  private final Identities identities = new Identities();
  private final ApiAuthenticator authenticator;

  /**
   * @param tokens of callers; null for none.
   */
  public Api(TokenFile tokens) {
    authenticator = new ApiAuthenticator(tokens, limits, Instant::now);
  }

  /** Says who sends a request. */
  public Authenticator authenticator() {
    return authenticator;
  }

  /** What callers see of identities. */
  public Identities identities() {
    return identities;
  }

  /** How many tokens were shown that are not known. */
  public long failedLogIns() {
    return authenticator.failedCount();
  }

  /** The rows of the web server's table for some routes. */
  public List<Route> routes(List<ApiRoute> routes) {
    return routes.stream().map(this::route).toList();
  }

  private Route route(ApiRoute route) {
    return Route.of(
        route.method(),
        ApiRoute.PREFIX + route.path(),
        route.role(),
        route.maxBodyBytes(),
        request -> answer(route, request));
  }

  /** Never fails, and is never completed by a thread that waits. */
  private CompletionStage<Page> answer(ApiRoute route, WebRequest http) {
    CompletableFuture<Page> answer = new CompletableFuture<>();
    ApiRequest request = new ApiRequest(http, identities, limits);
    try {
      checkParameters(route, http);
      checkBody(route, request);
      thread(route.need())
          .execute(
              () -> {
                if (!answer.isDone()) { // its client is still there
                  run(route, request, answer);
                }
              });
    } catch (ApiProblem problem) {
      complete(route, answer, Answers.problem(problem));
    } catch (RejectedExecutionException full) {
      complete(route, answer, Answers.problem(busy()));
    }
    return answer;
  }

  private ApiThread thread(ApiRoute.Need need) {
    return switch (need) {
      case NO_STORE -> storelessThread;
      case STORE -> thread;
      case LONG -> longThread;
    };
  }

  private static ApiProblem busy() {
    return new ApiProblem(503, "Too many requests wait for their turn; try again.")
        .field("Retry-After", "1");
  }

  private static void checkParameters(ApiRoute route, WebRequest http) throws ApiProblem {
    for (String name : http.target().parameters().keySet()) {
      if (!route.parameters().contains(name)) {
        String known = String.join(", ", new TreeSet<>(route.parameters()));
        throw ApiProblem.ofParameter(
            JsonText.shown(name), "unknown", known.isEmpty() ? "none" : known);
      }
    }
  }

  private static void checkBody(ApiRoute route, ApiRequest request) throws ApiProblem {
    if (route.maxBodyBytes() > 0
        && request.bytes().length > 0
        && !route.mediaType().equals(request.mediaType())) {
      String type = request.mediaType();
      throw ApiProblem.ofField(
          415, "Content-Type", type == null ? "missing" : type, route.mediaType());
    }
  }

  private static void run(ApiRoute route, ApiRequest request, CompletableFuture<Page> answer) {
    try {
      CompletionStage<Page> late = route.handler().answer(request);
      late.whenComplete(
          (page, failure) -> {
            if (!answer.isDone()) {
              complete(route, answer, failure == null ? page : problem(request, failure));
            }
          });
      // Does nothing once the answer is known: only a client that left ends it before.
      answer.whenComplete((page, left) -> late.toCompletableFuture().cancel(false));
    } catch (Exception | Error failure) {
      complete(route, answer, problem(request, failure));
    }
  }

  /** The answer to a request that failed, at once or later. */
  private static Page problem(ApiRequest request, Throwable failure) {
    Throwable cause = failure instanceof CompletionException late ? late.getCause() : failure;
    if (cause instanceof ApiProblem problem) {
      return Answers.problem(problem);
    }
    if (cause instanceof BadRecordException bad) {
      return Answers.problem(faults(bad));
    }
    if (cause instanceof StaleRecordException stale) {
      return Answers.problem(stale(request, stale));
    }
    if (cause instanceof RecordStoreException away) {
      return Answers.problem(new ApiProblem(503, away.getMessage()));
    }
    LOG.error("A request of the API failed", cause);
    return Answers.problem(new ApiProblem(500, "The request failed; see the log."));
  }

  private static ApiProblem faults(BadRecordException bad) {
    String count = bad.faults().size() == 1 ? "1 fault" : bad.faults().size() + " faults";
    return new ApiProblem(422, "The body has " + count + "; nothing was changed.", bad.faults());
  }

  private static ApiProblem stale(ApiRequest request, StaleRecordException stale) {
    boolean isThere = !stale.present().equals(RecordVersion.NONE);
    ApiProblem problem =
        new ApiProblem(
            412,
            isThere
                ? "It was changed since you read it; nothing was written."
                : "It does not exist; nothing was written.");
    String field = request.field("If-Match") == null ? "If-None-Match" : "If-Match";
    if (request.field(field) != null) { // else it changed between two steps of ours
      problem.error(
          "field",
          field,
          JsonText.shown(request.field(field)),
          isThere ? "If-Match: " + Answers.etag(stale.present()) : "If-None-Match: *");
    }
    if (isThere) {
      problem.field("ETag", Answers.etag(stale.present()));
      problem.member("etag", stale.present().toString());
      if (!stale.writtenBy().isEmpty()) {
        problem.member("written-by", stale.writtenBy());
      }
    }
    return problem;
  }

  private static void complete(ApiRoute route, CompletableFuture<Page> answer, Page page) {
    answer.complete(route.deprecation() == null ? page : page.with(route.deprecation().fields()));
  }

  /** Ends the threads; requests that wait are not answered. */
  @Override
  public void close() {
    thread.close();
    storelessThread.close();
    longThread.close();
    limits.close();
  }
}
