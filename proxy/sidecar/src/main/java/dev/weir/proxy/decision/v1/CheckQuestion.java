package dev.weir.proxy.decision.v1;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TargetNormaliser;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The question of a check, or the fault of one of its fields. Reused; it refers to the message, and
 * is valid until the next one is made.
 */
final class CheckQuestion {
  private static final int MAX_IDENTIFIER_BYTES = 1024;
  private static final int MAX_METHOD_BYTES = 64;
  private static final int MAX_KEY_BYTES = 64;
  private static final int MAX_RULE_BYTES = 256;
  private static final int MAX_NAME_BYTES = 512;
  private static final int MAX_ENDPOINT_BYTES = 8192;
  private static final int SHOWN_BYTES = 100;

  static final String DIMENSIONS = "USER, IP or API_KEY, or dimension_name";

  /** The sources of keys, by the number in {@code weir.v1.Dimension}. */
  private static final String[] SOURCES = {null, "header:x-user-id", "ip", "header:x-api-key"};

  /** Names of dimensions as rules have them, each parsed once for all event loops. */
  private static final Map<String, String> CANONICAL = new ConcurrentHashMap<>();

  private static final int MAX_CANONICAL = 1_000;

  private final Question question = new Question();
  private final RequestView view = new RequestView(0);
  private final KnownTexts ruleIds;

  /** Names of dimensions, as rules have them. */
  private final KnownTexts names;

  /** The normal form of a path, until the next path is read. */
  private final UnsafeBuffer normal;

  /** Method and path of an endpoint that was not in normal form; null until there is one. */
  private UnsafeBuffer endpoint;

  private String fault;

  /** The terms from which the question was made; null if there is none. */
  private AskedCheck.Terms terms;

  CheckQuestion() {
    this(
        new KnownTexts(id -> id),
        new KnownTexts(CheckQuestion::canonical),
        new UnsafeBuffer(new byte[MAX_ENDPOINT_BYTES]));
  }

  private CheckQuestion(KnownTexts ruleIds, KnownTexts names, UnsafeBuffer normal) {
    this.ruleIds = ruleIds;
    this.names = names;
    this.normal = normal;
  }

  private static String canonical(String name) {
    String known = CANONICAL.get(name);
    if (known != null) {
      return known;
    }
    String parsed = IdentityNames.canonical(name);
    if (CANONICAL.size() < MAX_CANONICAL) {
      CANONICAL.put(name, parsed);
    }
    return parsed;
  }

  /** Another one, which can be used beside this one. */
  CheckQuestion sibling() {
    return new CheckQuestion(ruleIds, names, normal);
  }

  /**
   * Makes a question.
   *
   * @param untilNs the deadline, in the loop's time.
   * @return this.
   */
  CheckQuestion make(AskedCheck asked, Operation operation, long untilNs) {
    fault = null;
    terms = null;
    Purpose purpose =
        switch (operation) {
          case CHECK -> Purpose.DECISION;
          case PEEK, RESET -> Purpose.OPERATOR;
        };
    question.start(operation, purpose).deadlineNs(untilNs);
    if (identities(asked) && rule(asked) && cost(asked) && once(asked)) {
      terms = asked.terms();
    }
    return this;
  }

  /**
   * Makes the question of a check in a batch: checks with the same terms share what is found from
   * them.
   *
   * @param before the question before this one, which has not been asked yet; null if there is
   *     none.
   * @return this.
   */
  CheckQuestion make(AskedCheck asked, long untilNs, CheckQuestion before) {
    if (before == null || before.terms != asked.terms()) {
      return make(asked, Operation.CHECK, untilNs);
    }
    fault = null;
    terms = null;
    AskedCheck.Text identifier = asked.identifier(0);
    if (isIdentifier(asked, 0)) {
      terms = before.terms;
      question
          .startLike(before.question, asked.bytes(), identifier.offset(), identifier.length())
          .deadlineNs(untilNs); // of another call it is another
    }
    return this;
  }

  /** The question; null if a field cannot be used. */
  Question question() {
    return fault == null ? question : null;
  }

  /** The fault: field, value, and what was expected; null if there is none. */
  String fault() {
    return fault;
  }

  private boolean identities(AskedCheck asked) {
    if (asked.identityCount() > AskedCheck.MAX_IDENTITIES) {
      return fault(
          "other_identities",
          Integer.toString(asked.identityCount() - 1),
          "at most " + (AskedCheck.MAX_IDENTITIES - 1));
    }
    for (int i = 0; i < asked.identityCount(); i++) {
      if (!identity(asked, i)) {
        return false;
      }
    }
    return true;
  }

  private boolean identity(AskedCheck asked, int index) {
    if (!isIdentifier(asked, index)) {
      return false;
    }
    String source = source(asked, index);
    if (source == null) {
      return false;
    }
    for (int before = 0; before < index; before++) {
      if (source.equals(question.identityName(before))) {
        return fault(field(index, "dimension"), source, "each dimension once");
      }
    }
    AskedCheck.Text identifier = asked.identifier(index);
    question.identity(source, asked.bytes(), identifier.offset(), identifier.length());
    return true;
  }

  private boolean isIdentifier(AskedCheck asked, int index) {
    AskedCheck.Text identifier = asked.identifier(index);
    return isText(asked, identifier, 1, MAX_IDENTIFIER_BYTES)
        || fault(
            field(index, "identifier"),
            text(asked, identifier),
            "1 to 1,024 bytes without control characters");
  }

