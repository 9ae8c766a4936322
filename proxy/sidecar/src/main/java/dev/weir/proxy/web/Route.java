package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpMethod;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * One row of the table of routes: which requests it takes, who may send them, and who answers.
 *
 * @param method of GET, HEAD is taken too.
 * @param path the whole path, in which one {@code *} stands for any text.
 * @param maxBodyBytes the longest body; longer ones get a 413.
 * @param handler answers on the server's thread, and must not block: a page that is known later may
 *     be completed by any thread.
 */
public record Route(
    HttpMethod method,
    String path,
    Access access,
    int maxBodyBytes,
    Function<WebRequest, CompletionStage<Page>> handler) {
  /** A page needs no body; one that comes all the same is read and ignored. */
  private static final int PAGE_BODY_BYTES = 64 << 10;

  /** The ports by which requests may come. */
  public enum Access {
    /** Whoever is on this machine: by the admin port. */
    ADMIN,

    /** Whoever reaches the monitoring port; and whoever is on this machine. */
    MONITORING
  }

  /** A page that only shows something. */
  static Route page(String path, Access access, Function<WebRequest, Page> handler) {
    return latePage(
        path, access, request -> CompletableFuture.completedFuture(handler.apply(request)));
  }

  /** A page that only shows something, which may have to be asked for first. */
  public static Route latePage(
      String path, Access access, Function<WebRequest, CompletionStage<Page>> handler) {
    return new Route(HttpMethod.GET, path, access, PAGE_BODY_BYTES, handler);
  }

  boolean takes(HttpMethod asked) {
    return asked.equals(method) || method.equals(HttpMethod.GET) && asked.equals(HttpMethod.HEAD);
  }

  /** The text that stands for {@code *} in a path, empty without one; null for other paths. */
  String match(String asked) {
    int star = path.indexOf('*');
    if (star < 0) {
      return asked.equals(path) ? "" : null;
    }
    int end = asked.length() - (path.length() - star - 1);
    boolean isOne =
        end >= star
            && asked.startsWith(path.substring(0, star))
            && asked.endsWith(path.substring(star + 1));
    return isOne ? asked.substring(star, end) : null;
  }
}
