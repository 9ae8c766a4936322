package dev.weir.proxy.records;

import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Thousandths;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** Reads the JSON of users, and gathers all its faults. */
final class UserRecordReader {
  private static final Set<String> OF_RECORD = Set.of("tier", "limits", "override");
  private static final Set<String> OF_AMOUNT = Set.of("limit", "burst");
  private static final Set<String> OF_OVERRIDE =
      Set.of("until", "reason", "tier", "limits", "factor");

  private static final int MAX_REASON_CHARACTERS = 500;

  private static final BigDecimal LEAST_FACTOR = new BigDecimal("0.001");
  private static final BigDecimal MOST_FACTOR = new BigDecimal(1_000);

  private final Instant now;
  private final List<RecordFault> faults = new ArrayList<>();

  /** The faults that are members which a newer version may know. */
  private int unknownCount;

  /**
   * @param now for times that must lie in the future; null if they need not.
   */
  private UserRecordReader(Instant now) {
    this.now = now;
  }

  static UserRecord read(String json, Instant now) throws BadRecordException {
    UserRecordReader reader = new UserRecordReader(now);
    UserRecord record = reader.record(JsonText.read(json, UserRecord.MAX_CHARACTERS));
    if (!reader.faults.isEmpty()) {
      throw new BadRecordException(reader.faults);
    }
    return record;
  }

  static UserRecord readGoodParts(String json, Consumer<RecordFault> passedOver)
      throws BadRecordException {
    UserRecordReader reader = new UserRecordReader(null);
    Object tree = JsonText.read(json, UserRecord.MAX_CHARACTERS);
    UserRecord record = reader.record(tree);
    if (!(tree instanceof Map<?, ?>)) {
      throw new BadRecordException(reader.faults);
    }
    reader.faults.forEach(passedOver);
    return record;
  }

  private void fault(String pointer, Object found, String expected) {
    faults.add(new RecordFault(pointer, 0, JsonText.shown(found), expected));
  }

  private UserRecord record(Object tree) {
    Map<String, Object> members = members("", tree, OF_RECORD, "tier, limits or override");
    return new UserRecord(tier("", members), limits("", members), overrideOf(members));
  }

  private UserOverride overrideOf(Map<String, Object> members) {
    return members.containsKey("override") ? override("/override", members.get("override")) : null;
  }

  private UserOverride override(String at, Object tree) {
    Map<String, Object> members =
        members(at, tree, OF_OVERRIDE, "until, reason, tier, limits or factor");
    if (!(tree instanceof Map<?, ?>)) {
      return null;
    }
    int badBefore = badCount();
    List<String> given =
        members.keySet().stream().filter(Set.of("tier", "limits", "factor")::contains).toList();
    if (given.size() != 1) {
      fault(
          at,
          given.isEmpty() ? "none of them" : String.join(" and ", given),
          "one of tier, limits and factor");
    }
    UserOverride override =
        new UserOverride(
            until(at + "/until", members.get("until")),
            reason(at + "/reason", members.get("reason")),
            tier(at, members),
            limits(at, members),
            factor(at, members));
    return badCount() == badBefore ? override : null; // half of one would be another one
  }

  /** The faults of what is known. */
  private int badCount() {
    return faults.size() - unknownCount;
  }

  /** The members of an object, those without a fault; empty if it is none. */
  private Map<String, Object> members(String at, Object tree, Set<String> names, String expected) {
    if (!(tree instanceof Map<?, ?> object)) {
      fault(at, tree, "an object with " + expected);
      return Map.of();
    }
    Map<String, Object> members = new LinkedHashMap<>();
    object.forEach(
        (name, value) -> {
          if (names.contains(name)) {
            members.put((String) name, value);
          } else {
            fault(JsonText.pointer(at, JsonText.shown(name)), "unknown", expected);
            unknownCount++;
          }
        });
    return members;
  }

  private String tier(String at, Map<String, Object> members) {
    return members.containsKey("tier")
        ? id(at + "/tier", members.get("tier"), "the name of a tier")
        : null;
  }

  private String id(String at, Object value, String what) {
    if (value instanceof String text && RuleSpec.isId(text)) {
      return text;
    }
    fault(at, value, what + ": " + RuleSpec.ID_GRAMMAR);
    return null;
  }

