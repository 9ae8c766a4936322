package dev.weir.proxy.envoy.call;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.envoy.file.LimitUnit;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;

/**
 * Reads a {@code RateLimitRequest} of JSON, as the third version of Protocol Buffers maps it: names
 * in either spelling, numbers as numbers or texts, units by name or number. What it does not know
 * is a fault. One per event loop.
 */
final class JsonCall {
  private static final BigDecimal UINT32 = BigDecimal.valueOf(0xFFFF_FFFFL);
  private static final BigDecimal UINT64 =
      new BigDecimal(BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE));

  /** A number of more characters is none: what it takes to read one grows with their square. */
  private static final int MAX_NUMBER_CHARACTERS = 40;

  private static final Pattern DIGITS =
      Pattern.compile("0|[1-9][0-9]{0," + (MAX_NUMBER_CHARACTERS - 1) + "}");

  private final ExpandableArrayBuffer texts = new ExpandableArrayBuffer(1024);
  private int end;

  /** What is wrong with a body, for a person. */
  static final class BadBody extends Exception {
    private static final long serialVersionUID = 1;

    BadBody(String problem) {
      super(problem, null, false, false);
    }
  }

  /**
   * Reads a body.
   *
   * @throws BadBody if the call cannot be decided.
   */
  void read(DirectBuffer body, RateLimitCall to) throws BadBody {
    byte[] bytes = new byte[body.capacity()];
    body.getBytes(0, bytes);
    Object document;
    try {
      document = JsonTree.read(bytes);
    } catch (JsonTree.Malformed malformed) {
      throw new BadBody("not JSON: " + Faults.printable(malformed.getMessage()));
    }
    end = 0;
    to.start(texts);
    Map<?, ?> root =
        object(document, "the body", Set.of("domain", "descriptors", "hitsAddend", "hits_addend"));
    int domainAt = text(root.get("domain"), "domain");
    to.domain(domainAt, end - domainAt);
    Object hits = of(root, "hitsAddend", "hits_addend");
    if (hits != null) {
      to.hits(number(hits, "hitsAddend", UINT32));
    }
    int index = 0;
    for (Object descriptor : list(root.get("descriptors"), "descriptors")) {
      descriptor(descriptor, "descriptors[" + index++ + "]", to);
    }
    CallFault fault = to.fault();
    if (fault != null) {
      throw new BadBody(fault.text());
    }
  }

  private void descriptor(Object value, String path, RateLimitCall to) throws BadBody {
    Map<?, ?> node = object(value, path, Set.of("entries", "limit", "hitsAddend", "hits_addend"));
    if (!to.descriptor()) {
      throw new BadBody(CallFault.TOO_MANY.text());
    }
    for (Object item : list(node.get("entries"), path + ".entries")) {
      Map<?, ?> entry = object(item, path + ".entries", Set.of("key", "value"));
      int keyAt = text(entry.get("key"), path + ".entries.key");
      int keyLength = end - keyAt;
      int valueAt = text(entry.get("value"), path + ".entries.value");
      if (!to.entry(keyAt, keyLength, valueAt, end - valueAt)) {
        throw new BadBody(CallFault.TOO_MANY.text());
      }
    }
    Object hits = of(node, "hitsAddend", "hits_addend");
    if (hits != null) {
      to.hitsOfDescriptor(number(hits, path + ".hitsAddend", UINT64));
    }
    if (node.get("limit") != null) {
      Map<?, ?> limit =
          object(
              node.get("limit"),
              path + ".limit",
              Set.of("requestsPerUnit", "requests_per_unit", "unit"));
      Object perUnit = of(limit, "requestsPerUnit", "requests_per_unit");
      long requests =
          perUnit == null ? 0 : number(perUnit, path + ".limit.requestsPerUnit", UINT32);
      to.limitOfDescriptor(requests, unit(limit.get("unit")));
    }
  }

  private static int unit(Object value) {
    LimitUnit unit = null;
    if (value instanceof String text) {
      unit = LimitUnit.ofText(text);
    } else if (value instanceof JsonTree.Number number && DIGITS.matcher(number.text()).matches()) {
      BigInteger digits = new BigInteger(number.text());
      unit = digits.bitLength() < Integer.SIZE ? LimitUnit.ofNumber(digits.intValue()) : null;
    }
    return unit == null ? RateLimitCall.NO_UNIT : unit.number();
  }

  private static Map<?, ?> object(Object value, String path, Set<String> names) throws BadBody {
    if (!(value instanceof Map<?, ?> object)) {
      throw new BadBody(path + ": no object");
    }
    for (Object field : object.keySet()) {
      if (!names.contains(field)) {
        throw new BadBody(path + ": unknown field " + Faults.printable(field.toString()));
      }
    }
    return object;
  }

  /** A field by its name or its other spelling; null if it is not there. */
  private static Object of(Map<?, ?> node, String name, String other) throws BadBody {
    if (node.containsKey(name) && node.containsKey(other)) {
      throw new BadBody(name + ": also as " + other);
    }
    return node.containsKey(name) ? node.get(name) : node.get(other);
  }

  private static List<?> list(Object value, String path) throws BadBody {
    if (value == null) {
      return List.of();
    }
    if (!(value instanceof List<?> list)) {
      throw new BadBody(path + ": no list");
    }
    return list;
  }

  private static long number(Object value, String path, BigDecimal most) throws BadBody {
    String text =
        value instanceof List ? "a list" : value instanceof Map ? "an object" : value.toString();
    boolean isNumber =
        value instanceof JsonTree.Number
            ? text.length() <= MAX_NUMBER_CHARACTERS
            : value instanceof String && DIGITS.matcher(text).matches();
    if (isNumber) {
      try {
        BigDecimal number = new BigDecimal(text).stripTrailingZeros();
        // Compared before it is written out: 1e999999999 has a billion digits.
        if (number.scale() <= 0 && number.signum() >= 0 && number.compareTo(most) <= 0) {
          return number.longValue();
        }
      } catch (NumberFormatException exponent) {
        // Told below.
      }
    }
    throw new BadBody(
        path
            + ": "
            + Faults.printable(text)
            + " (expected: a whole number from 0 to "
            + most.toPlainString()
            + ")");
  }

  /** Copies a text to the others; returns where it begins. */
  private int text(Object value, String path) throws BadBody {
    int at = end;
    if (value == null) {
      return at;
    }
    if (!(value instanceof String text)) {
      throw new BadBody(path + ": no text");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(text)) {
      throw new BadBody(path + ": half a character");
    }
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    texts.putBytes(at, bytes);
    end += bytes.length;
    return at;
  }
}
