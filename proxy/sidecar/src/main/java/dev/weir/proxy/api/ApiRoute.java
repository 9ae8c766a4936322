package dev.weir.proxy.api;

import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import java.util.Set;

/**
 * One resource and method of the API.
 *
 * @param path below {@code /api/v1}, such as {@code /users/{id}}.
 * @param role that a caller must have.
 * @param maxBodyBytes the longest body; 0 if it takes none.
 * @param mediaType of the body.
 * @param parameters of the query; others are refused.
 * @param deprecation null while the route is to stay.
 * @param need by which it has its thread.
 */
public record ApiRoute(
    HttpMethod method,
    String path,
    Role role,
    int maxBodyBytes,
    String mediaType,
    Set<String> parameters,
    Deprecation deprecation,
    Need need,
    LateApiHandler handler) {
  /** The path of all routes. */
  public static final String PREFIX = "/api/v1";

  /** A body of JSON. */
  static final String JSON = "application/json";

  /** Lines of JSON. */
  static final String LINES = "application/x-ndjson";

  /** What its answer may have to wait for. */
  public enum Need {
    /** For nothing, or for event loops. */
    NO_STORE,

    /** For the store of records. */
    STORE,

    /** For the store, for so long that others must not wait behind it. */
    LONG
  }

  /** The longest body of one record. */
  public static final int RECORD_BYTES = 64 << 10;

  /**
   * When a route was said to end.
   *
   * @param since when it became deprecated.
   * @param sunset when it may be gone: six months later or more.
   */
  public record Deprecation(Instant since, Instant sunset) {
    /** The fields of each answer (RFC 9745, RFC 8594). */
    Map<String, String> fields() {
      return Map.of(
          "Deprecation",
          "@" + since.getEpochSecond(),
          "Sunset",
          DateTimeFormatter.RFC_1123_DATE_TIME.format(sunset.atOffset(ZoneOffset.UTC)));
    }
  }

  /** A route that takes no body. */
  public static ApiRoute of(HttpMethod method, String path, Role role, ApiHandler handler) {
    return new ApiRoute(
        method, path, role, 0, JSON, Set.of(), null, Need.STORE, LateApiHandler.of(handler));
  }

  /** A route that takes no body, and whose answer may be known later. */
  public static ApiRoute late(HttpMethod method, String path, Role role, LateApiHandler handler) {
    return new ApiRoute(method, path, role, 0, JSON, Set.of(), null, Need.STORE, handler);
  }

  /** The same with a body of JSON. */
  public ApiRoute withBody(int maxBytes) {
    return withBody(maxBytes, JSON);
  }

  /** The same with a body of some type. */
  public ApiRoute withBody(int maxBytes, String type) {
    return new ApiRoute(method, path, role, maxBytes, type, parameters, deprecation, need, handler);
  }

  /** The same with parameters. */
  public ApiRoute taking(String... names) {
    return new ApiRoute(
        method, path, role, maxBodyBytes, mediaType, Set.of(names), deprecation, need, handler);
  }

  /** The same, deprecated. */
  public ApiRoute deprecated(Deprecation soon) {
    return new ApiRoute(
        method, path, role, maxBodyBytes, mediaType, parameters, soon, need, handler);
  }

  /** The same, and it never asks the store of records: it does not wait behind those that do. */
  public ApiRoute withoutStore() {
    return new ApiRoute(
        method,
        path,
        role,
        maxBodyBytes,
        mediaType,
        parameters,
        deprecation,
        Need.NO_STORE,
        handler);
  }

  /** The same, on the thread of what takes long. */
  public ApiRoute asLong() {
    return new ApiRoute(
        method, path, role, maxBodyBytes, mediaType, parameters, deprecation, Need.LONG, handler);
  }
}
