package dev.weir.proxy.api;

import dev.weir.algorithms.Decision;
import dev.weir.proxy.web.Authenticator;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Role;
import dev.weir.proxy.web.WebClient;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Knows callers by their tokens ({@code Authorization: Bearer TOKEN}), or without one by the
 * certificates that they show, and limits them. Without a file of tokens whoever is on this machine
 * may look, and nobody may change anything.
 */
public final class ApiAuthenticator implements Authenticator {
  private static final String BEARER = "Bearer ";

  /** A browser says whose page sends a request (Fetch Metadata), and no page can change that. */
  private static final String SITE = "Sec-Fetch-Site";

  /** Null if there is none. */
  private final TokenFile tokens;

  private final OwnLimits limits;
  private final Supplier<Instant> time;
  private final AtomicLong failed = new AtomicLong();

  /**
   * @param tokens null for none: then the port must be of this machine alone.
   */
  ApiAuthenticator(TokenFile tokens, OwnLimits limits, Supplier<Instant> time) {
    this.tokens = tokens;
    this.limits = limits;
    this.time = time;
  }

  /** How many tokens were shown that are not known. */
  long failedCount() {
    return failed.get();
  }

  @Override
  public boolean isForOtherMachines() {
    return tokens != null;
  }

  @Override
  public Permit permit(HttpRequest head, WebClient client, Role needed) {
    try {
      if (!head.headers().contains(HttpHeaderNames.AUTHORIZATION)) {
        checkSite(head);
      }
      String address = OwnLimits.key(client.address());
      Caller caller = tokens == null ? Caller.LOCAL : caller(head, client, address);
      String limited = tokens == null ? address : caller.name();
      boolean isRead =
          head.method().equals(HttpMethod.GET) || head.method().equals(HttpMethod.HEAD);
      // What a viewer may do changes nothing, by whatever method; nor does a GET of any role.
      OwnLimits.Kind kind =
          isRead || needed == Role.VIEWER ? OwnLimits.Kind.READS : OwnLimits.Kind.WRITES;
      Decision decision = new Decision();
      if (!limits.charge(kind, limited, 1, decision)) {
        throw limits.refused(kind, decision);
      }
      Map<String, String> fields = limits.fields(kind, decision);
      if (caller.role().may(needed)) {
        return new Permit(caller, null, fields);
      }
      if (tokens == null) {
        throw ApiProblem.of(
            403,
            "There are no admin-tokens, so nobody may do this",
            "admin-tokens with the role " + needed + " in the settings");
      }
      throw ApiProblem.of(
          403,
          "The token of " + caller.name() + " has the role " + caller.role(),
          needed.toString());
    } catch (ApiProblem problem) {
      return new Permit(null, Answers.problem(problem), Map.of());
    }
  }

  private Caller caller(HttpRequest head, WebClient client, String address) throws ApiProblem {
    List<String> shown = head.headers().getAll(HttpHeaderNames.AUTHORIZATION);
    boolean isByCertificate = shown.isEmpty();
    if (isByCertificate && client.certificate() == null) {
      throw unknown("authorization: missing", "Bearer TOKEN");
    }
    Decision decision = new Decision();
    if (!limits.mayLogIn(address, decision)) {
      throw limits.refused(OwnLimits.Kind.LOG_INS, decision);
    }
    Instant now = time.get();
    ApiToken token = isByCertificate ? tokens.find(client.certificate(), now) : find(shown);
    if (token == null || !token.holds(now)) {
      failed.incrementAndGet();
      limits.logInFailed(address);
      String what = isByCertificate ? "certificate: the one of " : "authorization: the token of ";
      throw token != null
          ? unknown(what + token.name() + " has ended at " + token.until(), "one that is valid")
          : isByCertificate
              ? unknown("certificate: none of its names is known", "one in admin-tokens")
              : unknown("authorization: no token that is known", "Bearer TOKEN");
    }
    return new Caller(token.name(), token.role());
  }

  /** Null if it is not known. */
  private ApiToken find(List<String> shown) {
    String text = shown.get(0);
    return shown.size() == 1 && text.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? tokens.find(text.substring(BEARER.length()).strip())
        : null;
  }

  /**
   * Refuses what a page of another site has a browser send: it shows the certificate of whoever
   * sits before it, where a token would have to be known. Such a request is charged to nobody, or
   * any page could use up the limits of its reader.
   */
  private static void checkSite(HttpRequest head) throws ApiProblem {
    String site = head.headers().get(SITE);
    if (site != null && !site.equals("same-origin") && !site.equals("none")) {
      throw ApiProblem.ofField(403, SITE, site, "same-origin or none");
    }
    String origin = head.headers().get(HttpHeaderNames.ORIGIN);
    String host = head.headers().get(HttpHeaderNames.HOST);
    if (origin != null && !origin.equalsIgnoreCase("https://" + host)) {
      throw ApiProblem.ofField(403, "Origin", origin, "https://" + host + ", or none");
    }
  }

  private static ApiProblem unknown(String found, String expected) {
    return ApiProblem.of(401, found, expected).field("WWW-Authenticate", "Bearer realm=\"weir\"");
  }
}
