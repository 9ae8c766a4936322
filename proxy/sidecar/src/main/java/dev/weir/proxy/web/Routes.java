package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** The table of routes. Whoever adds a page or a method adds a row. */
final class Routes {
  private static final Page NO_SUCH_PAGE =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page; see / for those there are.");

  private static final Page NOT_OF_MONITORING =
      Page.problem(
          HttpResponseStatus.NOT_FOUND, "There is no such page here; see /metrics and /readyz.");

  private final List<Route> rows;
  private final Supplier<List<Route>> more;
  private final Authenticator authenticator;

  /** {@link #rows} and then {@link #more}; null until somebody asks for what the first lack. */
  private List<Route> all;

  /**
   * @param rows of which the first counts that takes a request.
   * @param more rows, made for the first request that needs them, so that no start waits.
   * @param authenticator asked about requests that need a role.
   */
  Routes(List<Route> rows, Supplier<List<Route>> more, Authenticator authenticator) {
    this.rows = List.copyOf(rows);
    this.more = more;
    this.authenticator = authenticator;
  }

  /**
   * What is known of a request by its head.
   *
   * @param refusal the answer, whatever its body is; null if the route answers.
   * @param fields for the answer of the route.
   */
  record Found(
      Route route,
      Map<String, String> path,
      QueryStringDecoder target,
      Caller caller,
      Page refusal,
      Map<String, String> fields) {
    static Found refused(Page refusal) {
      return new Found(null, Map.of(), null, null, refusal, Map.of());
    }

    /** The longest body that is read, be it to be ignored. */
    int maxBodyBytes() {
      return refusal == null ? route.maxBodyBytes() : Route.PAGE_BODY_BYTES;
    }

    /** Answers the request. */
    CompletionStage<Page> answer(HttpRequest head, byte[] body, InetAddress from) {
      return route.handler().apply(new WebRequest(head, path, target, body, from, caller));
    }
  }

  /**
   * Finds who answers a request.
   *
   * @param port by which it came.
   * @param client who sends it.
   * @throws IllegalArgumentException if its target is malformed.
   */
  Found find(HttpRequest head, Route.Access port, WebClient client) {
    QueryStringDecoder target = new QueryStringDecoder(head.uri());
    target.parameters(); // a query is malformed now, or never
    String path = target.rawPath().replaceFirst("^(?i:https?)://[^/]*", "");
    Asked asked = new Asked(head, target, PathPattern.segments(path), port, client);
    Set<String> methods = new LinkedHashSet<>();
    Found found = find(all == null ? rows : all, asked, methods);
    if (found == null && all == null) {
      List<Route> whole = new ArrayList<>(rows);
      whole.addAll(more.get());
      all = List.copyOf(whole);
      found = find(all, asked, methods);
    }
    if (found != null) {
      return found;
    }
    if (methods.isEmpty()) {
      PathPattern.checkHasNoSlash(asked.path);
      return Found.refused(port == Route.Access.ADMIN ? NO_SUCH_PAGE : NOT_OF_MONITORING);
    }
    return Found.refused(
        head.method().equals(HttpMethod.OPTIONS) ? Page.options(methods) : Page.badMethod(methods));
  }

  /** A request as far as it is read. */
  private record Asked(
      HttpRequest head,
      QueryStringDecoder target,
      List<String> path,
      Route.Access port,
      WebClient client) {}

  /**
   * Looks in some rows.
   *
   * @param methods gets those of rows that differ in the method only.
   * @return null if none takes the request.
   */
  private Found find(List<Route> among, Asked asked, Set<String> methods) {
    for (Route row : among) {
      Map<String, String> values =
          row.access().compareTo(asked.port) < 0 ? null : row.path().match(asked.path);
      if (values == null) {
        continue;
      }
      if (row.takes(asked.head.method())) {
        Found found = new Found(row, values, asked.target, null, null, Map.of());
        return row.role() == null ? found : permitted(found, asked);
      }
      methods.add(row.method().name());
      if (row.method().equals(HttpMethod.GET)) {
        methods.add(HttpMethod.HEAD.name());
      }
    }
    return null;
  }

  private Found permitted(Found found, Asked asked) {
    Authenticator.Permit permit =
        authenticator.permit(asked.head, asked.client, found.route.role());
    return new Found(
        found.route, found.path, found.target, permit.caller(), permit.refusal(), permit.fields());
  }
}
