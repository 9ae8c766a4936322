package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.AuditHead;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.scripts.LuaScript;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import io.lettuce.core.StreamMessage;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * A write that follows on a version of a set and on the head of the audit, as they were read: if
 * others have written since, it writes nothing, and is made anew. So nobody's write is lost, and no
 * entry of the audit.
 */
final class RecordCommit {
  /** How long a day of the audit is kept. */
  static final long AUDIT_LIFE_MS = TimeUnit.DAYS.toMillis(91);

  /** About how many changes are kept for sidecars that ask for those since their last question. */
  static final int MOST_CHANGES = 10_000;

  /** The index of the format in what is read of the hash of a set. */
  private static final int FORMAT = 1;

  /** The format that this version of Weir writes; it is kept only once there is another. */
  private static final String KNOWN_FORMAT = "1";

  private static final byte[] LOGGED_ALONE = {'-'};

  private final RecordCalls calls;
  private final RecordKeys keys;
  private final AuditFile collected;
  private final byte[] set;
  private final byte[] changes;
  private final RecordVersion head;
  private final AuditHead startOfAudit;
  private final List<byte[]> values;
  private final RecordVersion next;
  private final List<AuditEntry> entries = new ArrayList<>();
  private final Map<String, byte[]> objects = new LinkedHashMap<>();
  private AuditHead audit;

  private RecordCommit(
      RecordCalls calls,
      RecordKeys keys,
      AuditFile collected,
      byte[] set,
      byte[] changes,
      RecordVersion head,
      AuditHead audit,
      List<byte[]> values) {
    this.calls = calls;
    this.keys = keys;
    this.collected = collected;
    this.set = set;
    this.changes = changes;
    this.head = head;
    this.startOfAudit = audit;
    this.audit = audit;
    this.values = values;
    next = new RecordVersion(head.number() + 1, ThreadLocalRandom.current().nextInt());
  }

  /**
   * Reads the set of rules.
   *
   * @param collected where entries of the audit are copied to; null for none.
   * @param fields whose values are read too.
   */
  static RecordCommit ofRules(
      RecordCalls calls, RecordKeys keys, AuditFile collected, List<String> fields)
      throws RecordStoreException {
    return read(calls, keys, collected, keys.policy(), keys.changes(), fields);
  }

  /**
   * Reads the directory of users.
   *
   * @param collected where entries of the audit are copied to; null for none.
   */
  static RecordCommit ofUsers(RecordCalls calls, RecordKeys keys, AuditFile collected)
      throws RecordStoreException {
    return read(calls, keys, collected, keys.directoryHead(), keys.directoryChanges(), List.of());
  }

  private static RecordCommit read(
      RecordCalls calls,
      RecordKeys keys,
      AuditFile collected,
      byte[] set,
      byte[] changes,
      List<String> fields)
      throws RecordStoreException {
    List<byte[]> asked = new ArrayList<>(List.of(RecordKeys.HEAD, RecordKeys.FORMAT));
    fields.forEach(field -> asked.add(RecordKeys.bytes(field)));
    List<KeyValue<byte[], byte[]>> found =
        calls.command(
            RecordKeys.PARTITION, redis -> redis.hmget(set, asked.toArray(byte[][]::new)));
    List<KeyValue<byte[], byte[]>> policy =
        calls.command(
            RecordKeys.PARTITION,
            redis -> redis.hmget(keys.policy(), RecordKeys.AUDIT, RecordKeys.FORMAT));
    List<byte[]> values = found.stream().map(each -> each.getValueOrElse(null)).toList();
    byte[] audit = policy.get(0).getValueOrElse(null);
    checkFormat(values.get(FORMAT));
    checkFormat(policy.get(FORMAT).getValueOrElse(null)); // the audit is there, of users too
    try {
      return new RecordCommit(
          calls,
          keys,
          collected,
          set,
          changes,
          version(values.get(0)),
          audit == null ? AuditHead.START : AuditHead.parse(RecordKeys.text(audit)),
          values.subList(2, values.size()));
    } catch (IllegalArgumentException damaged) {
      throw new RecordStoreException("redis: " + damaged.getMessage(), damaged);
    }
  }

