package dev.weir.proxy.records.file;

import dev.weir.proxy.log.Incident;
import dev.weir.proxy.records.AuditEntry;
import dev.weir.proxy.records.AuditFile;
import dev.weir.proxy.records.AuditHead;
import dev.weir.proxy.records.AuditPage;
import dev.weir.proxy.records.AuditQuery;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.PageCursor;
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
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Optional;
import java.util.regex.Pattern;
import org.slf4j.LoggerFactory;

/**
 * The records of one node, in a folder of files that an operator can read and copy at any time.
 *
 * <p>Assumes: one process has the folder, and {@code fsync} does what it says. Guarantees: a write
 * that has returned is there after any end of the process or of power, with its entry of the audit;
 * one that has thrown {@link RecordStoreException} has left nothing, except if the process ends
 * before the disk lets what was written of it be removed: then it is there whole or not at all.
 * Reads go on while nothing can be written.
 */
public final class FileRecordStore implements RecordStore {
  /** The least that is appended until a snapshot is made. */
  private static final long LEAST_LOGGED_BYTES = 1 << 20;

  /** The hash of the first user of the next page. */
  private static final Pattern CURSOR = Pattern.compile("[0-9a-f]{1,16}");

  private final Path folder;
  private final Clock clock;
  private final AuditFile collected;
  private final FolderLock lock;
  private final SecureRandom random = new SecureRandom();
  private final Incident snapshotFault;

  /** Why nothing is written; null if it is. */
  private final String readOnly;

  private final LiveRecords live;

  /** To which entries are appended; null before the first. */
  private RecordFile log;

  /** The bytes of entries behind the snapshot; that is as long as the other, 0 if there is none. */
  private long logged;

  private long snapshotBytes;
  private RecordListener listener;

  /** The one sidecar that has the folder. */
  private volatile RunningSidecar sidecar =
      new RunningSidecar(Long.toString(ProcessHandle.current().pid()), RecordVersion.NONE, null);

  /**
   * Opens a folder, and makes it if it is not there. One that cannot be written is read.
   *
   * @param collected where entries are copied to; null for none.
   * @throws RecordStoreException if another process has the folder, or a line of it is broken
   *     before the last.
   */
  public static FileRecordStore open(Path folder, Clock clock, AuditFile collected)
      throws RecordStoreException {
    FolderLock lock = null;
    String readOnly = null;
    try {
      try {
        if (!Files.isDirectory(folder)) {
          Files.createDirectories(folder, RecordFile.FOLDER_OF_OWNER_ONLY);
        }
        lock = FolderLock.take(folder.toRealPath());
      } catch (IOException e) {
        readOnly = folder + " cannot be written: " + e;
        if (!Files.isDirectory(folder)) {
          throw new RecordStoreException(readOnly, e);
        }
      }
      Replay.Result read = Replay.read(folder.toRealPath(), lock != null);
      if (read.format() > Snapshot.FORMAT) {
        readOnly =
            folder.resolve(Snapshot.NAME)
                + " is of format "
                + read.format()
                + ", written by a newer version (expected: "
                + Snapshot.FORMAT
                + ")";
      }
      return new FileRecordStore(folder.toRealPath(), clock, collected, lock, readOnly, read);
    } catch (IOException | RecordStoreException e) {
      if (lock != null) {
        lock.close();
      }
      throw e instanceof RecordStoreException known
          ? known
          : new RecordStoreException("cannot read the records in " + folder + ": " + e, e);
    }
  }

  private FileRecordStore(
      Path folder,
      Clock clock,
      AuditFile collected,
      FolderLock lock,
      String readOnly,
      Replay.Result read) {
    this.folder = folder;
    this.clock = clock;
    this.collected = collected;
    this.lock = lock;
    this.readOnly = readOnly;
    this.live = read.live();
    this.log = read.log();
    this.logged = read.logged();
    this.snapshotBytes = live.files.get(0) == null ? 0 : live.files.get(0).size();
    this.snapshotFault =
        new Incident(
            LoggerFactory.getLogger(FileRecordStore.class),
            "records in " + folder,
            "no snapshot could be made, so the audit's files grow and starts take longer",
            "a snapshot was made",
            Incident.Ends.BY_WORD);
  }

