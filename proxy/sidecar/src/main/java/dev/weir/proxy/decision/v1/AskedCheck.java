package dev.weir.proxy.decision.v1;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.decision.proto.Utf8;
import dev.weir.proxy.request.Question;
import org.agrona.DirectBuffer;

/**
 * A request message of {@code weir.v1}, decoded: {@code CheckRateLimitRequest}, or {@code
 * GetRemainingQuotaRequest} and {@code ResetLimitRequest}, which have some of its fields. Texts
 * stay where they are in the message. Reused.
 *
 * <p>Checks of a batch mostly differ in their identifiers only: such a check shares the {@link
 * Terms} of the one before it.
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

  /** The tag of the identifier, which is the first field; its length mostly has one byte. */
  private static final byte IDENTIFIER_TAG = IDENTIFIER << 3 | 2;

  private static final int PREFIX_BYTES = 2;

  /** The place of a text in the message. */
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

  private static final class Identity {
    private final Text identifier = new Text();
    private final Text dimensionName = new Text();
    private int dimension;

    private void clear() {
      identifier.clear();
      dimensionName.clear();
      dimension = 0;
    }
  }

  /** All fields of a message except its identifier. */
  static final class Terms {
    private static final int NONE = -1;

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

    /**
     * The place of the terms in the message, if they are in one piece after the identifier; else
     * without length.
     */
    private int offset;

    private int length = NONE;

    private Terms() {
      identities[0] = new Identity(); // the others when they are needed
    }

    private void clear() {
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
      length = NONE;
    }
  }

  private final ProtoReader reader = new ProtoReader();
  private final ProtoReader nested = new ProtoReader();
  private final Text identifier = new Text();
  private final Terms own = new Terms();

  /** Its own terms, or those of the check before it. */
  private Terms terms = own;

  private int identifierCount;
  private DirectBuffer bytes;

  /**
   * Decodes a {@code CheckRateLimitRequest}.
   *
   * @param before was decoded from the same buffer; null if there is none.
   * @return false if it is malformed.
   */
  boolean read(DirectBuffer source, int offset, int length, AskedCheck before) {
    return before != null && isLike(before.terms, source, offset, length)
        || read(source, offset, length, true);
  }

  /** Shares the terms of another check if the bytes are equal; false if not. */
  private boolean isLike(Terms others, DirectBuffer source, int offset, int length) {
    int identifierBytes = length - PREFIX_BYTES - others.length;
    int at = offset + PREFIX_BYTES;
    if (others.length == Terms.NONE
        || identifierBytes < 0
        || identifierBytes > Byte.MAX_VALUE
        || source.getByte(offset) != IDENTIFIER_TAG
        || source.getByte(offset + 1) != identifierBytes
        || !areEqual(source, at + identifierBytes, others.offset, others.length)
        || !Utf8.isValid(source, at, identifierBytes)) {
      return false;
    }
    bytes = source;
    identifier.offset = at;
    identifier.length = identifierBytes;
    terms = others;
    return true;
  }

  private static boolean areEqual(DirectBuffer in, int one, int other, int length) {
    int at = 0;
    for (; length - at >= Long.BYTES; at += Long.BYTES) {
      if (in.getLong(one + at) != in.getLong(other + at)) {
        return false;
      }
    }
    for (; at < length; at++) {
      if (in.getByte(one + at) != in.getByte(other + at)) {
        return false;
      }
    }
    return true;
  }

  /**
   * Decodes a message.
   *
   * @param isCheck whether it is a {@code CheckRateLimitRequest}.
   * @return false if it is malformed.
   */
  boolean read(DirectBuffer source, int offset, int length, boolean isCheck) {
    clear(source);
    reader.wrap(source, offset, length);
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case IDENTIFIER -> {
          text(identifier, offset);
          identifierCount++;
        }
        case DIMENSION -> own.identities[0].dimension = (int) reader.varint();
        case DIMENSION_NAME -> text(own.identities[0].dimensionName, offset);
        case OTHER_IDENTITIES -> otherIdentity(offset);
        case ENDPOINT -> text(own.endpoint, offset);
        case METHOD -> text(own.method, offset);
        case RULE_ID -> text(own.ruleId, offset);
        default -> {
          if (isCheck) {
            ofCheck(field, offset);
          } else {
            reader.skip();
          }
        }
      }
    }
    if (reader.isMalformed()) {
      return false;
    }
    if (identifierCount == 1 && identifier.offset == offset + PREFIX_BYTES) {
      own.offset = identifier.offset + identifier.length;
      own.length = offset + length - own.offset;
    }
    return true;
  }

  private void ofCheck(int field, int offset) {
    switch (field) {
      case COST -> own.cost = reader.varint();
      case CLIENT_TIME -> clientTime();
      case IDEMPOTENCY_KEY -> text(own.idempotencyKey, offset);
      case REQUIRE_RULE -> own.requiresRule = reader.bool();
      default -> reader.skip();
    }
  }

  private void clear(DirectBuffer source) {
    bytes = source;
    identifier.clear();
    identifierCount = 0;
    own.clear();
    terms = own;
  }

  private void text(Text into, int base) {
    reader.text();
    into.set(base, reader);
  }

  /** Reads one more identity; those beyond the bound are counted only. */
  private void otherIdentity(int base) {
    int index = Math.min(own.identityCount, MAX_IDENTITIES - 1);
    Identity into = own.identities[index] == null ? new Identity() : own.identities[index];
    own.identities[index] = into;
    own.identityCount++;
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
    own.hasClientTime = true;
    reader.message(nested);
    for (int field = nested.next(); field != ProtoReader.END; field = nested.next()) {
      switch (field) {
        case SECONDS -> own.clientSeconds = nested.varint();
        case NANOS -> own.clientNanos = (int) nested.varint();
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

  /** Moves the message to another buffer. */
  void lies(DirectBuffer in) {
    bytes = in;
  }

  /** The buffer with the texts. */
  DirectBuffer bytes() {
    return bytes;
  }

  /** All fields except the identifier. */
  Terms terms() {
    return terms;
  }

  /** The number of identities, including those beyond {@link #MAX_IDENTITIES}. */
  int identityCount() {
    return terms.identityCount;
  }

  /** An identifier; the message's own is the first. */
  Text identifier(int index) {
    return index == 0 ? identifier : terms.identities[index].identifier;
  }

  /** The number of a dimension in {@code weir.v1.Dimension}, known or not. */
  int dimension(int index) {
    return terms.identities[index].dimension;
  }

  Text dimensionName(int index) {
    return terms.identities[index].dimensionName;
  }

  Text endpoint() {
    return terms.endpoint;
  }

  Text method() {
    return terms.method;
  }

  long cost() {
    return terms.cost;
  }

  boolean hasClientTime() {
    return terms.hasClientTime;
  }

  /** The caller's clock, in seconds since the Unix epoch. */
  long clientSeconds() {
    return terms.clientSeconds;
  }

  int clientNanos() {
    return terms.clientNanos;
  }

  Text idempotencyKey() {
    return terms.idempotencyKey;
  }

  Text ruleId() {
    return terms.ruleId;
  }

  boolean requiresRule() {
    return terms.requiresRule;
  }
}
