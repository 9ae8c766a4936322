package dev.weir.proxy.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.RecordFault;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.web.Page;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/** The directory of users, as resources read and change it. Thread {@code weir-records}. */
final class UserDirectory {
  /** The longest identity, as the decision API takes it. */
  private static final int MAX_ID_BYTES = 1024;

  /** Says which texts may be an identity; completes "expected: ...". */
  static final String ID = "1 to " + MAX_ID_BYTES + " bytes without control characters";

  private final Supplier<RuleSet> rules;
  private final RecordStore store;

  /**
   * @param rules in use.
   * @param store null if no records are kept.
   */
  UserDirectory(Supplier<RuleSet> rules, RecordStore store) {
    this.rules = rules;
    this.store = store;
  }

  /**
   * A user with what is kept.
   *
   * @param version {@link RecordVersion#NONE} if nothing is.
   * @param record members as they are kept, with those that only a newer version knows.
   */
  record User(String id, RecordVersion version, Map<String, Object> record) {
    boolean isThere() {
      return !version.equals(RecordVersion.NONE);
    }

    /** The part of the record that is known here. */
    UserRecord known() throws BadRecordException {
      return UserRecord.parseKept(JsonText.write(record), fault -> {});
    }

    /** Its members in an answer. */
    Map<String, Object> json(ApiRequest request) {
      Map<String, Object> json = new LinkedHashMap<>();
      json.put("id", request.shown(id));
      json.put("etag", version.toString());
      json.put("record", record);
      return json;
    }

    Page page(int status, ApiRequest request) {
      return Answers.json(status, json(request), version);
    }
  }

  /** The rules in use. */
  RuleSet rules() {
    return rules.get();
  }

  /**
   * The store of records.
   *
   * @throws ApiProblem 409 without one.
   */
  RecordStore store() throws ApiProblem {
    if (store == null) {
      throw ApiProblem.of(
          409, "No records are kept", "records.store in the settings, redis or file");
    }
    return store;
  }

  /** The user that a request names. */
  static String id(ApiRequest request) throws ApiProblem {
    String id = request.path("id");
    if (!isId(id)) {
      throw ApiProblem.ofParameter("id", id, ID);
    }
    return id;
  }

  /** Whether a text may be the identity of a user. */
  static boolean isId(String id) {
    return !id.isEmpty()
        && bytes(id) <= MAX_ID_BYTES
        && id.chars().noneMatch(Character::isISOControl);
  }

  private static int bytes(String id) {
    return id.getBytes(StandardCharsets.UTF_8).length;
  }

  /** The record of a user; a user without one has a record of no members. */
  User find(String id) throws ApiProblem, RecordStoreException {
    Optional<StoredRecord> stored = store().user(id);
    return stored.isPresent() ? user(stored.get()) : new User(id, RecordVersion.NONE, Map.of());
  }

  /** A record as a user. */
  static User user(StoredRecord stored) throws RecordStoreException {
    String id = stored.name().id();
    try {
      return new User(
          id, stored.version(), members(JsonText.read(stored.json(), Integer.MAX_VALUE)));
    } catch (BadRecordException damaged) {
      throw new RecordStoreException("the record of a user is damaged: " + damaged.getMessage());
    }
  }

  /** The answer to a write of a user's record. */
  Page written(int status, User user, ApiRequest request) throws ApiProblem {
    Map<String, Object> json = user.json(request);
    if (!request.isDryRun()) {
      json.put("replicated", store().isCopied(List.of(name(user.id()))));
    }
    return Answers.json(status, json, user.version());
  }

  /** The members of an object of JSON; none of anything else. */
  static Map<String, Object> members(Object tree) {
    Map<String, Object> members = new LinkedHashMap<>();
    if (tree instanceof Map<?, ?> object) {
      object.forEach((name, value) -> members.put((String) name, value));
    }
    return members;
  }

  /**
   * Compares what is written with the rules.
   *
   * @param before what is kept of the user.
   */
  void check(UserRecord record, User before) throws BadRecordException {
    List<RecordFault> faults = UserCheck.faults(rules(), record, before.known());
    if (!faults.isEmpty()) {
      throw new BadRecordException(faults);
    }
  }

  /**
   * Writes a user's record, unless the request only asks what would be: then it has the version
   * that it has now.
   *
   * @param expected the version that it has now.
   * @param record null to remove it.
   * @return the user with its new version.
   */
  User write(String id, RecordVersion expected, Map<String, Object> record, ApiRequest request)
      throws ApiProblem, StaleRecordException, RecordStoreException {
    String json = record == null ? null : JsonText.write(record);
    RecordWrite write = new RecordWrite(name(id), expected, json);
    RecordVersion version =
        request.isDryRun() ? rehearse(write) : store().writeUser(write, request.author());
    return new User(id, version, record);
  }

  /** The version that a record has now, if a write would be made. */
  RecordVersion rehearse(RecordWrite write)
      throws ApiProblem, StaleRecordException, RecordStoreException {
    RecordVersion present = find(write.name().id()).version();
    if (write.expected() != null && !write.expected().equals(present)) {
      throw new StaleRecordException(write.name(), present, "");
    }
    return present;
  }

  /** The name of a user's record. */
  static RecordName name(String id) {
    return new RecordName(RecordName.Kind.USER, id);
  }
}
