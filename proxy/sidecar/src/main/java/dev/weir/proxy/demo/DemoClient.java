package dev.weir.proxy.demo;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** The clients of the demo. */
public final class DemoClient implements AutoCloseable {
  private static final int TIMEOUT_MS = 10_000;
  private static final Answers NO_ANSWER = Answers.of(0);

  /**
   * The answers to a number of requests.
   *
   * @param counts by status; 0 stands for no answer at all.
   */
  record Answers(SortedMap<Integer, Integer> counts) {
    static final Answers NONE = new Answers(new TreeMap<>());

    static Answers of(int status) {
      return new Answers(new TreeMap<>(Map.of(status, 1)));
    }

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
      return new Answers(sum);
    }
  }

  private final InetSocketAddress sidecar;
  private final Deque<DemoConnection> idle = new ArrayDeque<>();

  DemoClient(InetSocketAddress sidecar) {
    this.sidecar = sidecar;
  }

  /**
   * Sends requests at once, each on a connection that no other one uses at the time.
   *
   * @param user null for one that does not say who it is.
   */
  Answers burst(int count, String path, String user) {
    List<DemoConnection> sent = new ArrayList<>();
    Answers answers = Answers.NONE;
    for (int i = 0; i < count; i++) {
      try {
        DemoConnection connection =
            idle.isEmpty() ? new DemoConnection(sidecar, TIMEOUT_MS) : idle.pop();
        sent.add(connection);
        connection.send(path, user);
      } catch (IOException failed) {
        answers = answers.plus(NO_ANSWER);
      }
    }
    for (DemoConnection connection : sent) {
      answers = answers.plus(answer(connection));
    }
    return answers;
  }

  private Answers answer(DemoConnection connection) {
    try {
      int status = connection.read();
      idle.push(connection);
      return Answers.of(status);
    } catch (IOException failed) {
      connection.close();
      return NO_ANSWER;
    }
  }

  /** The fields of the answer to one call of gRPC, a line each. */
  String call(String path, String user) throws IOException {
    return DemoCall.call(sidecar, TIMEOUT_MS, path, user);
  }

  /** One answer as it stands on the wire. */
  String raw(String path, String user) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(sidecar, TIMEOUT_MS);
      socket.setSoTimeout(TIMEOUT_MS);
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

  @Override
  public void close() {
    idle.forEach(DemoConnection::close);
  }
}
