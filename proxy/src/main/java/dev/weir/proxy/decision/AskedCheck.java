package dev.weir.proxy.decision;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.request.Question;
import org.agrona.DirectBuffer;

/**
 * One message of {@code weir.v1} that asks about budgets, decoded: {@code CheckRateLimitRequest},
 * or {@code GetRemainingQuotaRequest} and {@code ResetLimitRequest}, whose fields are some of the
 * same. Texts are where they lie in the message. Used again for any number of messages.
 */
final class AskedCheck {
  /** Fields of the message, by their numbers. */
  static final int IDENTIFIER = 1;

  static final int DIMENSION = 2;
  static final int DIMENSION_NAME = 3;
  static final int OTHER_IDENTITIES = 4;
  static final int ENDPOINT = 5;
  static final int METHOD = 6;
  static final int COST = 7;
  static final int CLIENT_TIME = 8;
  static final int IDEMPOTENCY_KEY = 9;
  static final int RULE_ID = 10;
  static final int REQUIRE_RULE = 11;

  static final int SECONDS = 1;
  static final int NANOS = 2;

  static final int MAX_IDENTITIES = Question.MAX_IDENTITIES;

  /** Where a text lies in the message. */
  static final class Text {
    private int offset;
    private int length;

    private void clear() {
      offset = 0;
      length = 0;
    }

    private void set(int base, ProtoReader reader) {
      offset = base + reader.offset();
      length = reader.length();
    }

    int offset() {
      return offset;
    }

    int length() {
      return length;
    }
  }

  /** One identity. */
  static final class Identity {
    private final Text identifier = new Text();
    private final Text dimensionName = new Text();
    private int dimension;

    private void clear() {
      identifier.clear();
      dimensionName.clear();
      dimension = 0;
    }

    Text identifier() {
      return identifier;
    }

    Text dimensionName() {
      return dimensionName;
    }

    /** Its number in {@code weir.v1.Dimension}, known or not. */
    int dimension() {
      return dimension;
    }
  }

  private final ProtoReader reader = new ProtoReader();
  private final ProtoReader nested = new ProtoReader();
  private final Identity[] identities = new Identity[MAX_IDENTITIES];
  private final Text endpoint = new Text();
  private final Text method = new Text();
  private final Text idempotencyKey = new Text();
  private final Text ruleId = new Text();
  private int identityCount;
  private long cost;
  private boolean hasClientTime;
  private long clientSeconds;
  private int clientNanos;
  private boolean requiresRule;
  private DirectBuffer bytes;

  AskedCheck() {
    identities[0] = new Identity(); // the others when they are needed
  }

  /**
   * Decodes a message.
   *
   * @param isCheck whether it is a {@code CheckRateLimitRequest}.
   * @return false if it is none.
   */
  boolean read(DirectBuffer source, int offset, int length, boolean isCheck) {
    clear(source);
    reader.wrap(source, offset, length);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case IDENTIFIER -> text(identities[0].identifier, offset);
        case DIMENSION -> identities[0].dimension = (int) reader.varint();
        case DIMENSION_NAME -> text(identities[0].dimensionName, offset);
        case OTHER_IDENTITIES -> otherIdentity(offset);
        case ENDPOINT -> text(endpoint, offset);
        case METHOD -> text(method, offset);
        case RULE_ID -> text(ruleId, offset);
        default -> {
          if (isCheck) {
            ofCheck(field, offset);
          } else {
            reader.skip();
          }
        }
      }
    }
    return !reader.isMalformed();
  }

  private void ofCheck(int field, int offset) {
    switch (field) {
      case COST -> cost = reader.varint();
      case CLIENT_TIME -> clientTime();
      case IDEMPOTENCY_KEY -> text(idempotencyKey, offset);
      case REQUIRE_RULE -> requiresRule = reader.bool();
      default -> reader.skip();
    }
  }

  private void clear(DirectBuffer source) {
    bytes = source;
    identityCount = 1;
    identities[0].clear();
    endpoint.clear();
    method.clear();
    idempotencyKey.clear();
    ruleId.clear();
    cost = 0;
    hasClientTime = false;
    clientSeconds = 0;
    clientNanos = 0;
    requiresRule = false;
  }

  private void text(Text into, int base) {
    reader.text();
    into.set(base, reader);
  }

  /** Those that are more than may be are counted, and not kept. */
  private void otherIdentity(int base) {
    int index = Math.min(identityCount, MAX_IDENTITIES - 1);
    Identity into = identities[index] == null ? new Identity() : identities[index];
    identities[index] = into;
    identityCount++;
    into.clear();
    reader.message(nested);
    int from = base + reader.offset();
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      switch (field) {
        case IDENTIFIER -> {
          nested.text();
          into.identifier.set(from, nested);
        }
        case DIMENSION -> into.dimension = (int) nested.varint();
        case DIMENSION_NAME -> {
          nested.text();
          into.dimensionName.set(from, nested);
        }
        default -> nested.skip();
      }
    }
    endNested();
  }

  private void clientTime() {
    hasClientTime = true;
    reader.message(nested);
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      switch (field) {
        case SECONDS -> clientSeconds = nested.varint();
        case NANOS -> clientNanos = (int) nested.varint();
        default -> nested.skip();
      }
    }
    endNested();
  }

  private void endNested() {
    if (nested.isMalformed()) {
      reader.malformed();
    }
  }

  /** The message lies elsewhere from now on. */
  void lies(DirectBuffer in) {
    bytes = in;
  }

  /** What the texts' offsets count in. */
  DirectBuffer bytes() {
    return bytes;
  }

  /** How many identities were given, those beyond {@link #MAX_IDENTITIES} too. */
  int identityCount() {
    return identityCount;
  }

  /** The message's own identity first. */
  Identity identity(int index) {
    return identities[index];
  }

  Text endpoint() {
    return endpoint;
  }

  Text method() {
    return method;
  }

  long cost() {
    return cost;
  }

  boolean hasClientTime() {
    return hasClientTime;
  }

  /** By the caller's clock, since the epoch of Unix. */
  long clientSeconds() {
    return clientSeconds;
  }

  int clientNanos() {
    return clientNanos;
  }

  Text idempotencyKey() {
    return idempotencyKey;
  }

  Text ruleId() {
    return ruleId;
  }

  boolean requiresRule() {
    return requiresRule;
  }
}
