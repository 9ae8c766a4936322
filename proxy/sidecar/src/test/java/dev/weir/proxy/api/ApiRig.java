package dev.weir.proxy.api;

import dev.weir.proxy.metrics.Metrics;
import dev.weir.proxy.web.WebServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.Callable;

/** The API over sockets: routes of a test, callers with tokens, and a client. */
final class ApiRig implements AutoCloseable {
  static final String VIEWER = "viewers-token-0123456789";
  static final String EDITOR = "editors-token-0123456789";
  static final String ADMIN = "admins-token-0123456789";

  final Api api;
  private final TokenFile tokens;
  private final WebServer server;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private ApiRig(TokenFile tokens, List<ApiRoute> routes) throws IOException {
    this.tokens = tokens;
    api = new Api(tokens);
    server =
        new WebServer(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            List.of(),
            null,
            new Metrics(),
            () -> true,
            () -> null,
            () -> api.routes(routes),
            api.authenticator());
    server.start();
  }

  /** Callers vera (viewer), eddy (editor), ada (admin), and what the lines say. */
  static ApiRig withTokens(Path folder, List<ApiRoute> routes, String... lines) throws IOException {
    Path file = folder.resolve("tokens");
    StringBuilder text = new StringBuilder("# who may call\n\n");
    text.append("vera viewer " + sha256(VIEWER) + "\n");
    text.append("eddy editor " + sha256(EDITOR) + "\n");
    text.append("ada  admin  " + sha256(ADMIN) + "\n");
    for (String line : lines) {
      text.append(line).append('\n');
    }
    Files.writeString(file, text);
    return new ApiRig(new TokenFile(file), routes);
  }

  /** Without tokens. */
  static ApiRig open(List<ApiRoute> routes) throws IOException {
    return new ApiRig(null, routes);
  }

  static String sha256(String text) {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash);
    } catch (NoSuchAlgorithmException missing) {
      throw new AssertionError(missing);
    }
  }

  int port() {
    return ((InetSocketAddress) server.adminAddress()).getPort();
  }

  Socket connect() throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port());
    socket.setSoTimeout(20_000);
    return socket;
  }

  /** All that the server sends for some bytes, until it closes. */
  String raw(String requests) throws IOException {
    try (Socket socket = connect()) {
      socket.getOutputStream().write(requests.getBytes(StandardCharsets.ISO_8859_1));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  /** The bytes of a request that is the last of its connection. */
  static String request(String line, String token, String... fields) {
    String more = fields.length == 0 ? "" : String.join("\r\n", fields) + "\r\n";
    return line
        + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer "
        + token
        + "\r\nConnection: close\r\n"
        + more
        + "\r\n";
  }

  HttpResponse<String> get(String token, String target, String... fields) throws Exception {
    return send(token, "GET", target, null, fields);
  }

  /** Sends a request to a path below /api/v1, with a body of JSON unless that is null. */
  HttpResponse<String> send(
      String token, String method, String target, String body, String... fields) throws Exception {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + "/api/v1" + target))
            .method(
                method,
                body == null
                    ? HttpRequest.BodyPublishers.noBody()
                    : HttpRequest.BodyPublishers.ofString(body));
    if (token != null) {
      request.header("Authorization", "Bearer " + token);
    }
    if (body != null && !List.of(fields).contains("Content-Type")) {
      request.header("Content-Type", "application/json");
    }
    if (fields.length > 0) {
      request.headers(fields);
    }
    return client.send(request.build(), BodyHandlers.ofString());
  }

  /**
   * The answer to a request that is refused without reading its body. The connection may then end
   * by a reset, and the answer be lost: the request is sent again.
   */
  static HttpResponse<String> answer(Callable<HttpResponse<String>> request) throws Exception {
    for (int attempt = 1; ; attempt++) {
      try {
        return request.call();
      } catch (IOException reset) {
        if (attempt == 20) {
          throw reset;
        }
      }
    }
  }

  static String field(HttpResponse<?> response, String name) {
    return response.headers().firstValue(name).orElse("");
  }

  @Override
  public void close() {
    server.close();
    api.close();
    if (tokens != null) {
      tokens.close();
    }
  }
}
