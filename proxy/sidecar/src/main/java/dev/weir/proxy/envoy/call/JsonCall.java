package dev.weir.proxy.envoy.call;

import dev.weir.proxy.decision.proto.JsonMessage;
import dev.weir.proxy.envoy.file.LimitUnit;
import java.util.regex.Pattern;

/**
 * A {@code RateLimitRequest} as JSON. Loaded with the first body: what it reads with is thirty
 * classes, which few starts need.
 */
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

  static final JsonMessage MESSAGE =
      new JsonMessage()
          .text("domain", 1)
          .messages("descriptors", 2, DESCRIPTOR)
          .uint32("hits_addend", 3);

  private JsonCall() {}

  private static Integer unit(String text) {
    LimitUnit unit =
        DIGIT.matcher(text).matches()
            ? LimitUnit.ofNumber(Integer.parseInt(text))
            : LimitUnit.ofText(text);
    return unit == null ? null : unit.number();
  }
}
