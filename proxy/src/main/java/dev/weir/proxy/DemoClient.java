package dev.weir.proxy;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;

/** The clients of the demo. */
final class DemoClient {
  private static final Duration TIMEOUT = Duration.ofSeconds(10);

  /**
   * The answers to a number of requests.
   *
   * @param counts by status; 0 stands for no answer at all.
   * @param retryAfterSeconds the shortest that a refusal named; 0 if none did.
   */
  record Answers(SortedMap<Integer, Integer> counts, long retryAfterSeconds) {
    int count(int status) {
      return counts.getOrDefault(status, 0);
    }

    int totalCount() {
      return counts.values().stream().mapToInt(Integer::intValue).sum();
    }

    /** Such as {@code 40 x 429}; a dash if none was refused. */
    String refusals() {
      String text =
          counts.entrySet().stream()
              .filter(entry -> entry.getKey() != 200)
              .map(entry -> entry.getValue() + " x " + name(entry.getKey()))
              .collect(Collectors.joining(", "));
      return text.isEmpty() ? "-" : text;
    }

    private static String name(int status) {
      return status == 0 ? "no answer" : Integer.toString(status);
    }

    Answers plus(Answers other) {
      SortedMap<Integer, Integer> sum = new TreeMap<>(counts);
      other.counts.forEach((status, count) -> sum.merge(status, count, Integer::sum));
      long least = Math.min(retryAfterSeconds, other.retryAfterSeconds);
      return new Answers(sum, least > 0 ? least : retryAfterSeconds + other.retryAfterSeconds);
    }
  }

  private final InetSocketAddress sidecar;
  private final HttpClient http =
      HttpClient.newBuilder()
          .version(HttpClient.Version.HTTP_1_1)
          .proxy(HttpClient.Builder.NO_PROXY)
          .connectTimeout(TIMEOUT)
          .build();

  DemoClient(InetSocketAddress sidecar) {
    this.sidecar = sidecar;
  }

  /**
   * Sends requests at once, each on a connection that no other one uses at the time.
   *
   * @param user null for one that does not say who it is.
   */
  Answers burst(int count, String path, String user) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(Run.text(sidecar) + path)).timeout(TIMEOUT);
    if (user != null) {
      request.header("X-User-Id", user);
    }
    List<CompletableFuture<Answers>> sent = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      sent.add(
          http.sendAsync(request.build(), BodyHandlers.ofString())
              .thenApply(DemoClient::answer)
              .exceptionally(failure -> new Answers(new TreeMap<>(Map.of(0, 1)), 0)));
    }
    return sent.stream().map(CompletableFuture::join).reduce(Answers::plus).orElseThrow();
  }

  private static Answers answer(HttpResponse<String> response) {
    long retryAfter = response.headers().firstValueAsLong("Retry-After").orElse(0);
    return new Answers(new TreeMap<>(Map.of(response.statusCode(), 1)), retryAfter);
  }

  /** The fields of the answer to one call of gRPC, a line each. */
  String call(String path, String user) throws IOException {
    return DemoCall.call(sidecar, (int) TIMEOUT.toMillis(), path, user);
  }

  /** One answer as it stands on the wire. */
  String raw(String path, String user) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(sidecar, (int) TIMEOUT.toMillis());
      socket.setSoTimeout((int) TIMEOUT.toMillis());
      String request =
          "GET "
              + path
              + " HTTP/1.1\r\nHost: localhost\r\nX-User-Id: "
              + user
              + "\r\nConnection: close\r\n\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
