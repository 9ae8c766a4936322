package dev.weir.proxy.explain;

import dev.weir.proxy.downstream.ClientCaps;
import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.PathPattern;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A request as somebody describes it. It is written as a head of HTTP/1.1 and read by the scanner
 * of clients' connections, so that it is normalised, and refused, as a client's would be.
 *
 * @param target a path with its query; or {@code *}.
 * @param host as {@code Host} has it.
 * @param fields the other fields, each {@code NAME: VALUE}.
 * @param from the address of the connection.
 */
public record DescribedRequest(
    String method, String target, String host, List<String> fields, IpAddress from) {
  /** The path, without the query, which may have secrets. */
  String path() {
    return target.replaceFirst("\\?.*", "");
  }

  /** The other end of the connection where nobody says it. */
  static final String FROM = "127.0.0.1";

  /** The host where nobody says it. */
  static final String HOST = "localhost";

  private static final String FIELD = "NAME: VALUE, without control characters";

  /** Starts from a GET of {@code /} from this machine. Each setter returns the builder. */
  public static final class Builder {
    private String method;
    private String target;
    private String host;
    private String from = FROM;
    private String grpc;
    private final List<String> fields = new ArrayList<>();

    /**
     * Sets, or of a header adds, a part by its name.
     *
     * @return false if there is no such part.
     */
    public boolean set(String name, String value) throws BadDescriptionException {
      switch (name) {
        case "method" -> method(value);
        case "path" -> path(value);
        case "url" -> url(value);
        case "host" -> host(value);
        case "from" -> from(value);
        case "grpc" -> grpc(value);
        case "header" -> field(value);
        default -> {
          return false;
        }
      }
      return true;
    }

    public Builder method(String method) {
      this.method = method;
      return this;
    }

    /** Sets a path, with its query. */
    public Builder path(String path) {
      target = path;
      return this;
    }

    public Builder host(String host) {
      this.host = host;
      return this;
    }

    /** Sets path and host by a URL. */
    public Builder url(String url) throws BadDescriptionException {
      int authorityAt = url.indexOf("://") < 0 ? 0 : url.indexOf("://") + 3;
      String scheme = url.substring(0, authorityAt).toLowerCase(Locale.ROOT);
      if (!List.of("", "http://", "https://").contains(scheme)) {
        throw new BadDescriptionException("URL", "a scheme that is neither http nor https");
      }
      int end = authorityAt;
      while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
        end++;
      }
      String authority = url.substring(authorityAt, end);
      if (authority.isEmpty()) {
        throw new BadDescriptionException("URL", "no host", "http://HOST/PATH");
      }
      if (authority.indexOf('@') >= 0) {
        throw new BadDescriptionException("URL", "a user", "Authorization as a header");
      }
      String rest = url.substring(end).replaceFirst("#.*", "");
      target = rest.startsWith("/") ? rest : "/" + rest;
      host = host == null ? authority : host;
      return this;
    }

    /** Adds a field, {@code NAME: VALUE}; that of the host sets the host. */
    public Builder field(String line) throws BadDescriptionException {
      int colon = line.indexOf(':');
      if (colon <= 0 || isControlled(line)) {
        throw new BadDescriptionException("header", "malformed", FIELD);
      }
      if (line.substring(0, colon).equalsIgnoreCase("host")) {
        host = line.substring(colon + 1).strip();
      } else {
        fields.add(line);
      }
      return this;
    }

    /** Whether a field of a name was added. */
    boolean hasField(String name) {
      return fields.stream()
          .anyMatch(line -> line.regionMatches(true, 0, name + ":", 0, name.length() + 1));
    }

    /** Sets the address of the connection. */
    public Builder from(String address) {
      from = address;
      return this;
    }

    /**
     * Sets a call of gRPC, {@code package.Service/Method}: path, method and type of its content.
     */
    public Builder grpc(String called) {
      grpc = called;
      return this;
    }

    /**
     * The request.
     *
     * @throws BadDescriptionException if a part of it cannot be.
     */
    public DescribedRequest build() throws BadDescriptionException {
      if (grpc != null) {
        useGrpc();
      }
      String verb = method == null ? "GET" : method;
      String path = target == null ? "/" : target;
      String name = host == null ? HOST : host;
      require("method", verb, !verb.isEmpty() && verb.indexOf(' ') < 0);
      require("path", path, path.startsWith("/") || path.equals("*"));
      require("host", name, true);
      return new DescribedRequest(verb, path, name, List.copyOf(fields), address());
    }

    private void useGrpc() throws BadDescriptionException {
      if (target != null || method != null) {
        throw new BadDescriptionException("grpc", "beside a path or a method", "one");
      }
      try {
        PathPattern.parseGrpc(grpc);
        target = "/" + grpc;
      } catch (BadValueException bad) {
        throw new BadDescriptionException("grpc", "malformed", "package.Service/Method");
      }
      if (grpc.indexOf('/') < 0) {
        throw new BadDescriptionException("grpc", "no method", "package.Service/Method");
      }
      method = "POST";
      if (!hasField("content-type")) {
        fields.add("content-type: application/grpc");
      }
      fields.add("te: trailers");
    }

    private static void require(String part, String text, boolean isGood)
        throws BadDescriptionException {
      if (!isGood || isControlled(text) || text.indexOf(' ') >= 0) {
        String expected = part.equals("path") ? "a path such as /orders?a=b" : "no blank";
        throw new BadDescriptionException(part, "malformed", expected);
      }
    }

    private IpAddress address() throws BadDescriptionException {
      try {
        if (from.indexOf('/') < 0) {
          return Cidr.parse(from).address();
        }
      } catch (BadValueException bad) {
        // told below
      }
      throw new BadDescriptionException("from", "no address", "an IP address");
    }

    private static boolean isControlled(String text) {
      return text.chars().anyMatch(c -> c < ' ' && c != '\t' || c == 0x7F);
    }
  }

  /**
   * The head as a connection would have it.
   *
   * @param trusted proxies, whose fields are believed.
   * @throws BadDescriptionException with the reason for which a client's would be refused.
   */
  public RequestView view(CidrSet trusted, ClientCaps caps) throws BadDescriptionException {
    StringBuilder text = new StringBuilder();
    text.append(method).append(' ').append(target).append(" HTTP/1.1\r\nHost: ").append(host);
    fields.forEach(line -> text.append("\r\n").append(line));
    byte[] bytes = text.append("\r\n\r\n").toString().getBytes(StandardCharsets.UTF_8);
    UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    RequestHead head = new RequestHead(caps.fieldCount(), caps.targetBytes());
    Peer peer = new Peer(from, trusted.contains(from.high(), from.low()));
    int length = bytes.length > caps.headBytes() ? -1 : head.scan(buffer, 0, bytes.length, peer);
    RefusalReason fault =
        length > 0
            ? head.normalisePath(buffer)
            : bytes.length > caps.headBytes() ? RefusalReason.HEAD_TOO_LARGE : head.fault();
    if (fault != null) {
      throw new BadDescriptionException(
          "request", fault.httpStatus() + " " + fault.label() + ", before any rule");
    }
    return head.view();
  }
}
