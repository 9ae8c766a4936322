package dev.weir.proxy.http2.hpack;

import dev.weir.proxy.request.Ascii;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
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
  public static final int EXPECT = 8;
  public static final int UPGRADE = 9;
  public static final int CONNECTION = 10;
  public static final int KEEP_ALIVE = 11;
  public static final int CONTENT_LENGTH = 12;
  public static final int HTTP2_SETTINGS = 13;
  public static final int PROXY_CONNECTION = 14;
  public static final int TRANSFER_ENCODING = 15;
  public static final int X_RATELIMIT_LIMIT = 16;
  public static final int X_RATELIMIT_RESET = 17;
  public static final int PROXY_AUTHORIZATION = 18;
  public static final int X_RATELIMIT_REMAINING = 19;

  /** Any field whose name begins so. */
  public static final int X_ENVOY = 20;

  public static final int GRPC_TIMEOUT = 21;
  public static final int GRPC_STATUS = 22;
  public static final int GRPC_MESSAGE = 23;
  public static final int GRPC_STATUS_DETAILS_BIN = 24;
  public static final int GRPC_ENCODING = 25;
  public static final int GRPC_RETRY_PUSHBACK_MS = 26;
  public static final int AUTHORIZATION = 27;
  public static final int COOKIE = 28;
  public static final int SET_COOKIE = 29;
  public static final int CONTENT_TYPE = 30;
  public static final int USER_AGENT = 31;
  public static final int DATE = 32;
  public static final int WWW_AUTHENTICATE = 33;
  public static final int RETRY_AFTER = 34;
  public static final int RATELIMIT = 35;
  public static final int RATELIMIT_POLICY = 36;

  /** The names of the constants, in their order. */
  private static final List<String> OF_CONSTANTS =
      List.of(
          "",
          ":authority",
          ":method",
          ":path",
          ":scheme",
          ":status",
          ":protocol",
          "te",
          "expect",
          "upgrade",
          "connection",
          "keep-alive",
          "content-length",
          "http2-settings",
          "proxy-connection",
          "transfer-encoding",
          "x-ratelimit-limit",
          "x-ratelimit-reset",
          "proxy-authorization",
          "x-ratelimit-remaining",
          "x-envoy-",
          "grpc-timeout",
          "grpc-status",
          "grpc-message",
          "grpc-status-details-bin",
          "grpc-encoding",
          "grpc-retry-pushback-ms",
          "authorization",
          "cookie",
          "set-cookie",
          "content-type",
          "user-agent",
          "date",
          "www-authenticate",
          "retry-after",
          "ratelimit",
          "ratelimit-policy");

  /** Names that come often, and that the static table does not have. */
  private static final List<String> OTHERS =
      List.of(
          "trailer",
          "forwarded",
          "x-real-ip",
          "x-request-id",
          "content_length",
          "true-client-ip",
          "x-forwarded-for",
          "x-forwarded-host",
          "x-forwarded-port",
          "x-forwarded-proto",
          "transfer_encoding",
          "grpc-accept-encoding",
          "priority",
          "traceparent",
          "sec-websocket-key",
          "sec-websocket-accept",
          "sec-websocket-version",
          "sec-websocket-protocol",
          "sec-websocket-extensions");

  private static final String[] NAMES = names();

  /** The number of kinds, {@link #UNKNOWN} included. */
  public static final int COUNT = NAMES.length;

  private static final byte[][] BYTES = new byte[COUNT][];

  static {
    for (int kind = 0; kind < COUNT; kind++) {
      BYTES[kind] = NAMES[kind].getBytes(StandardCharsets.US_ASCII);
    }
  }

  private FieldKind() {}

  private static String[] names() {
    final Set<String> names = new LinkedHashSet<>(OF_CONSTANTS);
    names.addAll(OTHERS);
    for (int index = 1; index <= StaticTable.size(); index++) {
      names.add(StaticTable.nameAt(index));
    }
    return names.toArray(new String[0]);
  }

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
    return Ascii.equalsIgnoreCase(bytes, nameOffset, name.length, name);
  }

  /** Whether the value is a secret, which no table may keep (RFC 7541, section 7.1.3). */
  public static boolean isSecret(int kind) {
    return switch (kind) {
      case AUTHORIZATION, PROXY_AUTHORIZATION, COOKIE, SET_COOKIE -> true;
      default -> false;
    };
  }
}
