package dev.weir.proxy.api;

import dev.weir.proxy.control.Adoption;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.RecordSetFault;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordsInUse;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordName;
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
import dev.weir.proxy.rule.RuleSet;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Rules in a store that is in memory, and fails when a test wants it to. */
final class MemoryRecords implements RecordsInUse {
  final Store store = new Store();

  /** Why no call succeeds; null while they do. */
  volatile String away;

  /** Why no write succeeds; null while they do. */
  volatile String readOnly;

  /** Whether a replica has what is written; null if there is none. */
  volatile Boolean replicated;

  /** Runs once, before the next write. */
  volatile Runnable beforeWrite;

  final List<String> notes = Collections.synchronizedList(new ArrayList<>());
  volatile RecordSet inUse = RecordSet.NONE;
  private final RecordedRules reader;

  /**
   * @param settings of the sidecar.
   */
  MemoryRecords(String settings) {
    Faults faults = Faults.ofFile("weir.yaml");
    Settings read = new SettingsFile().read(settings.getBytes(StandardCharsets.UTF_8), faults);
    if (read == null) {
      throw new AssertionError(faults);
    }
    reader = new RecordedRules(read);
  }

  @Override
  public RecordStore store() {
    return store;
  }

  @Override
  public RecordSet rules() {
    return inUse;
  }

  @Override
  public RecordSetFault fault() {
    return null;
  }

  @Override
  public RecordedRules.Reading compile(RecordSet set) {
    return reader.read(set, RuleSet.EMPTY);
  }

  @Override
  public RecordedRules.Reading compile(byte[] document) {
    return reader.readDocument(document, RuleSet.EMPTY);
  }

  @Override
  public CompletionStage<Adoption> adoption(RecordVersion version, Duration wait) {
    return CompletableFuture.completedFuture(
        wait.isZero() ? null : new Adoption(3, 2, 1)); // null: the store does not tell
  }

  /** The store. */
  final class Store implements RecordStore {
    private final Map<RecordName, StoredRecord> records = new LinkedHashMap<>();
    private final Map<RecordName, String> authors = new LinkedHashMap<>();
    private RecordVersion head = RecordVersion.NONE;
    private int writeCount;

    @Override
    public Boolean isCopied(List<RecordName> names) {
      return replicated;
    }

    synchronized int writeCount() {
      return writeCount;
    }

    /** Loses all it had. */
    synchronized void lose() {
      records.clear();
      head = RecordVersion.NONE;
    }

    private void check(String fault) throws RecordStoreException {
      if (fault != null) {
        throw new RecordStoreException(fault);
      }
    }

    @Override
    public synchronized RecordSet rules() throws RecordStoreException {
      check(away);
      return new RecordSet(head, List.copyOf(records.values()));
    }

    @Override
    public RecordVersion writeRules(RecordVersion seen, List<RecordWrite> writes, Author author)
        throws StaleRecordException, RecordStoreException {
      check(away);
      check(readOnly);
      Runnable before = beforeWrite;
      beforeWrite = null;
      if (before != null) {
        before.run();
      }
      return write(seen, writes, author);
    }

    private synchronized RecordVersion write(
        RecordVersion seen, List<RecordWrite> writes, Author author) throws StaleRecordException {
      if (seen != null && !seen.equals(head)) {
        throw new StaleRecordException(new RecordName(RecordName.Kind.PART, ""), head, "");
      }
      for (RecordWrite write : writes) {
        StoredRecord present = records.get(write.name());
        RecordVersion version = present == null ? RecordVersion.NONE : present.version();
        if (write.expected() != null && !write.expected().equals(version)) {
          String by = authors.getOrDefault(write.name(), "");
          throw new StaleRecordException(write.name(), version, by);
        }
      }
      writeCount++;
      head = new RecordVersion(head.number() + 1, 0xabc);
      for (RecordWrite write : writes) {
        authors.put(write.name(), author.name());
        if (write.json() == null) {
          records.remove(write.name());
        } else {
          records.put(write.name(), new StoredRecord(write.name(), head, write.json()));
        }
      }
      return head;
    }

    @Override
    public long awaySeconds() {
      return away == null ? 0 : 12;
    }

    @Override
    public List<RunningSidecar> sidecars() throws RecordStoreException {
      check(away);
      return List.of(
          new RunningSidecar("a1", new RecordVersion(2, 0xabc), null),
          new RunningSidecar("b2", new RecordVersion(1, 0xabc), new RecordVersion(2, 0xabc)));
    }

    @Override
    public AuditPage audit(AuditQuery query) {
      return new AuditPage(List.of(), null);
    }

    @Override
    public Optional<StoredRecord> user(String identity) {
      return Optional.empty();
    }

    @Override
    public List<UserWritten> writeUsers(List<RecordWrite> writes, Author author) {
      throw new UnsupportedOperationException();
    }

    @Override
    public UserPage users(String after, int most) {
      throw new UnsupportedOperationException();
    }

    @Override
    public void note(String action, RecordName object, Author author) throws RecordStoreException {
      check(readOnly);
      notes.add(action + " " + object.id() + " " + author.name() + " " + author.reason());
    }

    @Override
    public void listen(RecordListener listener) {}

    @Override
    public void close() {}
  }
}
