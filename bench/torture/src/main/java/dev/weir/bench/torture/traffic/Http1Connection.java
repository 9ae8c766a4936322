package dev.weir.bench.torture.traffic;

import dev.weir.bench.torture.judge.Asked.Outcome;
import dev.weir.bench.torture.plan.Condition;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import javax.net.ssl.SSLContext;

/** A connection of HTTP/1.1, to the proxy or for checks. */
final class Http1Connection implements Connection {
  private static final int PIECE_BYTES = 4_000;

  private final Socket socket;
  private final HttpInput in;
  private final String prefix;
  private boolean open = true;

  /**
   * Connects to a port of 127.0.0.1.
   *
   * @param address of this side, by which it may be trusted or not.
   * @param tls null for a connection without.
   * @param prefix of all paths; with one, answers have no content of the service.
   */
  Http1Connection(String address, int port, SSLContext tls, String prefix, int timeoutMs)
      throws IOException {
    this.prefix = prefix;
    socket = Sockets.connect(address, port, tls, timeoutMs);
    in = new HttpInput(socket.getInputStream());
  }

  @Override
  public Answer ask(Question question) throws IOException {
    socket.getOutputStream().write(bytes(question));
    final HttpInput.Head head = in.head();
    if (head == null) {
      throw new IOException("closed without an answer");
    }
    final HttpInput.Body body = in.body(head);
    open = !"close".equalsIgnoreCase(head.fields().get("connection"));
    if (status(head) != 200) {
      return notPassed(head, body);
    }
    return prefix.isEmpty() ? checked(question, head, body) : Answer.PASSED;
  }

  private static int status(HttpInput.Head head) {
    return Integer.parseInt(head.line().substring(9, 12));
  }

  /** The kind of an answer that Weir gave in place of the service. */
  static Answer notPassed(HttpInput.Head head, HttpInput.Body body) {
    final int status = status(head);
    if (status == 429) {
      return Answer.REFUSED;
    }
    return new Answer(
        status == 503 && text(body).contains("store") ? Outcome.UNDECIDED : Outcome.FAILED,
        status + " " + text(body));
  }

  private static String text(HttpInput.Body body) {
    final String text = new String(body.bytes(), StandardCharsets.UTF_8);
    return text.substring(0, Math.min(300, text.length()));
  }

  private static Answer checked(Question question, HttpInput.Head head, HttpInput.Body body) {
    final String number = Long.toString(question.number());
    final byte[] expected = Content.of(question.number(), question.bodyLength());
    if (!number.equals(head.fields().get(Question.NUMBER))) {
      return new Answer(Outcome.SPOILT, "has the answer of another request: " + head);
    }
    final Answer content = compared(expected, body.bytes());
    if (content != Answer.PASSED) {
      return content;
    }
    return question.chunked() && !number.equals(body.trailers().get("x-end"))
        ? new Answer(Outcome.SPOILT, "has the trailers " + body.trailers())
        : Answer.PASSED;
  }

  /** Whether what came is what was expected. */
  static Answer compared(byte[] expected, byte[] came) {
    return Arrays.equals(expected, came)
        ? Answer.PASSED
        : new Answer(
            Outcome.SPOILT,
            "differs at byte %d of %d, has %d"
                .formatted(Arrays.mismatch(expected, came), expected.length, came.length));
  }

  /** A head without its end. */
  static StringBuilder head(String begin, Question question) {
    final StringBuilder head = new StringBuilder();
    head.append(begin);
    head.append(" HTTP/1.1\r\nHost: ").append(Condition.REQUESTED_HOST);
    head.append("\r\nTE: trailers\r\n");
    head.append(Question.NUMBER).append(": ").append(question.number()).append("\r\n");
    question
        .allFields()
        .forEach((name, value) -> head.append(name).append(": ").append(value).append("\r\n"));
    head.append(Question.CONDUCT).append(": echo");
    head.append(question.chunked() ? ",chunked" : "").append(question.slow() ? ",slow" : "");
    return head.append("\r\n");
  }

  private byte[] bytes(Question question) {
    final byte[] content =
        prefix.isEmpty() ? Content.of(question.number(), question.bodyLength()) : new byte[0];
    final String method = content.length > 0 ? "POST " : "GET ";
    final StringBuilder head = head(method + prefix + question.target(), question);
    if (content.length > 0) {
      head.append(
          question.chunked()
              ? "Transfer-Encoding: chunked\r\n"
              : "Content-Length: " + content.length + "\r\n");
    }
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(ascii(head.append("\r\n").toString()));
    if (content.length > 0 && question.chunked()) {
      writeChunks(out, content, "");
    } else {
      out.writeBytes(content);
    }
    return out.toByteArray();
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** Writes content in chunks, and trailer lines behind it. */
  static void writeChunks(ByteArrayOutputStream out, byte[] content, String trailers) {
    for (int at = 0; at < content.length; at += PIECE_BYTES) {
      final int length = Math.min(PIECE_BYTES, content.length - at);
      out.writeBytes(ascii(Integer.toHexString(length) + "\r\n"));
      out.write(content, at, length);
      out.writeBytes(ascii("\r\n"));
    }
    out.writeBytes(ascii("0\r\n" + trailers + "\r\n"));
  }

  @Override
  public boolean isOpen() {
    return open;
  }

  @Override
  public void close() {
    Sockets.close(socket);
  }
}
