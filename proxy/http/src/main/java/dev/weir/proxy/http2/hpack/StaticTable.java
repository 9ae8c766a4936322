package dev.weir.proxy.http2.hpack;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The fields that both sides know from the start (RFC 7541, appendix A), by index from 1. */
final class StaticTable {
  /** The index of a field that is not in the table. */
  static final int NONE = 0;

  static final int METHOD_GET = 2;

  // A value stands behind an equals sign.
  private static final List<String> FIELDS =
      List.of(
          ":authority",
          ":method=GET",
          ":method=POST",
          ":path=/",
          ":path=/index.html",
          ":scheme=http",
          ":scheme=https",
          ":status=200",
          ":status=204",
          ":status=206",
          ":status=304",
          ":status=400",
          ":status=404",
          ":status=500",
          "accept-charset",
          "accept-encoding=gzip, deflate",
          "accept-language",
          "accept-ranges",
          "accept",
          "access-control-allow-origin",
          "age",
          "allow",
          "authorization",
          "cache-control",
          "content-disposition",
          "content-encoding",
          "content-language",
          "content-length",
          "content-location",
          "content-range",
          "content-type",
          "cookie",
          "date",
          "etag",
          "expect",
          "expires",
          "from",
          "host",
          "if-match",
          "if-modified-since",
          "if-none-match",
          "if-range",
          "if-unmodified-since",
          "last-modified",
          "link",
          "location",
          "max-forwards",
          "proxy-authenticate",
          "proxy-authorization",
          "range",
          "referer",
          "refresh",
          "retry-after",
          "server",
          "set-cookie",
          "strict-transport-security",
          "transfer-encoding",
          "user-agent",
          "vary",
          "via",
          "www-authenticate");

  private static final Map<String, Integer> PAIRS = new HashMap<>();
  private static final Map<String, Integer> NAMES = new HashMap<>();

  static {
    for (int i = 0; i < FIELDS.size(); i++) {
      final String field = FIELDS.get(i);
      final int equals = field.indexOf('=');
      if (equals > 0) {
        PAIRS.put(field, i + 1);
      }
      NAMES.putIfAbsent(equals > 0 ? field.substring(0, equals) : field, i + 1);
    }
  }

  private StaticTable() {}

  /** The number of fields, whose indices run from 1 on. */
  static int size() {
    return FIELDS.size();
  }

  static String nameAt(int index) {
    final String field = FIELDS.get(index - 1);
    final int equals = field.indexOf('=');
    return equals > 0 ? field.substring(0, equals) : field;
  }

  /** The value of the field with an index; empty if the table gives none. */
  static String valueAt(int index) {
    final String field = FIELDS.get(index - 1);
    final int equals = field.indexOf('=');
    return equals > 0 ? field.substring(equals + 1) : "";
  }

  /** The index of a field with that very value, or {@link #NONE}. */
  static int pair(String name, String value) {
    return PAIRS.getOrDefault(name + '=' + value, NONE);
  }

  /** The least index of a field of that name, or {@link #NONE}. */
  static int name(String name) {
    return NAMES.getOrDefault(name, NONE);
  }
}