  /** Why nothing can be written, if that is known since the start; empty if it can. */
  public Optional<String> readOnly() {
    return Optional.ofNullable(readOnly);
  }

  @Override
  public synchronized RecordSet rules() {
    return new RecordSet(
        live.rulesHead, live.rules.values().stream().map(KeptRecord::record).toList());
  }

  @Override
  public synchronized RecordVersion writeRules(
      RecordVersion head, List<RecordWrite> writes, Author author)
      throws StaleRecordException, RecordStoreException {
    if (head != null && !head.equals(live.rulesHead)) {
      throw new StaleRecordException(
          new RecordName(RecordName.Kind.PART, ""), live.rulesHead, live.rulesBy);
    }
    RecordVersion version = next(live.rulesHead);
    Change change = new Change(author);
    for (RecordWrite write : writes) {
      if (write.name().kind() == RecordName.Kind.USER) {
        throw new IllegalArgumentException("a user is no part of a set of rules: " + write.name());
      }
      change.add(write, live.rules.get(write.name()), version);
    }
    if (change.entries.isEmpty()) {
      return live.rulesHead;
    }
    append(change);
    if (listener != null) {
      listener.rulesChanged(version);
    }
    return version;
  }

  @Override
  public synchronized Optional<StoredRecord> user(String identity) throws RecordStoreException {
    return Optional.ofNullable(live.user(identity)).map(KeptRecord::record);
  }

  @Override
  public synchronized List<UserWritten> writeUsers(List<RecordWrite> writes, Author author)
      throws RecordStoreException {
    List<UserWritten> written = new ArrayList<>();
    Map<String, KeptRecord> changed = new HashMap<>();
    RecordVersion version = live.usersHead;
    Change change = new Change(author);
    long count = live.users.size();
    for (RecordWrite write : writes) {
      String identity = write.name().id();
      KeptRecord present =
          changed.containsKey(identity) ? changed.get(identity) : live.user(identity);
      try {
        KeptRecord after = change.add(write, present, next(version));
        if (after != null) {
          version = after.record().version();
          changed.put(identity, after.record().json() == null ? null : after);
          count += (after.record().json() == null ? 0 : 1) - (present == null ? 0 : 1);
        }
        written.add(new UserWritten(after == null ? RecordVersion.NONE : version, null));
      } catch (StaleRecordException e) {
        written.add(new UserWritten(null, e));
      }
    }
    if (count > UserIndex.MOST) {
      throw new RecordStoreException(
          "a folder holds " + UserIndex.MOST + " users (expected: fewer; Redis holds more)");
    }
    long before = live.users.size();
    if (!change.entries.isEmpty()) {
      append(change);
    }
    if (listener != null) {
      for (AuditEntry entry : change.entries) {
        listener.userChanged(entry.object().id(), entry.version());
      }
      if (count != before) {
        listener.usersCounted(count);
      }
    }
    return written;
  }

  @Override
  public synchronized UserPage users(String after, int most) throws RecordStoreException {
    long from =
        after == null ? 0 : Long.parseUnsignedLong(PageCursor.read(after, CURSOR).group(), 16);
    List<Long> places = new ArrayList<>();
    long next = live.users.page(from, most, places::add);
    List<StoredRecord> users = new ArrayList<>(places.size());
    for (long place : places) {
      users.add(live.at(place).record());
    }
    return new UserPage(users, next == 0 ? null : Long.toHexString(next));
  }

  @Override
  public synchronized void note(String action, RecordName object, Author author)
      throws RecordStoreException {
    Change note = new Change(author);
    note.add(action, object, null, null, null);
    append(note);
  }

  @Override
  public AuditPage audit(AuditQuery query) throws RecordStoreException {
    LocalDate day;
    long size;
    synchronized (this) {
      day = live.auditHead.day();
      size = log == null ? 0 : log.size();
    }
    return AuditFolder.page(folder, query, day, size);
  }

  @Override
  public List<RunningSidecar> sidecars() {
    return List.of(sidecar);
  }

  @Override
  public void use(RecordVersion version, RecordVersion refused) {
    sidecar = new RunningSidecar(sidecar.id(), version, refused);
  }