  /** An identity for the log, without secrets. */
  String shown(AskedCheck asked, int index) {
    String source = question.identityName(index);
    // What a name stands for may be a secret.
    boolean isSecret = IdentityNames.isName(source) || KeyPart.parse(source).isSecret();
    return source + (isSecret ? " (secret)" : " " + text(asked, asked.identifier(index)));
  }

  private String source(AskedCheck asked, int index) {
    int dimension = asked.dimension(index);
    AskedCheck.Text name = asked.dimensionName(index);
    if (name.length() == 0) {
      if (dimension < 1 || dimension >= SOURCES.length) {
        fault(field(index, "dimension"), Integer.toString(dimension), DIMENSIONS);
        return null;
      }
      return SOURCES[dimension];
    }
    if (dimension != 0) {
      fault(field(index, "dimension_name"), text(asked, name), "not together with dimension");
      return null;
    }
    if (name.length() > MAX_NAME_BYTES) {
      fault(field(index, "dimension_name"), text(asked, name), "a source of keys of rules");
      return null;
    }
    try {
      return names.of(asked.bytes(), name.offset(), name.length());
    } catch (BadValueException bad) {
      fault(field(index, "dimension_name"), text(asked, name), bad.expected());
      return null;
    }
  }

  private boolean rule(AskedCheck asked) {
    AskedCheck.Text ruleId = asked.ruleId();
    if (ruleId.length() > 0) {
      if (ruleId.length() > MAX_RULE_BYTES) {
        return fault("rule_id", text(asked, ruleId), "at most 256 bytes");
      }
      question.rule(ruleIds.of(asked.bytes(), ruleId.offset(), ruleId.length()));
      if (asked.endpoint().length() == 0) {
        return true;
      }
    }
    return endpoint(asked);
  }

  private boolean endpoint(AskedCheck asked) {
    AskedCheck.Text method = asked.method();
    AskedCheck.Text path = asked.endpoint();
    if (method.length() > MAX_METHOD_BYTES) {
      return fault("method", text(asked, method), "at most 64 bytes");
    }
    if (path.length() > MAX_ENDPOINT_BYTES) {
      return fault("endpoint", text(asked, path), "at most 8,192 bytes");
    }
    DirectBuffer bytes = asked.bytes();
    int length = path.length();
    int normalBytes = TargetNormaliser.normalise(bytes, path.offset(), length, normal, 0);
    if (normalBytes != TargetNormaliser.ALREADY_NORMAL) {
      length = bytesBeforeQuery(bytes, path);
      normalBytes = TargetNormaliser.normalise(bytes, path.offset(), length, normal, 0);
    }
    if (TargetNormaliser.refusal(normalBytes) != null) {
      return fault("endpoint", text(asked, path), "the path of a request, such as /orders");
    }
    if (normalBytes == TargetNormaliser.ALREADY_NORMAL) {
      view.reset(bytes, 0, bytes.capacity(), null);
      view.method(method.offset(), method.length());
      view.path(path.offset(), length);
    } else {
      respelled(bytes, method, normalBytes);
    }
    question.request(view);
    return true;
  }

  private static int bytesBeforeQuery(DirectBuffer bytes, AskedCheck.Text path) {
    int length = 0;
    while (length < path.length() && bytes.getByte(path.offset() + length) != '?') {
      length++;
    }
    return length;
  }

  private void respelled(DirectBuffer bytes, AskedCheck.Text method, int normalBytes) {
    if (endpoint == null) {
      endpoint = new UnsafeBuffer(new byte[MAX_METHOD_BYTES + MAX_ENDPOINT_BYTES]);
    }
    int at = method.length();
    endpoint.putBytes(0, bytes, method.offset(), at);
    endpoint.putBytes(at, normal, 0, normalBytes);
    view.reset(endpoint, 0, at + normalBytes, null);
    view.method(0, at);
    view.path(at, normalBytes);
  }

  private boolean cost(AskedCheck asked) {
    long cost = asked.cost();
    if (cost < Question.COST_OF_RULE || cost > Question.MAX_COST) {
      return fault("cost", Long.toString(cost), "1 to 2^40, or 0 for the rule's");
    }
    question.cost(cost);
    return true;
  }

  private boolean once(AskedCheck asked) {
    AskedCheck.Text key = asked.idempotencyKey();
    if (key.length() == 0) {
      return true;
    }
    if (!isText(asked, key, 1, MAX_KEY_BYTES)) {
      return fault("idempotency_key", text(asked, key), "1 to 64 bytes without control characters");
    }
    question.once(asked.bytes(), key.offset(), key.length());
    return true;
  }

  private static boolean isText(AskedCheck asked, AskedCheck.Text text, int least, int most) {
    if (text.length() < least || text.length() > most) {
      return false;
    }
    DirectBuffer bytes = asked.bytes();
    for (int i = text.offset(); i < text.offset() + text.length(); i++) {
      byte b = bytes.getByte(i);
      if (b >= 0 && b < ' ' || b == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private static String field(int identity, String name) {
    return identity == 0 ? name : "other_identities[" + (identity - 1) + "]." + name;
  }

  /** A text for an error message, cut if it is long. */
  static String text(AskedCheck asked, AskedCheck.Text text) {
    byte[] shown = new byte[Math.min(SHOWN_BYTES, text.length())];
    asked.bytes().getBytes(text.offset(), shown);
    String cut = new String(shown, StandardCharsets.UTF_8);
    return text.length() > SHOWN_BYTES ? cut + "... (" + text.length() + " bytes)" : cut;
  }

  private boolean fault(String field, String value, String expected) {
    fault = field + ": " + value + " (expected: " + expected + ")";
    return false;
  }
}
