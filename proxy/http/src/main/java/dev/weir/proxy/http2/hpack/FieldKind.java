package dev.weir.proxy.http2.hpack;

import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;

/**
 * The names of fields that are known, as small numbers: a name is looked up once, when it is
 * decoded or enters a dynamic table, and not compared again. Pseudo fields come first.
 */
public final class FieldKind {
  /** A name that is not among the known ones. */
  public static final int UNKNOWN = 0;

  public static final int AUTHORITY = 1;
  public static final int METHOD = 2;
  public static final int PATH = 3;
  public static final int SCHEME = 4;
  public static final int STATUS = 5;
  public static final int PROTOCOL = 6;

  public static final int TE = 7;
  public static final int VIA = 8;
  public static final int HOST = 9;
  public static final int EXPECT = 10;
  public static final int TRAILER = 11;
  public static final int UPGRADE = 12;
  public static final int FORWARDED = 13;
  public static final int X_REAL_IP = 14;
  public static final int CONNECTION = 15;
  public static final int KEEP_ALIVE = 16;
  public static final int X_REQUEST_ID = 17;
  public static final int CONTENT_LENGTH = 18;
  public static final int CONTENT_LENGTH_LOOKALIKE = 19;
  public static final int HTTP2_SETTINGS = 20;
  public static final int TRUE_CLIENT_IP = 21;
  public static final int X_FORWARDED_FOR = 22;
  public static final int X_FORWARDED_HOST = 23;
  public static final int X_FORWARDED_PORT = 24;
  public static final int PROXY_CONNECTION = 25;
  public static final int X_FORWARDED_PROTO = 26;
  public static final int TRANSFER_ENCODING = 27;
  public static final int TRANSFER_ENCODING_LOOKALIKE = 28;
  public static final int X_RATELIMIT_LIMIT = 29;
  public static final int X_RATELIMIT_RESET = 30;
  public static final int PROXY_AUTHENTICATE = 31;
  public static final int PROXY_AUTHORIZATION = 32;
  public static final int X_RATELIMIT_REMAINING = 33;

  /** Any field whose name begins so. */
  public static final int X_ENVOY = 34;

  public static final int GRPC_TIMEOUT = 35;
  public static final int GRPC_STATUS = 36;
  public static final int GRPC_MESSAGE = 37;
  public static final int GRPC_STATUS_DETAILS_BIN = 38;
  public static final int GRPC_ENCODING = 39;
  public static final int GRPC_ACCEPT_ENCODING = 40;
  public static final int GRPC_RETRY_PUSHBACK_MS = 41;
  public static final int AUTHORIZATION = 42;
  public static final int COOKIE = 43;
  public static final int SET_COOKIE = 44;
  public static final int CONTENT_TYPE = 45;
  public static final int USER_AGENT = 46;
  public static final int DATE = 47;
  public static final int SERVER = 48;
  public static final int AGE = 49;
  public static final int RANGE = 50;
  public static final int MAX_FORWARDS = 51;
  public static final int CACHE_CONTROL = 52;
  public static final int CONTENT_RANGE = 53;
  public static final int CONTENT_ENCODING = 54;
  public static final int WWW_AUTHENTICATE = 55;
  public static final int PRIORITY = 56;
  public static final int TRACEPARENT = 57;
  public static final int RETRY_AFTER = 58;
  public static final int RATELIMIT = 59;
  public static final int RATELIMIT_POLICY = 60;
  public static final int ACCEPT = 61;
  public static final int ACCEPT_CHARSET = 62;
  public static final int ACCEPT_ENCODING = 63;
  public static final int ACCEPT_LANGUAGE = 64;
  public static final int ACCEPT_RANGES = 65;
  public static final int ACCESS_CONTROL_ALLOW_ORIGIN = 66;
  public static final int ALLOW = 67;
  public static final int CONTENT_DISPOSITION = 68;
  public static final int CONTENT_LANGUAGE = 69;
  public static final int CONTENT_LOCATION = 70;
  public static final int ETAG = 71;
  public static final int EXPIRES = 72;
  public static final int FROM = 73;
  public static final int IF_MATCH = 74;
  public static final int IF_MODIFIED_SINCE = 75;
  public static final int IF_NONE_MATCH = 76;
  public static final int IF_RANGE = 77;
  public static final int IF_UNMODIFIED_SINCE = 78;
  public static final int LAST_MODIFIED = 79;
  public static final int LINK = 80;
  public static final int LOCATION = 81;
  public static final int REFERER = 82;
  public static final int REFRESH = 83;
  public static final int STRICT_TRANSPORT_SECURITY = 84;
  public static final int VARY = 85;
  public static final int SEC_WEBSOCKET_KEY = 86;
  public static final int SEC_WEBSOCKET_ACCEPT = 87;
  public static final int SEC_WEBSOCKET_VERSION = 88;
  public static final int SEC_WEBSOCKET_PROTOCOL = 89;
  public static final int SEC_WEBSOCKET_EXTENSIONS = 90;

