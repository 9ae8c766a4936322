package dev.weir.proxy.records;

import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.Thousandths;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What the directory of users keeps of one of them.
 *
 * <pre>
 * {"tier": "premium",
 *  "limits": {"rpm": "600/1m", "tpm": {"limit": "200k/1m", "burst": "50k"}, "running": 20},
 *  "override": {"until": "2026-11-24T18:00:00Z", "reason": "launch day", "factor": 2}}
 * </pre>
 *
 * <p>Each part may be absent. Names of tiers and limits are not compared with any rules: these
 * change, and users stay.
 *
 * @param tier null if the record says none.
 * @param limits the user's own, by the limit's name.
 * @param override null if there is none; it may have ended.
 */
public record UserRecord(String tier, Map<String, Amount> limits, UserOverride override) {
  /** A record that says nothing. */
  public static final UserRecord EMPTY = new UserRecord(null, Map.of(), null);

  /** The longest text of a record. */
  public static final int MAX_CHARACTERS = 16 << 10;

  /** The most limits of a user's own, and of an override. */
  public static final int MAX_LIMITS = 64;

  public UserRecord {
    limits = Collections.unmodifiableMap(new LinkedHashMap<>(limits));
  }

  /** Reads a record that is kept; its override may have ended. */
  public static UserRecord parse(String json) throws BadRecordException {
    return UserRecordReader.read(json, null);
  }

  /**
   * Reads a record that is to be written: its override must end in the future, in a year at most.
   *
   * @param now when it is written.
   */
  public static UserRecord parse(String json, Instant now) throws BadRecordException {
    return UserRecordReader.read(json, now);
  }

  /**
   * Reads what holds of a record that is kept, which a newer version may have written: members and
   * values that are not known here are passed over, an override as a whole.
   *
   * @param passedOver is given each of them.
   * @throws BadRecordException if it is no object of JSON.
   */
  public static UserRecord parseKept(String json, Consumer<RecordFault> passedOver)
      throws BadRecordException {
    return UserRecordReader.readGoodParts(json, passedOver);
  }

  /** This record with another tier; null for none. */
  public UserRecord withTier(String other) {
    return new UserRecord(other, limits, override);
  }

  /** This record with another amount of a limit; null for none. */
  public UserRecord withLimit(String name, Amount amount) {
    Map<String, Amount> others = new LinkedHashMap<>(limits);
    if (amount == null) {
      others.remove(name);
    } else {
      others.put(name, amount);
    }
    return new UserRecord(tier, others, override);
  }

  /** This record with another override; null for none. */
  public UserRecord withOverride(UserOverride other) {
    return new UserRecord(tier, limits, other);
  }

  /** Its text, which {@link #parse} reads. */
  public String toJson() {
    Map<String, Object> json = new LinkedHashMap<>();
    put(json, tier, limits);
    if (override != null) {
      json.put("override", json(override));
    }
    return JsonText.write(json);
  }

  /** An override as values of JSON. */
  public static Map<String, Object> json(UserOverride override) {
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("until", override.until().toString());
    json.put("reason", override.reason());
    put(json, override.tier(), override.limits());
    if (override.factorThousandths() != 0) {
      json.put(
          "factor",
          new BigDecimal(Thousandths.text(override.factorThousandths(), Thousandths.ONE)));
    }
    return json;
  }

  private static void put(Map<String, Object> json, String tier, Map<String, Amount> limits) {
    if (tier != null) {
      json.put("tier", tier);
    }
    if (!limits.isEmpty()) {
      Map<String, Object> amounts = new LinkedHashMap<>();
      limits.forEach((name, amount) -> amounts.put(name, json(amount)));
      json.put("limits", amounts);
    }
  }

  /** An amount as a value of JSON. */
  public static Object json(Amount amount) {
    if (amount.isAtATime()) {
      return amount.rate().count();
    }
    if (amount.burstThousandths() == 0) {
      return amount.text();
    }
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("limit", amount.text());
    json.put("burst", new BigDecimal(amount.burstText()));
    return json;
  }
}
