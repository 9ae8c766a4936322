package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpRequest;
import java.util.Map;

/**
 * Says who sends a request that needs a role, and whether it may, before any of its body is read.
 * Asked by the server's thread, so it must not block.
 */
public interface Authenticator {
  /**
   * The answer.
   *
   * @param caller null if the request is refused.
   * @param refusal null if it is not.
   * @param fields for the answer to the request, whoever gives it.
   */
  record Permit(Caller caller, Page refusal, Map<String, String> fields) {}

  /** Whether callers have to show who they are, so that other machines may reach the port. */
  boolean isForOtherMachines();

  /** Decides on one request. */
  Permit permit(HttpRequest head, WebClient client, Role needed);
}
