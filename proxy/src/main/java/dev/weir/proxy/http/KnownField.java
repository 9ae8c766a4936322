package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/** The fields that a proxy itself acts on; every other field is passed on unread. */
enum KnownField {
  TE("te"),
  VIA("via"),
  HOST("host"),
  EXPECT("expect"),
  TRAILER("trailer"),
  UPGRADE("upgrade"),
  FORWARDED("forwarded"),
  X_REAL_IP("x-real-ip"),
  CONNECTION("connection"),
  KEEP_ALIVE("keep-alive"),
  X_REQUEST_ID("x-request-id"),
  CONTENT_LENGTH("content-length"),
  CONTENT_LENGTH_LOOKALIKE("content_length"),
  HTTP2_SETTINGS("http2-settings"),
  TRUE_CLIENT_IP("true-client-ip"),
  X_FORWARDED_FOR("x-forwarded-for"),
  X_FORWARDED_HOST("x-forwarded-host"),
  X_FORWARDED_PORT("x-forwarded-port"),
  PROXY_CONNECTION("proxy-connection"),
  X_FORWARDED_PROTO("x-forwarded-proto"),
  TRANSFER_ENCODING("transfer-encoding"),
  TRANSFER_ENCODING_LOOKALIKE("transfer_encoding"),
  X_RATELIMIT_LIMIT("x-ratelimit-limit"),
  X_RATELIMIT_RESET("x-ratelimit-reset"),
  PROXY_AUTHENTICATE("proxy-authenticate"),
  PROXY_AUTHORIZATION("proxy-authorization"),
  X_RATELIMIT_REMAINING("x-ratelimit-remaining"),
  /** Any field of that prefix: Envoy's own, which only an Envoy may set. */
  X_ENVOY("x-envoy-");

  private static final KnownField[][] BY_LENGTH = new KnownField[32][];

  static {
    for (int length = 0; length < BY_LENGTH.length; length++) {
      int wanted = length;
      KnownField[] candidates =
          Arrays.stream(values())
              .filter(f -> f != X_ENVOY && f.lowerCase.length == wanted)
              .toArray(KnownField[]::new);
      BY_LENGTH[length] = candidates.length == 0 ? null : candidates;
    }
  }

  private final byte[] lowerCase;

  KnownField(String name) {
    lowerCase = name.getBytes(StandardCharsets.US_ASCII);
  }

  /** The known field of that name, in any case; null for any other. */
  static KnownField lookUp(DirectBuffer bytes, int offset, int length) {
    if (length < BY_LENGTH.length && BY_LENGTH[length] != null) {
      for (KnownField candidate : BY_LENGTH[length]) {
        if (Ascii.equalsIgnoreCase(bytes, offset, length, candidate.lowerCase)) {
          return candidate;
        }
      }
    }
    int prefix = X_ENVOY.lowerCase.length;
    if (length > prefix && Ascii.equalsIgnoreCase(bytes, offset, prefix, X_ENVOY.lowerCase)) {
      return X_ENVOY;
    }
    return null;
  }

  /**
   * Whether a client may name this field in {@code Connection} and so have it removed. What carries
   * framing, routing or who is asking stays: naming it would be a way to shed it.
   */
  boolean mayBeNominated() {
    return switch (this) {
      case TE, KEEP_ALIVE, UPGRADE, TRAILER, HTTP2_SETTINGS, PROXY_CONNECTION -> true;
      default -> false;
    };
  }
}
