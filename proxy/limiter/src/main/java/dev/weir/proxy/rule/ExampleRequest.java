package dev.weir.proxy.rule;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.KeyPart;
import java.io.ByteArrayOutputStream;
import java.net.URLEncoder;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A request that shows what rules do, for people and for the matcher.
 *
 * @param host null for a host that no rule names.
 * @param path as it would be forwarded.
 * @param fields values of headers and query parameters; of others the request has none.
 * @param address the client's; null for a check that does not say it.
 */
record ExampleRequest(
    String method, String host, String path, Map<KeyPart, String> fields, IpAddress address) {

  /** A path's segment or a parameter, percent-encoded. */
  static String encoded(String text, Charset charset) {
    return URLEncoder.encode(text, charset).replace("+", "%20");
  }

  ExampleRequest withMethod(String other) {
    return new ExampleRequest(other, host, path, fields, address);
  }

  ExampleRequest withFields(Map<KeyPart, String> others) {
    return new ExampleRequest(method, host, path, others, address);
  }

  ExampleRequest withAddress(IpAddress other) {
    return new ExampleRequest(method, host, path, fields, other);
  }

  /** The request's target. */
  private String target() {
    StringJoiner query = new StringJoiner("&", "?", "").setEmptyValue("");
    fields.forEach(
        (part, value) -> {
          if (part.source() == KeyPart.Source.QUERY) {
            String name = new String(part.name(), StandardCharsets.UTF_8);
            query.add(
                encoded(name, StandardCharsets.UTF_8)
                    + "="
                    + encoded(value, StandardCharsets.UTF_8));
          }
        });
    return path + query;
  }

  /** The request as the matcher takes it, without the address. */
  RequestView view() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    String target = target();
    bytes.writeBytes(method.getBytes(StandardCharsets.UTF_8));
    int targetAt = bytes.size();
    bytes.writeBytes(target.getBytes(StandardCharsets.UTF_8));
    int hostAt = bytes.size();
    bytes.writeBytes(host == null ? new byte[0] : host.getBytes(StandardCharsets.UTF_8));
    int hostEnd = bytes.size();
    List<int[]> fieldsAt = new ArrayList<>();
    fields.forEach(
        (part, value) -> {
          if (part.source() == KeyPart.Source.HEADER) {
            int nameAt = bytes.size();
            bytes.writeBytes(part.header().toString().getBytes(StandardCharsets.UTF_8));
            int valueAt = bytes.size();
            bytes.writeBytes(value.getBytes(StandardCharsets.UTF_8));
            fieldsAt.add(new int[] {nameAt, valueAt - nameAt, valueAt, bytes.size() - valueAt});
          }
        });
    RequestView view = new RequestView(fieldsAt.size());
    UnsafeBuffer buffer = new UnsafeBuffer(bytes.toByteArray());
    view.reset(buffer, 0, buffer.capacity(), address == null ? null : Peer.LOOPBACK);
    view.method(0, targetAt);
    view.path(targetAt, path.length());
    view.authority(hostAt, hostEnd - hostAt);
    if (target.length() > path.length()) {
      view.query(targetAt + path.length() + 1, target.length() - path.length() - 1);
    }
    fieldsAt.forEach(at -> view.addField(at[0], at[1], at[2], at[3]));
    return view;
  }

  /** The request on one line: {@code GET /a?b=c, host: example.com, x-env: prod}. */
  @Override
  public String toString() {
    StringJoiner line = new StringJoiner(", ").add(method + " " + target());
    if (host != null) {
      line.add("host: " + host);
    }
    fields.forEach(
        (part, value) -> {
          if (part.source() == KeyPart.Source.HEADER) {
            line.add(part.header() + ": " + value);
          }
        });
    return line.toString();
  }
}
