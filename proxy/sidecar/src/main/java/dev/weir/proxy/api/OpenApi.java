package dev.weir.proxy.api;

import dev.weir.proxy.web.Page;
import dev.weir.proxy.web.Role;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;

/** The description of the API (OpenAPI 3.1), a resource that is written by hand. */
public final class OpenApi {
  private static final String NAME = "openapi.json";
  private static final int ETAG_BYTES = 8;

  /** Its route. */
  public ApiRoute route() {
    return ApiRoute.of(HttpMethod.GET, "/" + NAME, Role.VIEWER, OpenApi::get).withoutStore();
  }

  private static Page get(ApiRequest request) {
    byte[] document = document();
    String etag = etag(document);
    return request.has(etag)
        ? Answers.notModified(etag)
        : new Page(HttpResponseStatus.OK, "application/json", document, Map.of("ETag", etag));
  }

  /** The document; read each time, as hardly anybody asks twice. */
  private static byte[] document() {
    try (InputStream in = OpenApi.class.getResourceAsStream(NAME)) {
      return in.readAllBytes();
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
  }

  private static String etag(byte[] document) {
    try {
      byte[] hash = MessageDigest.getInstance("SHA-256").digest(document);
      return '"' + HexFormat.of().formatHex(hash, 0, ETAG_BYTES) + '"';
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }
}
