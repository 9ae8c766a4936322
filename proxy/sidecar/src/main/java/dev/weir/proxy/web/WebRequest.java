package dev.weir.proxy.web;

import io.netty.handler.codec.http.FullHttpRequest;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.QueryStringDecoder;
import java.util.List;

/**
 * A request to be answered, with its body.
 *
 * @param target decoded.
 * @param wildcard the text that stands for {@code *} in the path of its route.
 */
public record WebRequest(FullHttpRequest http, QueryStringDecoder target, String wildcard) {
  /** The Accept field; null for none. Several count as one list (RFC 9110, 5.3). */
  public String accept() {
    List<String> fields = http.headers().getAll(HttpHeaderNames.ACCEPT);
    return fields.isEmpty() ? null : String.join(",", fields);
  }

  /** The value of a parameter of the query, the last of several; {@code standard} without one. */
  public String parameter(String name, String standard) {
    List<String> values = target.parameters().get(name);
    return values == null ? standard : values.get(values.size() - 1);
  }
}
