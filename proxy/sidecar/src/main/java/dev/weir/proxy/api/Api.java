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
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Turns routes of the API into routes of the web server: checks what all have in common, runs each
 * handler on the thread {@code weir-api}, and answers its exceptions as problems.
 */
public final class Api implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Api.class);

  private final RecordsThread thread = new RecordsThread();
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
      thread.execute(
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

  private static ApiProblem busy() {
    return new ApiProblem(503, "Too many requests wait for the store of records; try again.")
        .field("Retry-After", "1");
  }

  private static void checkParameters(ApiRoute route, WebRequest http) throws ApiProblem {
    for (String name : http.target().parameters().keySet()) {
      if (!route.parameters().contains(name)) {
        Set<String> known = new TreeSet<>(route.parameters());
        throw new ApiProblem(
            400,
            "parameter: "
                + JsonText.shown(name)
                + (known.isEmpty()
                    ? " (expected: none)"
                    : " (expected: " + String.join(", ", known) + ")"));
      }
    }
  }

  private static void checkBody(ApiRoute route, ApiRequest request) throws ApiProblem {
    if (route.maxBodyBytes() > 0
        && request.bytes().length > 0
        && !route.mediaType().equals(request.mediaType())) {
      throw new ApiProblem(
          415, "content-type: not known here (expected: " + route.mediaType() + ")");
    }
  }

  private static void run(ApiRoute route, ApiRequest request, CompletableFuture<Page> answer) {
    try {
      route
          .handler()
          .answer(request)
          .whenComplete((page, bug) -> complete(route, answer, bug == null ? page : failed(bug)));
    } catch (ApiProblem problem) {
      complete(route, answer, Answers.problem(problem));
    } catch (BadRecordException bad) {
      complete(route, answer, Answers.problem(faults(bad)));
    } catch (StaleRecordException stale) {
      complete(route, answer, Answers.problem(stale(stale)));
    } catch (RecordStoreException away) {
      complete(route, answer, Answers.problem(new ApiProblem(503, away.getMessage())));
    } catch (RuntimeException | Error bug) {
      complete(route, answer, failed(bug));
    }
  }

  private static ApiProblem faults(BadRecordException bad) {
    String count = bad.faults().size() == 1 ? "1 fault" : bad.faults().size() + " faults";
    return new ApiProblem(422, "The body has " + count + "; nothing was changed.", bad.faults());
  }

  private static ApiProblem stale(StaleRecordException stale) {
    boolean isThere = !stale.present().equals(RecordVersion.NONE);
    ApiProblem problem =
        new ApiProblem(
            412,
            isThere
                ? "It was changed since you read it; nothing was written."
                : "It does not exist; nothing was written.");
    if (isThere) {
      problem.field("ETag", Answers.etag(stale.present()));
      problem.member("etag", stale.present().toString());
      if (!stale.writtenBy().isEmpty()) {
        problem.member("written-by", stale.writtenBy());
      }
    }
    return problem;
  }

  private static Page failed(Throwable bug) {
    LOG.error("A request of the API failed", bug);
    return Answers.problem(new ApiProblem(500, "The request failed; see the log."));
  }

  private static void complete(ApiRoute route, CompletableFuture<Page> answer, Page page) {
    answer.complete(route.deprecation() == null ? page : page.with(route.deprecation().fields()));
  }

  /** Ends the thread; requests that wait are not answered. */
  @Override
  public void close() {
    thread.close();
    limits.close();
  }
}
