package dev.weir.proxy.api;

import dev.weir.algorithms.Decision;
import dev.weir.proxy.web.Authenticator;
import dev.weir.proxy.web.Caller;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import java.net.InetAddress;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/**
 * Knows callers by their tokens ({@code Authorization: Bearer TOKEN}), and limits them. Without a
 * file of tokens whoever is on this machine may look, and nobody may change anything.
 */
public final class ApiAuthenticator implements Authenticator {
  private static final String BEARER = "Bearer ";

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
  public Permit permit(HttpRequest head, InetAddress from, Role needed) {
    try {
      String address = OwnLimits.key(from);
      Caller caller = tokens == null ? Caller.LOCAL : caller(head, address);
      String limited = tokens == null ? address : caller.name();
      boolean isRead =
          head.method().equals(HttpMethod.GET) || head.method().equals(HttpMethod.HEAD);
      OwnLimits.Kind kind = isRead ? OwnLimits.Kind.READS : OwnLimits.Kind.WRITES;
      Decision decision = new Decision();
      if (!limits.charge(kind, limited, 1, decision)) {
        throw limits.refused(kind, decision);
      }
      Map<String, String> fields = limits.fields(kind, decision);
      if (caller.role().may(needed)) {
        return new Permit(caller, null, fields);
      }
      throw new ApiProblem(
          403,
          tokens == null
              ? "There are no admin-tokens, so nobody may do this (expected: admin-tokens with the"
                  + " role "
                  + needed
                  + " in the settings)."
              : "The token of "
                  + caller.name()
                  + " has the role "
                  + caller.role()
                  + " (expected: "
                  + needed
                  + ").");
    } catch (ApiProblem problem) {
      return new Permit(null, Answers.problem(problem), Map.of());
    }
  }

  private Caller caller(HttpRequest head, String address) throws ApiProblem {
    List<String> shown = head.headers().getAll(HttpHeaderNames.AUTHORIZATION);
    if (shown.isEmpty()) {
      throw unknown("authorization: missing (expected: Bearer TOKEN)");
    }
    Decision decision = new Decision();
    if (!limits.mayLogIn(address, decision)) {
      throw limits.refused(OwnLimits.Kind.LOG_INS, decision);
    }
    String text = shown.get(0);
    ApiToken token =
        shown.size() == 1 && text.regionMatches(true, 0, BEARER, 0, BEARER.length())
            ? tokens.find(text.substring(BEARER.length()).strip())
            : null;
    if (token == null || !time.get().isBefore(token.until())) {
      failed.incrementAndGet();
      limits.logInFailed(address);
      throw unknown(
          token == null
              ? "authorization: no token that is known (expected: Bearer TOKEN)"
              : "authorization: the token of " + token.name() + " has ended at " + token.until());
    }
    return new Caller(token.name(), token.role());
  }

  private static ApiProblem unknown(String detail) {
    return new ApiProblem(401, detail).field("WWW-Authenticate", "Bearer realm=\"weir\"");
  }
}
