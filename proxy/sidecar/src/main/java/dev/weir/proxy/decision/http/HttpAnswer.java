package dev.weir.proxy.decision.http;

import com.fasterxml.jackson.core.io.JsonStringEncoder;
import dev.weir.proxy.downstream.answer.CurrentDate;
import dev.weir.proxy.exchange.IncomingResponse;
import dev.weir.proxy.request.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * The response to one HTTP request: status, date, fields and body. One per event loop, begun anew
 * for each request; the connection frames it.
 */
public final class HttpAnswer implements IncomingResponse {
  private static final int MAX_FIELDS = 32;
  private static final byte[] DATE = HttpRoute.ascii("date");
  private static final byte[] CONTENT_TYPE = HttpRoute.ascii("content-type");
  private static final byte[] PROBLEM = HttpRoute.ascii("application/problem+json");

  private final CurrentDate date = new CurrentDate();

  private final RequestView view = new RequestView(MAX_FIELDS);
  private final ExpandableArrayBuffer memory = new ExpandableArrayBuffer(1024);
  private final int[] offsets = new int[2 * MAX_FIELDS + 1];
  private HttpExchange exchange;
  private int status;
  private int fieldCount;
  private int end;
  private byte[] body;
  private int bodyBytes;

  /** A 100 (Continue); valid until anything else is begun. */
  IncomingResponse interim() {
    clear(null, 100);
    view.reset(memory, 0, memory.capacity(), null);
    return this;
  }

  HttpAnswer begin(HttpExchange of, int ofStatus) {
    clear(of, ofStatus);
    return field(DATE, date.text());
  }

  private void clear(HttpExchange of, int ofStatus) {
    exchange = of;
    status = ofStatus;
    fieldCount = 0;
    end = 0;
    body = null;
    bodyBytes = 0;
  }

  /**
   * Adds a field.
   *
   * @param name in lower case.
   */
  public HttpAnswer field(byte[] name, byte[] value) {
    name(name);
    memory.putBytes(end, value);
    end += value.length;
    return this;
  }

  /** Adds a field. */
  public HttpAnswer field(byte[] name, DirectBuffer from, int offset, int length) {
    name(name);
    memory.putBytes(end, from, offset, length);
    end += length;
    return this;
  }

  /**
   * Adds a field.
   *
   * @param value 0 or more.
   */
  public HttpAnswer field(byte[] name, long value) {
    name(name);
    end += memory.putLongAscii(end, value);
    return this;
  }

  /** Adds a field; for rare responses. */
  public HttpAnswer field(String name, String value) {
    return field(
        name.getBytes(StandardCharsets.US_ASCII), value.getBytes(StandardCharsets.ISO_8859_1));
  }

  private void name(byte[] name) {
    if (fieldCount == MAX_FIELDS) {
      throw new IllegalStateException("more than " + MAX_FIELDS + " fields");
    }
    offsets[2 * fieldCount] = end;
    memory.putBytes(end, name);
    end += name.length;
    offsets[2 * fieldCount + 1] = end;
    fieldCount++;
  }

  /**
   * Sets the body, which stays the caller's, unchanged until {@link #send}.
   *
   * @param content has it in its first {@code bytes}.
   */
  public HttpAnswer body(byte[] content, int bytes) {
    body = content;
    bodyBytes = bytes;
    return this;
  }

  /**
   * Sets a problem (RFC 9457) as the body, with its content type.
   *
   * @param title of the status, needs no quoting.
   * @param detail any text.
   */
  public HttpAnswer problem(String title, String detail) {
    StringBuilder json = new StringBuilder(128).append("{\"title\":\"").append(title);
    json.append("\",\"status\":").append(status).append(",\"detail\":\"");
    JsonStringEncoder.getInstance().quoteAsString(detail, json);
    byte[] content = json.append("\"}\n").toString().getBytes(StandardCharsets.UTF_8);
    return field(CONTENT_TYPE, PROBLEM).body(content, content.length);
  }

  /** Sends the response, after which the call may be reused. */
  public void send() {
    offsets[2 * fieldCount] = end;
    view.reset(memory, 0, memory.capacity(), null);
    for (int i = 0; i < fieldCount; i++) {
      int name = offsets[2 * i];
      int value = offsets[2 * i + 1];
      view.addField(name, value - name, value, offsets[2 * i + 2] - value);
    }
    HttpExchange answered = exchange;
    exchange = null;
    answered.send(this);
  }

  byte[] body() {
    return body;
  }

  int bodyBytes() {
    return bodyBytes;
  }

  @Override
  public int status() {
    return status;
  }

  @Override
  public RequestView fields() {
    return view;
  }

  @Override
  public long contentLength() {
    return bodyBytes;
  }

  @Override
  public boolean hasBody() {
    return bodyBytes > 0;
  }

  @Override
  public long rateLimitRemaining() {
    return -1;
  }

  @Override
  public boolean isForwarded() {
    return false;
  }

  @Override
  public String toString() {
    return status + " " + Arrays.toString(Arrays.copyOf(offsets, 2 * fieldCount));
  }
}
