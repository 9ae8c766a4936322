package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.PageCursor;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserPage;
import dev.weir.proxy.records.UserWritten;
import dev.weir.proxy.store.map.Partitions;
import dev.weir.scripts.LuaScript;
import io.lettuce.core.KeyValue;
import io.lettuce.core.MapScanCursor;
import io.lettuce.core.ScanArgs;
import io.lettuce.core.ScanCursor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * The records of users, each on the partition of its user's name. A write is announced first, in
 * one step with its entry in the audit, and then made: a sidecar that has heard of it reads the
 * record until it finds the version that was announced. A write that another one overtook is noted
 * as {@code withdrawn}.
 */
final class DirectoryRecords {
  /** The partition, and the cursor of HSCAN. */
  private static final Pattern CURSOR = Pattern.compile("(\\d{1,3})_(\\d{1,20})");

  /** The most users that one version changes. */
  private static final int MOST_AT_ONCE = 100;

  private final RecordCalls calls;
  private final UserReads reads;
  private final RecordKeys keys;
  private final KeptRecords kept;
  private final AuditTrail audit;
  private final UnaryOperator<String> names;
  private final AuditFile collected;

  /**
   * @param names the name of an identity as a user.
   * @param collected where entries of the audit are copied to; null for none.
   */
  DirectoryRecords(
      RecordCalls calls,
      UserReads reads,
      RecordKeys keys,
      KeptRecords kept,
      AuditTrail audit,
      UnaryOperator<String> names,
      AuditFile collected) {
    this.calls = calls;
    this.reads = reads;
    this.keys = keys;
    this.kept = kept;
    this.audit = audit;
    this.names = names;
    this.collected = collected;
  }

  int partition(String identity) {
    return RecordKeys.partition(names.apply(identity));
  }

  /** The name of a user in the audit, which has no secrets either. */
  RecordName audited(RecordName name) {
    String user = names.apply(name.id());
    return UserNames.isHashed(user) ? new RecordName(Kind.USER, user) : name;
  }

  Optional<StoredRecord> user(String identity) throws RecordStoreException {
    String user = names.apply(identity);
    int partition = RecordKeys.partition(user);
    byte[] value =
        calls.command(
            partition, redis -> redis.hget(keys.users(partition), RecordKeys.bytes(user)));
    return Optional.ofNullable(kept.read(new RecordName(Kind.USER, identity), value));
  }

  CompletionStage<Optional<StoredRecord>> userAsync(String identity, Executor by) {
    String user = names.apply(identity);
    int partition = RecordKeys.partition(user);
    return reads
        .hget(partition, keys.users(partition), RecordKeys.bytes(user))
        .handleAsync(
            (value, fault) -> {
              if (fault != null) {
                throw new CompletionException(new RecordStoreException("redis: no answer", fault));
              }
              return Optional.ofNullable(kept.read(new RecordName(Kind.USER, identity), value));
            },
            by);
  }

  UserPage page(String after, int most) throws RecordStoreException {
    MatchResult at = PageCursor.read(after == null ? "0_0" : after, CURSOR);
    int partition = Integer.parseInt(at.group(1));
    String cursor = at.group(2);
    List<StoredRecord> users = new ArrayList<>();
    while (partition < Partitions.COUNT && users.size() < most) {
      byte[] key = keys.users(partition);
      ScanCursor from = ScanCursor.of(cursor);
      ScanArgs count = ScanArgs.Builder.limit(most);
      MapScanCursor<byte[], byte[]> found =
          calls.command(partition, redis -> redis.hscan(key, from, count));
      found
          .getMap()
          .forEach(
              (user, value) -> {
                String identity = UserNames.identity(RecordKeys.text(user));
                StoredRecord record = kept.read(new RecordName(Kind.USER, identity), value);
                if (record != null) {
                  users.add(record);
                }
              });
      cursor = found.isFinished() ? "0" : found.getCursor();
      partition += found.isFinished() ? 1 : 0;
    }
    boolean isEnd = partition == Partitions.COUNT;
    return new UserPage(users, isEnd ? null : partition + "_" + cursor);
  }

  List<UserWritten> write(List<RecordWrite> writes, Author author, RepeatedWrite repeated)
      throws RecordStoreException {
    UserWritten[] written = new UserWritten[writes.size()];
    for (int from = 0; from < writes.size(); from += MOST_AT_ONCE) {
      List<Integer> left = new ArrayList<>();
      for (int i = from; i < Math.min(writes.size(), from + MOST_AT_ONCE); i++) {
        left.add(i);
      }
      try {
        repeated.until(
            () -> {
              left.removeIf(i -> written[i] != null);
              return left.isEmpty() || writeSome(writes, left, author, written);
            });
      } catch (RecordStoreException fault) {
        boolean isSomeWritten = Arrays.stream(written).anyMatch(Objects::nonNull);
        throw isSomeWritten ? fault.perhapsWritten() : fault;
      }
    }
    return Arrays.asList(written);
  }

