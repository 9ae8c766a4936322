package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One row of the table of routes: which requests it takes, who may send them, and who answers.
 *
 * @param method of GET, HEAD is taken too.
 * @param path in which a segment {@code {name}} stands for any one.
 * @param role that a caller must have; null for none.
 * @param maxBodyBytes the longest body; longer ones get a 413.
 * @param handler answers on the server's thread, and must not block: a page that is known later may
 *     be completed by any thread, and is cancelled when the client has gone.
 */
public record Route(
    HttpMethod method,
    PathPattern path,
    Access access,
    Role role,
    int maxBodyBytes,
    Function<WebRequest, CompletionStage<Page>> handler) {
  /** A page needs no body; one that comes all the same is read and ignored. */
  static final int PAGE_BODY_BYTES = 64 << 10;

  /** The ports by which requests may come. */
  public enum Access {
    /** Whoever is on this machine: by the admin port. */
    ADMIN,

    /** Whoever reaches the monitoring port; and whoever is on this machine. */
    MONITORING
  }

  /** A resource of the admin port that needs a role. */
  public static Route of(
      HttpMethod method,
      String path,
      Role role,
      int maxBodyBytes,
      Function<WebRequest, CompletionStage<Page>> handler) {
    return new Route(method, PathPattern.of(path), Access.ADMIN, role, maxBodyBytes, handler);
  }

  /** A page that only shows something. */
  static Route page(String path, Access access, Function<WebRequest, Page> handler) {
    return latePage(
        path, access, request -> CompletableFuture.completedFuture(handler.apply(request)));
  }

  /** A page that only shows something, which may have to be asked for first. */
  public static Route latePage(
      String path, Access access, Function<WebRequest, CompletionStage<Page>> handler) {
    return new Route(HttpMethod.GET, PathPattern.of(path), access, null, PAGE_BODY_BYTES, handler);
  }

  /** The row for a port that other machines reach: what is not for monitoring needs a role. */
  Route guarded() {
    return role == null && access == Access.ADMIN
        ? new Route(method, path, access, Role.VIEWER, maxBodyBytes, handler)
        : this;
  }

  boolean takes(HttpMethod asked) {
    return asked.equals(method) || method.equals(HttpMethod.GET) && asked.equals(HttpMethod.HEAD);
  }
}
