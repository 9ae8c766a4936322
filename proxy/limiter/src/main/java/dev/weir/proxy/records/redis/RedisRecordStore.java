package dev.weir.proxy.records.redis;

import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.records.RunningSidecar;
import dev.weir.proxy.records.StaleRecordException;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.records.UserPage;
import dev.weir.proxy.records.UserWritten;
import dev.weir.proxy.store.fleet.ChangeFeed;
import dev.weir.proxy.store.map.StoreServers;
import io.lettuce.core.KeyValue;
import io.lettuce.core.Limit;
import io.lettuce.core.Range;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.UnaryOperator;

/** Records in the store's Redis servers, for all sidecars of a service. */
public final class RedisRecordStore implements RecordStore {
  /** How long an answer to a write waits for a replica to have it. */
  private static final long COPY_MS = 100;

  private final RecordCalls calls;
  private final RecordKeys keys;
  private final AuditFile collected;
  private final KeptRecords kept = new KeptRecords();
  private final RepeatedWrite repeated = new RepeatedWrite();
  private final LongAdder readAllCount = new LongAdder();
  private final RulesCache cache = new RulesCache();
  private final RecordFeed feed;
  private final AuditTrail audit;
  private final DirectoryRecords users;

  /**
   * @param names the name of an identity as a user.
   * @param collected where entries of the audit are copied to that this process wrote; null for
   *     none.
   */
  public RedisRecordStore(
      StoreServers servers, RecordKeys keys, UnaryOperator<String> names, AuditFile collected) {
    this.calls = new RecordCalls(servers);
    this.keys = keys;
    this.collected = collected;
    feed = new RecordFeed(keys, cache);
    audit = new AuditTrail(calls, keys);
    UserReads reads = new UserReads(servers);
    users = new DirectoryRecords(calls, reads, keys, kept, audit, names, collected);
  }

  @Override
  public RecordSet rules() throws RecordStoreException {
    List<RecordName> changed = cache.toRead();
    RecordSet set = changed == null ? null : readSome(changed);
    return set == null ? readAll() : set;
  }

  private RecordSet readAll() throws RecordStoreException {
    Map<byte[], byte[]> fields =
        calls.command(RecordKeys.PARTITION, redis -> redis.hgetall(keys.policy()));
    RecordVersion head = RecordVersion.NONE;
    List<StoredRecord> records = new ArrayList<>();
    List<RecordName> damaged = new ArrayList<>();
    for (Map.Entry<byte[], byte[]> each : fields.entrySet()) {
      String field = RecordKeys.text(each.getKey());
      RecordName name = RecordKeys.named(field);
      StoredRecord record = name == null ? null : kept.read(name, each.getValue());
      if (record != null) {
        records.add(record);
      } else if (name != null) {
        damaged.add(name);
      } else if (field.equals("head")) {
        head = version(each.getValue());
      }
    }
    RecordSet set = new RecordSet(head, records, damaged);
    cache.read(set);
    readAllCount.increment();
    return set;
  }