  private static final String[] NAMES = {
    "",
    ":authority",
    ":method",
    ":path",
    ":scheme",
    ":status",
    ":protocol",
    "te",
    "via",
    "host",
    "expect",
    "trailer",
    "upgrade",
    "forwarded",
    "x-real-ip",
    "connection",
    "keep-alive",
    "x-request-id",
    "content-length",
    "content_length",
    "http2-settings",
    "true-client-ip",
    "x-forwarded-for",
    "x-forwarded-host",
    "x-forwarded-port",
    "proxy-connection",
    "x-forwarded-proto",
    "transfer-encoding",
    "transfer_encoding",
    "x-ratelimit-limit",
    "x-ratelimit-reset",
    "proxy-authenticate",
    "proxy-authorization",
    "x-ratelimit-remaining",
    "x-envoy-",
    "grpc-timeout",
    "grpc-status",
    "grpc-message",
    "grpc-status-details-bin",
    "grpc-encoding",
    "grpc-accept-encoding",
    "grpc-retry-pushback-ms",
    "authorization",
    "cookie",
    "set-cookie",
    "content-type",
    "user-agent",
    "date",
    "server",
    "age",
    "range",
    "max-forwards",
    "cache-control",
    "content-range",
    "content-encoding",
    "www-authenticate",
    "priority",
    "traceparent",
    "retry-after",
    "ratelimit",
    "ratelimit-policy",
    "accept",
    "accept-charset",
    "accept-encoding",
    "accept-language",
    "accept-ranges",
    "access-control-allow-origin",
    "allow",
    "content-disposition",
    "content-language",
    "content-location",
    "etag",
    "expires",
    "from",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "last-modified",
    "link",
    "location",
    "referer",
    "refresh",
    "strict-transport-security",
    "vary",
    "sec-websocket-key",
    "sec-websocket-accept",
    "sec-websocket-version",
    "sec-websocket-protocol",
    "sec-websocket-extensions",
  };

  /** The number of kinds, {@link #UNKNOWN} included. */
  public static final int COUNT = NAMES.length;

  private static final byte[][] BYTES = new byte[COUNT][];

  static {
    for (int kind = 0; kind < COUNT; kind++) {
      BYTES[kind] = NAMES[kind].getBytes(StandardCharsets.US_ASCII);
    }
  }

  private FieldKind() {}

  /** The name in lower case; that of {@link #X_ENVOY} is a prefix, that of no field empty. */
  public static String name(int kind) {
    return NAMES[kind];
  }

  /** The name's bytes, which must not be changed. */
  static byte[] bytes(int kind) {
    return BYTES[kind];
  }

  /** Whether the field is one of HTTP/2's own, which stand before all others. */
  public static boolean isPseudo(int kind) {
    return kind >= AUTHORITY && kind <= PROTOCOL;
  }

  /** Whether the field is about one connection of HTTP/1.1: a message of HTTP/2 has none. */
  public static boolean isConnectionSpecific(int kind) {
    return switch (kind) {
      case CONNECTION, KEEP_ALIVE, PROXY_CONNECTION, TRANSFER_ENCODING, UPGRADE, HTTP2_SETTINGS ->
          true;
      default -> false;
    };
  }

  /** Whether a field of that name has a secret, by its name in any case. */
  public static boolean isSecret(DirectBuffer bytes, int nameOffset, int nameLength) {
    return switch (nameLength) {
      case 6 -> isNamed(COOKIE, bytes, nameOffset);
      case 10 -> isNamed(SET_COOKIE, bytes, nameOffset);
      case 13 -> isNamed(AUTHORIZATION, bytes, nameOffset);
      case 19 -> isNamed(PROXY_AUTHORIZATION, bytes, nameOffset);
      default -> false;
    };
  }

  private static boolean isNamed(int kind, DirectBuffer bytes, int nameOffset) {
    final byte[] name = BYTES[kind];
    for (int i = 0; i < name.length; i++) {
      final byte b = bytes.getByte(nameOffset + i);
      if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != name[i]) {
        return false;
      }
    }
    return true;
  }

  /** Whether the value is a secret, which no table may keep (RFC 7541, section 7.1.3). */
  public static boolean isSecret(int kind) {
    return switch (kind) {
      case AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE -> true;
      default -> false;
    };
  }
}
