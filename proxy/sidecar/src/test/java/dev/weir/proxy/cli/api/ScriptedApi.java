package dev.weir.proxy.cli.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import dev.weir.proxy.cli.WeirCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import picocli.CommandLine;

/** An API that answers as a test says, and the commands that ask it. */
final class ScriptedApi implements AutoCloseable {
  private record Answer(int status, String etag, String retryAfter, String body) {}

  private final HttpServer server;
  private final Deque<Answer> answers = new ArrayDeque<>();
  private final List<String> requests = Collections.synchronizedList(new ArrayList<>());
  String out;
  String err;

  ScriptedApi() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
  }

  private synchronized void answer(HttpExchange exchange) throws IOException {
    StringBuilder request =
        new StringBuilder(exchange.getRequestMethod() + " " + exchange.getRequestURI());
    for (String name : List.of("Authorization", "If-Match", "If-None-Match")) {
      String value = exchange.getRequestHeaders().getFirst(name);
      request.append(value == null ? "" : "\n" + name + ": " + value);
    }
    String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
    requests.add(request + (body.isEmpty() ? "" : "\n" + body));
    Answer answer = answers.isEmpty() ? new Answer(500, null, null, "none") : answers.remove();
    if (answer.etag != null) {
      exchange.getResponseHeaders().set("ETag", '"' + answer.etag + '"');
    }
    if (answer.retryAfter != null) {
      exchange.getResponseHeaders().set("Retry-After", answer.retryAfter);
    }
    byte[] bytes = answer.body.getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status, bytes.length == 0 ? -1 : bytes.length);
    exchange.getResponseBody().write(bytes);
    exchange.close();
  }

  /** Adds an answer; quotation marks may be single ones. */
  synchronized ScriptedApi answers(int status, String etag, String body) {
    answers.add(new Answer(status, etag, null, body.replace('\'', '"')));
    return this;
  }

  synchronized ScriptedApi refuses(String retryAfter) {
    answers.add(new Answer(429, null, retryAfter, "{\"title\":\"Too many\"}"));
    return this;
  }

  /** The requests so far: line, fields that matter, body. */
  List<String> requests() {
    return List.copyOf(requests);
  }

  String address() {
    return "127.0.0.1:" + server.getAddress().getPort();
  }

  /** Runs a command against this API; returns its exit code. */
  int run(String... words) {
    return runAt(address(), words);
  }

  /**
   * @param address null for that which the command finds itself.
   */
  int runAt(String address, String... words) {
    StringWriter outText = new StringWriter();
    StringWriter errText = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(outText));
    commandLine.setErr(new PrintWriter(errText));
    int exitCode =
        commandLine.execute(
            Stream.concat(
                    Arrays.stream(words),
                    address == null ? Stream.of() : Stream.of("--admin", address))
                .toArray(String[]::new));
    out = outText.toString();
    err = errText.toString();
    return exitCode;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
