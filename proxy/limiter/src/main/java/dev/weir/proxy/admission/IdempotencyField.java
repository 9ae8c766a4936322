package dev.weir.proxy.admission;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;

/**
 * The field of a request that holds its idempotency key, for rules with {@code idempotency: true}:
 * {@code Idempotency-Key} (draft-ietf-httpapi-idempotency-key-header), or {@code
 * X-Idempotency-Key}. The key is the value byte for byte, with its quotes if it has any.
 */
final class IdempotencyField {
  /** The longest key. */
  static final int MAX_BYTES = 255;

  private static final FieldName NAME = FieldName.of("idempotency-key");
  private static final FieldName X_NAME = FieldName.of("x-idempotency-key");

  private IdempotencyField() {}

  /**
   * Gives a check its request's idempotency key. A check without a request or field, or with a key
   * of its own, stays as it is.
   *
   * @return false if the request has no one key of 1 to {@link #MAX_BYTES} bytes, but fields for
   *     it.
   */
  static boolean read(Question question) {
    RequestView request = question.request();
    if (request == null || question.isOnce() || question.operation() != Operation.CHECK) {
      return true;
    }
    int plain = request.findField(NAME, 0);
    int prefixed = request.findField(X_NAME, 0);
    int field = Math.max(plain, prefixed);
    if (field < 0) {
      return true;
    }
    int length = request.valueLength(field);
    if (Math.min(plain, prefixed) >= 0
        || request.findField(plain < 0 ? X_NAME : NAME, field + 1) >= 0
        || length == 0
        || length > MAX_BYTES) {
      return false;
    }
    question.once(request.bytes(), request.valueOffset(field), length);
    return true;
  }
}