  @Override
  public synchronized void listen(RecordListener listener) {
    this.listener = listener;
    listener.usersCounted(live.users.size());
  }

  @Override
  public synchronized void close() {
    live.close();
    if (lock != null) {
      lock.close();
    }
  }

  private RecordVersion next(RecordVersion version) {
    return new RecordVersion(version.number() + 1, random.nextInt());
  }

  /** The entries of one write. */
  private final class Change {
    private final Author author;
    private final List<AuditEntry> entries = new ArrayList<>();
    private AuditHead head = live.auditHead;

    Change(Author author) {
      this.author = author;
    }

    /**
     * Adds what a write changes.
     *
     * @param present what the record is before; null if there is none.
     * @param version of what it is to be.
     * @return what the record is then; null if the write changes nothing.
     */
    KeptRecord add(RecordWrite write, KeptRecord present, RecordVersion version)
        throws StaleRecordException {
      RecordVersion found = present == null ? RecordVersion.NONE : present.record().version();
      if (write.expected() != null && !write.expected().equals(found)) {
        throw new StaleRecordException(write.name(), found, present == null ? "" : present.by());
      }
      if (present == null && write.json() == null) {
        return null;
      }
      String action = present == null ? "create" : write.json() == null ? "delete" : "update";
      add(
          action,
          write.name(),
          version,
          present == null ? null : present.record().json(),
          write.json());
      return new KeptRecord(new StoredRecord(write.name(), version, write.json()), author.name());
    }

    void add(String action, RecordName name, RecordVersion version, String before, String after) {
      AuditEntry entry = head.entry(clock.instant(), author, action, name, version, before, after);
      entries.add(entry);
      head = head.after(entry);
    }
  }

  /** Appends a change to the audit, and then takes it in: all of it, or nothing if it throws. */
  private void append(Change change) throws RecordStoreException {
    if (readOnly != null) {
      throw new RecordStoreException(readOnly);
    }
    long first = live.auditHead.number() + 1;
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int[] offsets = new int[change.entries.size()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = bytes.size();
      bytes.writeBytes(RecordLine.of(change.entries.get(i).toJson(), first, change.head.number()));
    }
    long position;
    try {
      begin(change.head.day());
      position = log.size();
      log.append(bytes.toByteArray());
    } catch (IOException e) {
      throw new RecordStoreException(
          "the records in " + folder + " cannot be written: " + e.getMessage(), e);
    }
    for (int i = 0; i < offsets.length; i++) {
      live.apply(
          change.entries.get(i), LiveRecords.place(live.files.size() - 1, position + offsets[i]));
    }
    live.auditHead = change.head;
    logged += bytes.size();
    if (logged >= Math.max(LEAST_LOGGED_BYTES, snapshotBytes)) {
      snapshot();
    }
    if (collected != null) {
      collected.append(change.entries);
    }
  }

  /** Makes the audit's file of a day the one that is written. */
  private void begin(LocalDate day) throws IOException, RecordStoreException {
    LocalDate before = live.auditHead.day();
    if (log != null && day.equals(before)) {
      return;
    }
    if (log != null) {
      log.mend();
    }
    if (live.files.get(0) == null) {
      snapshotBytes = Snapshot.write(folder, live, log); // it names the format
    }
    log = RecordFile.create(AuditFolder.file(folder, day));
    live.files.add(log);
    live.auditHead = new AuditHead(live.auditHead.number(), day, live.auditHead.hash());
    removeBefore(before.minusDays(AuditFolder.KEPT_DAYS));
  }

  /**
   * Removes the audit's files from before a day. The day follows from the last entry, not from the
   * clock: one that is years ahead, once, removes nothing.
   */
  private void removeBefore(LocalDate day) throws IOException {
    NavigableSet<LocalDate> old = AuditFolder.days(folder).headSet(day, false);
    if (!old.isEmpty() && snapshot()) {
      for (LocalDate past : old) {
        Files.deleteIfExists(AuditFolder.file(folder, past));
      }
    }
  }

  private boolean snapshot() {
    logged = 0;
    try {
      snapshotBytes = Snapshot.write(folder, live, log);
      snapshotFault.ended();
      return true;
    } catch (IOException | RecordStoreException e) {
      snapshotFault.noticed(e.toString());
      return false;
    }
  }
}
