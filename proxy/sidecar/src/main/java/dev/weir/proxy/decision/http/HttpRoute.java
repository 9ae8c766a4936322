package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.RequestView;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The requests of an endpoint.
 *
 * @param method null for any; GET includes HEAD (RFC 9110, section 9.1).
 * @param path the whole path; or a prefix, if it ends with {@code /}.
 */
public record HttpRoute(String method, String path) {
  private static final String HEAD = "HEAD";

  /** How far a request matches a route. */
  public enum Match {
    NO_PATH,
    NO_METHOD,
    YES
  }

  /** Matches a request. */
  public Match match(RequestView request) {
    DirectBuffer bytes = request.bytes();
    boolean isPrefix = path.endsWith("/");
    boolean isPath =
        (isPrefix ? request.pathLength() >= path.length() : request.pathLength() == path.length())
            && begins(bytes, request.pathOffset(), path);
    if (!isPath) {
      return Match.NO_PATH;
    }
    boolean isMethod =
        method == null || isMethod(request, method) || isGet() && isMethod(request, HEAD);
    return isMethod ? Match.YES : Match.NO_METHOD;
  }

  private boolean isGet() {
    return method.equals("GET");
  }

  private static boolean isMethod(RequestView request, String method) {
    return request.methodLength() == method.length()
        && begins(request.bytes(), request.methodOffset(), method);
  }

  /** The methods of the route, for an Allow field. */
  String allowed() {
    return isGet() ? method + ", " + HEAD : method;
  }

  /** Whether a target begins like those of the route. */
  boolean begins(DirectBuffer target, int offset, int length) {
    int pathLength = path.endsWith("/") ? path.length() - 1 : path.length();
    return length >= pathLength && begins(target, offset, path.substring(0, pathLength));
  }

  private static boolean begins(DirectBuffer bytes, int offset, String text) {
    for (int i = 0; i < text.length(); i++) {
      if (bytes.getByte(offset + i) != text.charAt(i)) {
        return false;
      }
    }
    return true;
  }

  /** In ASCII. */
  public static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }
}
