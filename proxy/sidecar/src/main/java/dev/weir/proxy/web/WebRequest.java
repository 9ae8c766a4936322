package dev.weir.proxy.web;

import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.net.InetAddress;
import java.util.List;
import java.util.Map;

/**
 * A request to be answered, with its body.
 *
 * @param path the values of the names in the path of its route.
 * @param target whose query is decoded.
 * @param body empty for none.
 * @param from the client's address; null for a Unix-domain socket.
 * @param caller null for a route that needs no role.
 */
public record WebRequest(
    HttpRequest head,
    Map<String, String> path,
    QueryStringDecoder target,
    byte[] body,
    InetAddress from,
    Caller caller) {
  /** The Accept field; null for none. */
  public String accept() {
    return field(HttpHeaderNames.ACCEPT);
  }

  /** A field's value; null for none. Several count as one list (RFC 9110, 5.3). */
  public String field(CharSequence name) {
    List<String> fields = head.headers().getAll(name);
    return fields.isEmpty() ? null : String.join(",", fields);
  }

  /** The value of a parameter of the query, the last of several; {@code standard} without one. */
  public String parameter(String name, String standard) {
    List<String> values = target.parameters().get(name);
    return values == null ? standard : values.get(values.size() - 1);
  }
}
