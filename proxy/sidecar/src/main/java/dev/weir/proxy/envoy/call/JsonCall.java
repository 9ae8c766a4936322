package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.proto.JsonMessage;
import dev.weir.proxy.decision.proto.JsonMessage.BadJsonException;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.envoy.file.LimitUnit;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** Reads a {@code RateLimitRequest} in JSON. One per event loop. */
final class JsonCall {
  private static final Pattern DIGIT = Pattern.compile("[0-9]");

  private static final JsonMessage ENTRY = new JsonMessage().text("key", 1).text("value", 2);

  private static final JsonMessage LIMIT =
      new JsonMessage()
          .uint32("requests_per_unit", 1)
          .choice("unit", 2, JsonCall::unit, "SECOND to WEEK");

  private static final JsonMessage DESCRIPTOR =
      new JsonMessage()
          .messages("entries", 1, ENTRY)
          .message("limit", 2, LIMIT)
          .uint64Value("hits_addend", 3);

  private static final JsonMessage REQUEST =
      new JsonMessage()
          .text("domain", 1)
          .messages("descriptors", 2, DESCRIPTOR)
          .uint32("hits_addend", 3);

  private final ProtoWriter written = new ProtoWriter(0);
  private final UnsafeBuffer message = new UnsafeBuffer(0, 0);
  private final RequestReader reader = new RequestReader();

  private static Integer unit(String text) {
    LimitUnit unit =
        DIGIT.matcher(text).matches()
            ? LimitUnit.ofNumber(Integer.parseInt(text))
            : LimitUnit.ofText(text);
    return unit == null ? null : unit.number();
  }

  /**
   * Reads a body.
   *
   * @return null if the call can be decided; otherwise the fault, as text.
   */
  String read(DirectBuffer body, RateLimitCall to) {
    byte[] bytes = new byte[body.capacity()];
    body.getBytes(0, bytes);
    try {
      REQUEST.read(bytes, written);
    } catch (BadJsonException bad) {
      return bad.getMessage();
    }
    message.wrap(written.array(), 0, written.length());
    CallFault fault = reader.read(message, to);
    return fault == null ? null : fault.text();
  }
}