  private static void checkFormat(byte[] value) throws RecordStoreException {
    String format = RecordKeys.text(value);
    if (!format.isEmpty() && !format.equals(KNOWN_FORMAT)) {
      throw new RecordStoreException(
          "redis: records of format "
              + format
              + " (expected: "
              + KNOWN_FORMAT
              + ", as this version of Weir writes)");
    }
  }

  static RecordVersion version(byte[] head) {
    return head == null ? RecordVersion.NONE : RecordVersion.parse(RecordKeys.text(head));
  }

  /** The version that the set has. */
  RecordVersion head() {
    return head;
  }

  /** The version that it is to get. */
  RecordVersion next() {
    return next;
  }

  /** The values of the fields that were asked for, in their order; null for none. */
  List<byte[]> values() {
    return values;
  }

  /**
   * Changes a record.
   *
   * @param before null if there is none.
   * @param after null to delete it.
   */
  void change(RecordName name, String before, String after, Author author) {
    String action = before == null ? "create" : after == null ? "delete" : "update";
    note(action, name, next, before, after, author);
    objects.put(RecordKeys.field(name), RecordKeys.bytes(after == null ? "" : after));
  }

  /** Announces a change of a user's record, which is written elsewhere. */
  void announce(String user, RecordName name, String before, String after, Author author) {
    String action = before == null ? "create" : after == null ? "delete" : "update";
    note(action, name, next, before, after, author);
    objects.put(user, LOGGED_ALONE);
  }

  /** Adds an entry to the audit. */
  void note(
      String action,
      RecordName object,
      RecordVersion version,
      String before,
      String after,
      Author author) {
    AuditEntry entry = audit.entry(Instant.now(), author, action, object, version, before, after);
    entries.add(entry);
    audit = audit.after(entry);
  }

  /**
   * Writes.
   *
   * @param created how many records the directory has more.
   * @return false if others have written since: nothing was written.
   * @throws RecordStoreException that says so if it may have been written.
   */
  boolean write(int created) throws RecordStoreException {
    List<byte[]> arguments = new ArrayList<>();
    boolean changesNothing = objects.isEmpty();
    for (Object argument :
        List.of(
            startOfAudit.equals(AuditHead.START) ? "" : startOfAudit,
            audit,
            changesNothing || head.equals(RecordVersion.NONE) ? "" : head,
            changesNothing ? "" : next,
            AUDIT_LIFE_MS,
            MOST_CHANGES,
            created,
            entries.size())) {
      arguments.add(RecordKeys.bytes(argument.toString()));
    }
    for (AuditEntry entry : entries) {
      arguments.add(RecordKeys.bytes(entry.id()));
      arguments.add(RecordKeys.bytes(entry.toJson()));
    }
    objects.forEach(
        (field, value) -> {
          arguments.add(RecordKeys.bytes(field));
          arguments.add(value);
        });
    byte[] day = keys.audit(audit.day());
    List<Object> reply =
        calls.script(
            RecordKeys.PARTITION,
            LuaScript.WRITE,
            new byte[][] {keys.policy(), set, changes, day},
            arguments.toArray(byte[][]::new));
    boolean isWritten = reply.get(0).equals(1L) || wasWritten(day);
    if (isWritten && collected != null) {
      collected.append(entries);
    }
    return isWritten;
  }

  /** Whether an earlier call, of which the answer was lost, has written. */
  private boolean wasWritten(byte[] day) throws RecordStoreException {
    String id = entries.get(0).id() + "-0";
    try {
      List<StreamMessage<byte[], byte[]>> found =
          calls.command(
              RecordKeys.PARTITION,
              redis -> redis.xrange(day, Range.create(id, id), Limit.from(1)));
      return !found.isEmpty() && AuditTrail.line(found.get(0)).equals(entries.get(0).toJson());
    } catch (RecordStoreException unknown) {
      throw unknown.perhapsWritten();
    }
  }
}
