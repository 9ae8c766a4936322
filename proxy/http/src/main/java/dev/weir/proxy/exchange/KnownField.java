package dev.weir.proxy.exchange;

import static dev.weir.proxy.exchange.FieldTreatment.BELIEVED;
import static dev.weir.proxy.exchange.FieldTreatment.BELIEVED_OR_ADDED;
import static dev.weir.proxy.exchange.FieldTreatment.DROPPED;
import static dev.weir.proxy.exchange.FieldTreatment.EXTENDED;
import static dev.weir.proxy.exchange.FieldTreatment.FRAMING;
import static dev.weir.proxy.exchange.FieldTreatment.KEPT;
import static dev.weir.proxy.exchange.FieldTreatment.KEPT_AND_ADDED;
import static dev.weir.proxy.exchange.FieldTreatment.KEPT_OR_ADDED;
import static dev.weir.proxy.exchange.FieldTreatment.STRICTEST;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;

/**
 * The fields that a proxy acts on, with their treatments: the first is that of a request's field,
 * the second that of a response's. Every other field passes unread.
 */
public enum KnownField {
  TE("te", DROPPED, DROPPED),
  VIA("via", KEPT_AND_ADDED, KEPT_AND_ADDED),
  HOST("host", FRAMING, KEPT),
  EXPECT("expect", FRAMING, KEPT),
  TRAILER("trailer", DROPPED, KEPT),
  UPGRADE("upgrade", FRAMING, FRAMING),
  FORWARDED("forwarded", BELIEVED, KEPT),
  X_REAL_IP("x-real-ip", BELIEVED, KEPT),
  CONNECTION("connection", DROPPED, DROPPED),
  KEEP_ALIVE("keep-alive", DROPPED, DROPPED),
  X_REQUEST_ID("x-request-id", KEPT_OR_ADDED, KEPT),
  CONTENT_LENGTH("content-length", FRAMING, FRAMING),
  CONTENT_LENGTH_LOOKALIKE("content_length", DROPPED, KEPT),
  HTTP2_SETTINGS("http2-settings", DROPPED, KEPT),
  TRUE_CLIENT_IP("true-client-ip", BELIEVED, KEPT),
  X_FORWARDED_FOR("x-forwarded-for", EXTENDED, KEPT),
  X_FORWARDED_HOST("x-forwarded-host", BELIEVED_OR_ADDED, KEPT),
  X_FORWARDED_PORT("x-forwarded-port", BELIEVED, KEPT),
  PROXY_CONNECTION("proxy-connection", DROPPED, DROPPED),
  X_FORWARDED_PROTO("x-forwarded-proto", BELIEVED_OR_ADDED, KEPT),
  TRANSFER_ENCODING("transfer-encoding", FRAMING, FRAMING),
  TRANSFER_ENCODING_LOOKALIKE("transfer_encoding", DROPPED, KEPT),
  X_RATELIMIT_LIMIT("x-ratelimit-limit", KEPT, STRICTEST),
  X_RATELIMIT_RESET("x-ratelimit-reset", KEPT, STRICTEST),
  PROXY_AUTHENTICATE("proxy-authenticate", DROPPED, DROPPED),
  PROXY_AUTHORIZATION("proxy-authorization", DROPPED, KEPT),
  X_RATELIMIT_REMAINING("x-ratelimit-remaining", KEPT, STRICTEST),
  SEC_WEBSOCKET_KEY("sec-websocket-key", FRAMING, KEPT),
  SEC_WEBSOCKET_ACCEPT("sec-websocket-accept", KEPT, FRAMING),
  /** All fields with this prefix: Envoy's own fields, which only a trusted Envoy may set. */
  X_ENVOY("x-envoy-", BELIEVED, KEPT);

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
  private final FieldTreatment inRequest;
  private final FieldTreatment inResponse;

  KnownField(String name, FieldTreatment inRequest, FieldTreatment inResponse) {
    lowerCase = name.getBytes(StandardCharsets.US_ASCII);
    this.inRequest = inRequest;
    this.inResponse = inResponse;
  }

  /** The name in lower case; that of {@link #X_ENVOY} is a prefix. */
  public String lowerCaseName() {
    return new String(lowerCase, StandardCharsets.US_ASCII);
  }

  /** The field's treatment on the way to the service. */
  public FieldTreatment inRequest() {
    return inRequest;
  }

  /** The field's treatment on the way to the client. */
  public FieldTreatment inResponse() {
    return inResponse;
  }

  /** The known field of that name, in any case; null for any other. */
  public static KnownField lookUp(DirectBuffer bytes, int offset, int length) {
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

  /** Whether the field frames or routes a request, so that each version of HTTP writes it anew. */
  public boolean frames() {
    return inRequest == FRAMING;
  }

  /**
   * Whether a client may have this field removed by naming it in {@code Connection}. Fields for
   * framing, routing and identity always stay: removing them would be a way around a limit.
   */
  boolean mayBeNominated() {
    return switch (this) {
      case TE, KEEP_ALIVE, UPGRADE, TRAILER, HTTP2_SETTINGS, PROXY_CONNECTION, SEC_WEBSOCKET_KEY ->
          true;
      default -> false;
    };
  }
}
