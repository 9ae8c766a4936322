package dev.weir.proxy.wiring;

import dev.weir.proxy.api.Api;
import dev.weir.proxy.api.ApiRoute;
import dev.weir.proxy.api.TokenFile;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.web.Authenticator;
import dev.weir.proxy.web.Role;
import dev.weir.proxy.web.Route;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The API of one sidecar for operators, made for its first request, so that no start waits. */
final class SidecarApi implements Authenticator, AutoCloseable {
  /** Null if there are none. */
  private final TokenFile tokens;

  private Api api;
  private boolean isClosed;

  /**
   * Reads the file of tokens.
   *
   * @param file null for none.
   * @throws IOException if it cannot be used; its message names the file and the reason.
   */
  SidecarApi(Path file) throws IOException {
    tokens = file == null ? null : new TokenFile(file);
  }

  /** Follows the file of tokens from now on, and exposes whether it is in use. */
  void start(Metrics metrics) {
    if (tokens != null) {
      metrics.counter(
          "weir_admin_log_ins_failed",
          "Tokens shown at the admin port that are not known.",
          () -> api().failedLogIns());
      new SidecarFigures(metrics).expose("weir_admin_token", "admin tokens", tokens.reloads());
      tokens.start();
    }
  }

  /** Reads the tokens again, changed or not. Any thread. */
  void reloadTokens() {
    if (tokens != null) {
      tokens.reload();
    }
  }

  private synchronized Api api() {
    if (api == null) {
      api = new Api(tokens);
      if (isClosed) {
        api.close();
      }
    }
    return api;
  }

  /** The rows of the web server's table. */
  List<Route> routes(ExplainPage explain) {
    List<ApiRoute> routes = new ArrayList<>();
    routes.add(
        ApiRoute.late(HttpMethod.GET, "/explain", Role.VIEWER, explain::answer)
            .taking(ExplainPage.PARAMETERS));
    return api().routes(routes);
  }

  @Override
  public boolean isForOtherMachines() {
    return tokens != null;
  }

  @Override
  public Permit permit(HttpRequest head, InetAddress from, Role needed) {
    return api().authenticator().permit(head, from, needed);
  }

  @Override
  public synchronized void close() {
    isClosed = true;
    if (tokens != null) {
      tokens.close();
    }
    if (api != null) {
      api.close();
    }
  }
}