  /** Returns whether all have been written, or are stale. */
  private boolean writeSome(
      List<RecordWrite> writes, List<Integer> which, Author author, UserWritten[] written)
      throws RecordStoreException {
    RecordCommit commit = RecordCommit.ofUsers(calls, keys, collected);
    Map<Integer, byte[]> values = values(writes, which);
    List<Integer> announced = new ArrayList<>();
    int created = 0;
    for (int i : which) {
      RecordWrite write = writes.get(i);
      StoredRecord present = kept.read(write.name(), values.get(i));
      RecordVersion version = present == null ? RecordVersion.NONE : present.version();
      if (write.expected() != null && !write.expected().equals(version)) {
        String by = present == null ? "" : audit.author(audited(write.name()), version);
        written[i] = new UserWritten(null, new StaleRecordException(write.name(), version, by));
      } else if (write.json() == null && values.get(i) == null) {
        written[i] = new UserWritten(RecordVersion.NONE, null);
      } else {
        String before = present == null ? null : present.json();
        String user = names.apply(write.name().id());
        commit.announce(user, audited(write.name()), before, write.json(), author);
        created += values.get(i) == null ? 1 : 0;
        announced.add(i);
      }
    }
    if (announced.isEmpty()) {
      return true;
    }
    if (!commit.write(created)) {
      return false;
    }
    long fewer = 0;
    List<RecordWrite> overtaken = new ArrayList<>();
    for (int i : announced) {
      RecordWrite write = writes.get(i);
      List<Object> reply = make(write, KeptRecords.etag(values.get(i)), commit.next());
      if (reply.get(0).equals(1L)) {
        written[i] = new UserWritten(commit.next(), null);
        fewer += (Long) reply.get(1); // not of a record that somebody else has deleted
      } else {
        overtaken.add(write);
        fewer += values.get(i) == null ? 1 : 0;
      }
    }
    if (fewer > 0) {
      long less = -fewer;
      calls.commandOnce(
          RecordKeys.PARTITION,
          redis -> redis.hincrby(keys.directoryHead(), RecordKeys.bytes("count"), less));
    }
    withdraw(overtaken, commit.next(), author);
    return overtaken.isEmpty();
  }

  private void withdraw(List<RecordWrite> overtaken, RecordVersion version, Author author)
      throws RecordStoreException {
    boolean isNoted = overtaken.isEmpty();
    while (!isNoted) {
      RecordCommit commit = RecordCommit.ofUsers(calls, keys, collected);
      overtaken.forEach(
          write -> commit.note("withdrawn", audited(write.name()), version, null, null, author));
      isNoted = commit.write(0);
    }
  }

  /** Reads the values of those users, of each partition at once. */
  private Map<Integer, byte[]> values(List<RecordWrite> writes, List<Integer> which)
      throws RecordStoreException {
    Map<Integer, List<Integer>> byPartition = new TreeMap<>();
    for (int i : which) {
      int partition = RecordKeys.partition(names.apply(writes.get(i).name().id()));
      byPartition.computeIfAbsent(partition, none -> new ArrayList<>()).add(i);
    }
    Map<Integer, byte[]> values = new HashMap<>();
    for (Map.Entry<Integer, List<Integer>> each : byPartition.entrySet()) {
      int partition = each.getKey();
      byte[][] users =
          each.getValue().stream()
              .map(i -> RecordKeys.bytes(names.apply(writes.get(i).name().id())))
              .toArray(byte[][]::new);
      List<KeyValue<byte[], byte[]>> found =
          calls.command(partition, redis -> redis.hmget(keys.users(partition), users));
      for (int at = 0; at < users.length; at++) {
        values.put(each.getValue().get(at), found.get(at).getValueOrElse(null));
      }
    }
    return values;
  }

  /** Writes what was announced; the reply is that of {@code user.lua}. */
  private List<Object> make(RecordWrite write, String etag, RecordVersion next)
      throws RecordStoreException {
    String user = names.apply(write.name().id());
    int partition = RecordKeys.partition(user);
    try {
      return calls.script(
          partition,
          LuaScript.USER,
          new byte[][] {keys.users(partition)},
          RecordKeys.bytes(user),
          RecordKeys.bytes(etag),
          RecordKeys.bytes(next.toString()),
          RecordKeys.bytes(write.json() == null ? "" : write.json()));
    } catch (RecordStoreException announced) {
      throw announced.perhapsWritten(); // the audit has it already
    }
  }
}
