package dev.weir.proxy.wiring;

import dev.weir.proxy.api.Api;
import dev.weir.proxy.api.ApiRoute;
import dev.weir.proxy.api.Audit;
import dev.weir.proxy.api.CandidateRules;
import dev.weir.proxy.api.OpenApi;
import dev.weir.proxy.api.Reload;
import dev.weir.proxy.api.Rules;
import dev.weir.proxy.api.Sidecars;
import dev.weir.proxy.api.TokenFile;
import dev.weir.proxy.api.Top;
import dev.weir.proxy.api.TopCounts;
import dev.weir.proxy.api.UserLimits;
import dev.weir.proxy.api.Users;
import dev.weir.proxy.api.WhatIf;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.watch.Reloads;
import dev.weir.proxy.web.Authenticator;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Role;
import dev.weir.proxy.web.Route;
import dev.weir.proxy.web.WebClient;
import io.netty.handler.codec.http.HttpRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

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

  boolean hasTokens() {
    return tokens != null;
  }

  Reloads reloads() {
    return tokens.reloads();
  }

  /** Reads the tokens again, changed or not. Any thread. */
  void reloadTokens() {
    tokens.reload();
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

  /**
   * The rows of the web server's table.
   *
   * @param records null if there are none.
   * @param rules in use.
   * @param candidate null if none is asked.
   */
  List<Route> routes(
      ExplainPage explain,
      RecordsInUse records,
      Supplier<RuleSet> rules,
      UserLimits users,
      TopCounts top,
      SidecarFiles files,
      CandidateRules candidate) {
    return api().routes(resources(explain, records, rules, users, top, files, candidate));
  }

  /** All resources of the API, as {@code openapi.json} describes them. */
  static List<ApiRoute> resources(
      ExplainPage explain,
      RecordsInUse records,
      Supplier<RuleSet> rules,
      UserLimits users,
      TopCounts top,
      SidecarFiles files,
      CandidateRules candidate) {
    List<ApiRoute> routes = new ArrayList<>();
    routes.add(new OpenApi().route());
    routes.addAll(explain.resources());
    RecordStore store = records == null ? null : records.store();
    routes.addAll(new Rules(records, files::rules).routes());
    routes.add(new Sidecars(records).route());
    routes.addAll(new Audit(store).routes());
    routes.add(new Top(top).route());
    routes.addAll(new WhatIf(store, candidate).routes());
    routes.add(new Reload(store, files::reload).route());
    routes.addAll(new Users(rules, store, users, InstantSource.system()).routes());
    return routes;
  }

  /** What a caller may see of an identity: the whole, or a hash. */
  UnaryOperator<String> shownTo(Caller caller) {
    return api().identities().shownTo(caller);
  }

  @Override
  public boolean isForOtherMachines() {
    return tokens != null;
  }

  @Override
  public Permit permit(HttpRequest head, WebClient client, Role needed) {
    return api().authenticator().permit(head, client, needed);
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