  private RecordSet readSome(List<RecordName> names) throws RecordStoreException {
    byte[][] fields = new byte[names.size() + 1][];
    fields[0] = RecordKeys.HEAD;
    for (int i = 0; i < names.size(); i++) {
      fields[i + 1] = RecordKeys.bytes(RecordKeys.field(names.get(i)));
    }
    List<KeyValue<byte[], byte[]>> found =
        calls.command(RecordKeys.PARTITION, redis -> redis.hmget(keys.policy(), fields));
    List<StoredRecord> present = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      byte[] value = found.get(i + 1).getValueOrElse(null);
      StoredRecord record = kept.read(names.get(i), value);
      if (record != null) {
        present.add(record);
      } else if (value != null) {
        return null; // a damaged one: who reads all names it
      }
    }
    return cache.with(version(found.get(0).getValueOrElse(null)), names, present);
  }

  private static RecordVersion version(byte[] head) throws RecordStoreException {
    try {
      return RecordCommit.version(head);
    } catch (IllegalArgumentException damaged) {
      throw new RecordStoreException("redis: " + damaged.getMessage(), damaged);
    }
  }

  @Override
  public RecordVersion writeRules(RecordVersion head, List<RecordWrite> writes, Author author)
      throws StaleRecordException, RecordStoreException {
    Map<RecordName, RecordWrite> last = new LinkedHashMap<>();
    writes.forEach(write -> last.put(write.name(), write));
    RuleWrite write = new RuleWrite(head, List.copyOf(last.values()), author);
    repeated.until(write);
    if (write.stale != null) {
      throw write.stale;
    }
    feed.written();
    return write.version;
  }

  /** One write of rules, until it is made or found stale. */
  private final class RuleWrite implements RepeatedWrite.Write {
    private final RecordVersion head;
    private final List<RecordWrite> writes;
    private final Author author;
    private StaleRecordException stale;
    private RecordVersion version;

    RuleWrite(RecordVersion head, List<RecordWrite> writes, Author author) {
      this.head = head;
      this.writes = writes;
      this.author = author;
    }

    @Override
    public boolean isMade() throws RecordStoreException {
      RecordCommit commit =
          RecordCommit.ofRules(
              calls,
              keys,
              collected,
              writes.stream().map(each -> RecordKeys.field(each.name())).toList());
      if (head != null && !head.equals(commit.head())) {
        stale = new StaleRecordException(new RecordName(Kind.PART, ""), commit.head(), "");
        return true;
      }
      boolean changesNothing = true;
      for (int i = 0; i < writes.size(); i++) {
        RecordWrite write = writes.get(i);
        byte[] value = commit.values().get(i);
        StoredRecord present = kept.read(write.name(), value);
        RecordVersion found = present == null ? RecordVersion.NONE : present.version();
        if (write.expected() != null && !write.expected().equals(found)) {
          String by = present == null ? "" : audit.author(write.name(), found);
          stale = new StaleRecordException(write.name(), found, by);
          return true;
        }
        if (value != null || write.json() != null) {
          String before = present == null ? null : present.json();
          commit.change(write.name(), before, write.json(), author);
          changesNothing = false;
        }
      }
      version = changesNothing ? commit.head() : commit.next();
      return changesNothing || commit.write(0);
    }
  }

  @Override
  public Optional<StoredRecord> user(String identity) throws RecordStoreException {
    return users.user(identity);
  }

  @Override
  public CompletionStage<Optional<StoredRecord>> userAsync(String identity, Executor by) {
    return users.userAsync(identity, by);
  }

  @Override
  public List<UserWritten> writeUsers(List<RecordWrite> writes, Author author)
      throws RecordStoreException {
    try {
      return users.write(writes, author, repeated);
    } finally {
      feed.written(); // some may have been written before a failure
    }
  }

  @Override
  public UserPage users(String after, int most) throws RecordStoreException {
    return users.page(after, most);
  }

  @Override
  public void note(String action, RecordName object, Author author) throws RecordStoreException {
    repeated.until(
        () -> {
          RecordCommit commit = RecordCommit.ofRules(calls, keys, collected, List.of());
          RecordName audited = object.kind() == Kind.USER ? users.audited(object) : object;
          commit.note(action, audited, null, null, null, author);
          return commit.write(0);
        });
  }

  @Override
  public AuditPage audit(AuditQuery query) throws RecordStoreException {
    String object = query.object();
    String user = object == null ? null : users.audited(new RecordName(Kind.USER, object)).id();
    return audit.page(query, user);
  }

  @Override
  public List<RunningSidecar> sidecars() throws RecordStoreException {
    List<byte[]> noted =
        calls.command(RecordKeys.PARTITION, redis -> redis.zrange(keys.versions(), 0, -1));
    Map<String, RunningSidecar> known = new HashMap<>();
    for (byte[] each : noted) {
      String[] of =
          RecordKeys.text(each).split(" "); // the sidecar, its version, and one it refused
      RecordVersion refused = of.length > 2 ? version(RecordKeys.bytes(of[2])) : null;
      known.put(of[0], new RunningSidecar(of[0], version(RecordKeys.bytes(of[1])), refused));
    }
    List<RunningSidecar> running = new ArrayList<>();
    for (byte[] id :
        calls.command(RecordKeys.PARTITION, redis -> redis.zrange(keys.peers(), 0, -1))) {
      String sidecar = RecordKeys.text(id);
      RunningSidecar unknown = new RunningSidecar(sidecar, RecordVersion.NONE, null);
      running.add(known.getOrDefault(sidecar, unknown));
    }
    return running;
  }

  @Override
  public String sidecar() {
    return feed.sidecar();
  }

  @Override
  public boolean knows(RecordVersion version) throws RecordStoreException {
    String id = version.number() + "-0";
    return calls
        .command(
            RecordKeys.PARTITION,
            redis -> redis.xrange(keys.changes(), Range.create(id, id), Limit.from(1)))
        .stream()
        .flatMap(change -> change.getBody().entrySet().stream())
        .filter(field -> RecordKeys.text(field.getKey()).equals("tag"))
        .anyMatch(field -> version.toString().endsWith("-" + RecordKeys.text(field.getValue())));
  }

  @Override
  public Boolean isCopied(List<RecordName> names) {
    Set<Integer> partitions = new HashSet<>(Set.of(RecordKeys.PARTITION)); // of log and audit
    for (RecordName name : names) {
      if (name.kind() == Kind.USER) {
        partitions.add(users.partition(name.id()));
      }
    }
    return calls.isCopied(partitions, COPY_MS);
  }

  /** How often a record was passed over, as it is damaged. */
  public long damagedCount() {
    return kept.damagedCount();
  }

  /** How often the whole set of rules was read, not only what has changed. */
  public long readAllCount() {
    return readAllCount.sum();
  }

  @Override
  public void listen(RecordListener listener) {
    feed.listen(listener);
  }

  @Override
  public void use(RecordVersion version, RecordVersion refused) {
    feed.use(version, refused);
  }

  @Override
  public long awaySeconds() {
    return feed.awaySeconds();
  }

  /** The feed that follows changes by the heartbeats of this sidecar. */
  public ChangeFeed feed() {
    return feed;
  }

  @Override
  public void close() {}
}