  private Map<String, Amount> limits(String at, Map<String, Object> members) {
    if (!members.containsKey("limits")) {
      return Map.of();
    }
    String inner = at + "/limits";
    if (!(members.get("limits") instanceof Map<?, ?> object)) {
      fault(inner, members.get("limits"), "an object: amounts by the names of limits");
      return Map.of();
    }
    if (object.size() > UserRecord.MAX_LIMITS) {
      fault(inner, object.size() + " limits", "at most " + UserRecord.MAX_LIMITS);
      return Map.of();
    }
    Map<String, Amount> limits = new LinkedHashMap<>();
    object.forEach(
        (key, value) -> {
          String place = JsonText.pointer(inner, JsonText.shown(key));
          String name = id(place, key, "the name of a limit");
          Amount amount = amount(place, value);
          if (name != null && amount != null) {
            limits.put(name, amount);
          }
        });
    return limits;
  }

  /** Null with a fault. */
  private Amount amount(String at, Object value) {
    if (!(value instanceof Map<?, ?>)) {
      return amountWithoutBurst(at, value);
    }
    Map<String, Object> members = members(at, value, OF_AMOUNT, "limit or burst");
    if (!members.containsKey("limit")) {
      fault(at + "/limit", "missing", Amount.EXPECTED);
      return null;
    }
    Amount amount = amountWithoutBurst(at + "/limit", members.get("limit"));
    return amount == null || !members.containsKey("burst")
        ? amount
        : withBurst(amount, at + "/burst", members.get("burst"));
  }

  private Amount amountWithoutBurst(String at, Object value) {
    String text = text(value);
    if (text == null) {
      fault(at, value, Amount.EXPECTED);
      return null;
    }
    try {
      return Amount.parse(text);
    } catch (BadValueException bad) {
      fault(at, bad.value(), bad.expected());
      return null;
    }
  }

  private Amount withBurst(Amount amount, String at, Object value) {
    String text = text(value);
    if (text == null) {
      fault(at, value, "a number");
      return null;
    }
    try {
      return amount.withBurst(text);
    } catch (BadValueException bad) {
      fault(at, bad.value(), bad.expected());
      return null;
    }
  }

  /** A text, or a number as people write it; null of anything else. */
  private static String text(Object value) {
    if (value instanceof BigDecimal number) {
      return number.toPlainString();
    }
    return value instanceof String text ? text : null;
  }

  private Instant until(String at, Object value) {
    String expected = "a time as in 2026-11-24T18:00:00Z";
    Instant until = null;
    if (value == null) {
      fault(at, "missing", expected);
    } else if (value instanceof String text) {
      try {
        until = OffsetDateTime.parse(text).toInstant();
      } catch (DateTimeException none) {
        fault(at, text, expected);
      }
    } else {
      fault(at, value, expected);
    }
    if (until != null && now != null) {
      Instant latest = now.plus(UserOverride.LONGEST);
      if (!until.isAfter(now) || until.isAfter(latest)) {
        fault(at, value, "a time after " + now + ", and not after " + latest);
      }
    }
    return until;
  }

  private String reason(String at, Object value) {
    boolean isPlain =
        value instanceof String text
            && !text.isBlank()
            && text.length() <= MAX_REASON_CHARACTERS
            && text.codePoints().noneMatch(Character::isISOControl);
    if (!isPlain) {
      fault(
          at,
          value == null ? "missing" : value,
          "a line of 1 to " + MAX_REASON_CHARACTERS + " characters");
      return null;
    }
    return (String) value;
  }

  private long factor(String at, Map<String, Object> members) {
    if (!members.containsKey("factor")) {
      return 0;
    }
    Object value = members.get("factor");
    if (value instanceof BigDecimal number
        && number.compareTo(LEAST_FACTOR) >= 0
        && number.compareTo(MOST_FACTOR) <= 0
        && number.stripTrailingZeros().scale() <= LEAST_FACTOR.scale()) {
      return number.multiply(BigDecimal.valueOf(Thousandths.ONE)).longValueExact();
    }
    fault(
        at + "/factor",
        value,
        "a number from " + LEAST_FACTOR + " to " + MOST_FACTOR + " with at most three decimals");
    return 0;
  }
}
