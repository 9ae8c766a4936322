package dev.weir.proxy.envoy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.weir.proxy.control.Faults;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.Iterator;
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
  private static final ObjectMapper MAPPER =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final BigInteger UINT32 = BigInteger.valueOf(0xFFFF_FFFFL);
  private static final BigInteger UINT64 = BigInteger.ONE.shiftLeft(64).subtract(BigInteger.ONE);

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
    JsonNode root;
    try {
      root = MAPPER.readTree(bytes);
    } catch (JsonProcessingException malformed) {
      throw new BadBody("not JSON: " + Faults.printable(malformed.getOriginalMessage()));
    } catch (IOException impossible) {
      throw new BadBody("not JSON");
    }
    end = 0;
    to.start(texts);
    object(root, "the body", Set.of("domain", "descriptors", "hitsAddend", "hits_addend"));
    int domainAt = text(root.get("domain"), "domain");
    to.domain(domainAt, end - domainAt);
    JsonNode hits = of(root, "hitsAddend", "hits_addend");
    if (hits != null) {
      to.hits(number(hits, "hitsAddend", UINT32));
    }
    int index = 0;
    for (JsonNode descriptor : list(root.get("descriptors"), "descriptors")) {
      descriptor(descriptor, "descriptors[" + index++ + "]", to);
    }
    CallFault fault = to.fault();
    if (fault != null) {
      throw new BadBody(fault.text());
    }
  }

  private void descriptor(JsonNode node, String path, RateLimitCall to) throws BadBody {
    object(node, path, Set.of("entries", "limit", "hitsAddend", "hits_addend"));
    if (!to.descriptor()) {
      throw new BadBody(CallFault.TOO_MANY.text());
    }
    for (JsonNode entry : list(node.get("entries"), path + ".entries")) {
      object(entry, path + ".entries", Set.of("key", "value"));
      int keyAt = text(entry.get("key"), path + ".entries.key");
      int keyLength = end - keyAt;
      int valueAt = text(entry.get("value"), path + ".entries.value");
      if (!to.entry(keyAt, keyLength, valueAt, end - valueAt)) {
        throw new BadBody(CallFault.TOO_MANY.text());
      }
    }
    JsonNode hits = of(node, "hitsAddend", "hits_addend");
    if (hits != null) {
      to.hitsOfDescriptor(number(hits, path + ".hitsAddend", UINT64));
    }
    JsonNode limit = node.get("limit");
    if (limit != null && !limit.isNull()) {
      object(limit, path + ".limit", Set.of("requestsPerUnit", "requests_per_unit", "unit"));
      JsonNode perUnit = of(limit, "requestsPerUnit", "requests_per_unit");
      long requests =
          perUnit == null ? 0 : number(perUnit, path + ".limit.requestsPerUnit", UINT32);
      to.limitOfDescriptor(requests, unit(limit.get("unit")));
    }
  }

  private static int unit(JsonNode node) {
    LimitUnit unit = null;
    if (node != null && node.isTextual()) {
      unit = LimitUnit.ofText(node.textValue());
    } else if (node != null && node.isIntegralNumber() && node.canConvertToInt()) {
      unit = LimitUnit.ofNumber(node.intValue());
    }
    return unit == null ? RateLimitCall.NO_UNIT : unit.number();
  }

  private static void object(JsonNode node, String path, Set<String> names) throws BadBody {
    if (node == null || !node.isObject()) {
      throw new BadBody(path + ": no object");
    }
    for (Iterator<String> fields = node.fieldNames(); fields.hasNext(); ) {
      String field = fields.next();
      if (!names.contains(field)) {
        throw new BadBody(path + ": unknown field " + Faults.printable(field));
      }
    }
  }

  /** A field by its name or its other spelling; null if it is not there. */
  private static JsonNode of(JsonNode node, String name, String other) throws BadBody {
    if (node.has(name) && node.has(other)) {
      throw new BadBody(name + ": also as " + other);
    }
    JsonNode found = node.has(name) ? node.get(name) : node.get(other);
    return found == null || found.isNull() ? null : found;
  }

  private static Iterable<JsonNode> list(JsonNode node, String path) throws BadBody {
    if (node == null || node.isNull()) {
      return Set.of();
    }
    if (!node.isArray()) {
      throw new BadBody(path + ": no list");
    }
    return node;
  }

  private static long number(JsonNode node, String path, BigInteger most) throws BadBody {
    String text = node.isValueNode() ? node.asText() : node.isArray() ? "a list" : "an object";
    if (node.isNumber() && text.length() <= MAX_NUMBER_CHARACTERS || isDigits(node)) {
      try {
        BigInteger value =
            node.isNumber() ? node.decimalValue().toBigIntegerExact() : new BigInteger(text);
        if (value.signum() >= 0 && value.compareTo(most) <= 0) {
          return value.longValue();
        }
      } catch (ArithmeticException | NumberFormatException fraction) {
        // Told below.
      }
    }
    throw new BadBody(
        path
            + ": "
            + Faults.printable(text)
            + " (expected: a whole number from 0 to "
            + most
            + ")");
  }

  /** Whether it is a text that a number of JSON would be too. */
  private static boolean isDigits(JsonNode node) {
    return node.isTextual() && DIGITS.matcher(node.textValue()).matches();
  }

  /** Copies a text to the others; returns where it begins. */
  private int text(JsonNode node, String path) throws BadBody {
    int at = end;
    if (node == null || node.isNull()) {
      return at;
    }
    if (!node.isTextual()) {
      throw new BadBody(path + ": no text");
    }
    if (!StandardCharsets.UTF_8.newEncoder().canEncode(node.textValue())) {
      throw new BadBody(path + ": half a character");
    }
    byte[] bytes = node.textValue().getBytes(StandardCharsets.UTF_8);
    texts.putBytes(at, bytes);
    end += bytes.length;
    return at;
  }
}
