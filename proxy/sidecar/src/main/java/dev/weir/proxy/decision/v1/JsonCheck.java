package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.proto.JsonMessage;

/**
 * A {@code CheckRateLimitRequest} as JSON. Loaded with the first body, as it needs thirty classes
 * that few starts need.
 */
final class JsonCheck {
  private static final JsonMessage IDENTITY =
      new JsonMessage()
          .text("identifier", AskedCheck.IDENTIFIER)
          .choice("dimension", AskedCheck.DIMENSION, JsonCheck::dimension, CheckQuestion.DIMENSIONS)
          .text("dimension_name", AskedCheck.DIMENSION_NAME);

  static final JsonMessage MESSAGE =
      new JsonMessage()
          .text("identifier", AskedCheck.IDENTIFIER)
          .choice("dimension", AskedCheck.DIMENSION, JsonCheck::dimension, CheckQuestion.DIMENSIONS)
          .text("dimension_name", AskedCheck.DIMENSION_NAME)
          .messages("other_identities", AskedCheck.OTHER_IDENTITIES, IDENTITY)
          .text("endpoint", AskedCheck.ENDPOINT)
          .text("method", AskedCheck.METHOD)
          .int64("cost", AskedCheck.COST)
          .time("client_time", AskedCheck.CLIENT_TIME)
          .text("idempotency_key", AskedCheck.IDEMPOTENCY_KEY)
          .text("rule_id", AskedCheck.RULE_ID)
          .bool("require_rule", AskedCheck.REQUIRE_RULE);

  private JsonCheck() {}

  private static Integer dimension(String text) {
    return switch (text) {
      case "DIMENSION_UNSPECIFIED", "0" -> 0;
      case "USER", "1" -> 1;
      case "IP", "2" -> 2;
      case "API_KEY", "3" -> 3;
      default -> null;
    };
  }
}
