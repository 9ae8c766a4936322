package dev.weir.proxy.wiring;

import dev.weir.proxy.control.RecordSetFault;
import dev.weir.proxy.control.RecordedFault;
import dev.weir.proxy.control.RecordedRules;
import dev.weir.proxy.control.RecordedRules.Reading;
import dev.weir.proxy.control.RuleChoice;
import dev.weir.proxy.log.Incident;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordStoreException;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RulesCopy;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the recorded rules into use as they change. A set that cannot be taken leaves the one before
 * in use, and so does a store that has lost its sets: only a deletion brings the rules of the file
 * back. One thread follows; any thread may look.
 */
final class RecordedRulesFollower {
  private static final Logger LOG = LoggerFactory.getLogger(RecordedRulesFollower.class);

  private static final RecordSetFault LOST =
      new RecordSetFault(
          RecordVersion.NONE,
          List.of(
              new RecordedFault(
                  new RecordName(Kind.PART, ""),
                  "",
                  "",
                  0,
                  "the store has no set of rules any more",
                  "weir rules push, or the store's own copy of its data")));

  private final RecordStore store;
  private final RecordedRules reader;
  private final RuleChoice rules;

  /** Null if none is kept. */
  private final RulesCopy copy;

  private final LongAdder taken = new LongAdder();
  private final LongAdder rejected = new LongAdder();
  private volatile RecordSet inUse = RecordSet.NONE;
  private volatile RecordSetFault fault;

  private final Incident unread =
      new Incident(
          LOG,
          "records: reading the rules",
          "the last good ones stay",
          "read again",
          Incident.Ends.BY_WORD);

  private final Incident uncopied =
      new Incident(
          LOG,
          "records: the copy of the rules",
          "a start while the store is away decides by an older copy, or by the file",
          "written again",
          Incident.Ends.BY_WORD);

  /**
   * @param copy null to keep none.
   */
  RecordedRulesFollower(RecordStore store, RecordedRules reader, RuleChoice rules, RulesCopy copy) {
    this.store = store;
    this.reader = reader;
    this.rules = rules;
    this.copy = copy;
  }

  /** Decides by the copy, until the store has told more. */
  void useCopy() {
    if (copy == null) {
      return;
    }
    RecordSet set;
    try {
      set = copy.load();
    } catch (IOException damaged) {
      LOG.warn("records: the copy of the rules is not used: {}", damaged.getMessage());
      return;
    }
    if (set != null && set.isPresent()) {
      use(set, "the copy of rules");
    } else if (set != null) {
      inUse = set; // deleted, as the store knows
    }
  }

  /**
   * Reads the rules in the store, and puts them into use if they have changed.
   *
   * @return false if they could not be read, and are to be read again.
   */
  boolean follow() {
    RecordSet set;
    try {
      set = store.rules();
    } catch (RecordStoreException away) {
      unread.noticed(away.getMessage());
      return false;
    }
    unread.ended();
    if (set.head().equals(RecordVersion.NONE)) {
      lose();
    } else if (set.head().equals(inUse.head()) && set.damaged().isEmpty()) {
      agree();
    } else {
      take(set);
    }
    return true;
  }

  /** The store never had a set, or has lost it. */
  private void lose() {
    if (!inUse.isPresent()) {
      inUse = RecordSet.NONE; // or only knew of its deletion
      agree();
    } else if (fault != LOST) {
      LOG.warn("records: {}; {} stay", told(LOST.faults()), named());
      refuse(LOST);
    }
  }

  /** The set in the store is the one in use. */
  private void agree() {
    fault = null;
    store.use(inUse.head(), null);
  }

  private void take(RecordSet set) {
    if (set.isPresent()) {
      if (use(set, "rules")) {
        save(set);
      }
      return;
    }
    List<RecordedFault> faults = rules.returnToFile();
    if (faults.isEmpty()) {
      inUse = set;
      taken.increment();
      agree();
      LOG.info(
          "records: the rules were deleted with version {}: {} of the file in use",
          set.head(),
          rules.rules().rules().size());
      save(set);
    } else {
      reject(set, faults);
    }
  }

  private boolean use(RecordSet set, String what) {
    Reading reading = rules.useRecorded(set, reader);
    if (reading.rules() == null) {
      reject(set, reading.faults());
      return false;
    }
    reading.warnings().forEach(warning -> LOG.warn("records: {}", warning));
    inUse = set;
    taken.increment();
    agree();
    LOG.info(
        "records: {} of version {} taken: {} in use",
        what,
        set.head(),
        rules.rules().rules().size());
    return true;
  }

  private void reject(RecordSet set, List<RecordedFault> faults) {
    RecordSetFault found = new RecordSetFault(set.head(), faults);
    if (found.equals(fault)) {
      return;
    }
    rejected.increment();
    LOG.error(
        "records: rules of version {} not taken, {} stay:\n{}", set.head(), named(), told(faults));
    refuse(found);
  }

  private void refuse(RecordSetFault found) {
    fault = found;
    store.use(inUse.head(), found.version());
  }

  /** The rules that decide, as the log calls them. */
  String named() {
    return inUse.isPresent() ? "those of version " + inUse.head() : "those of the file";
  }

  private static String told(List<RecordedFault> faults) {
    return faults.stream().map(RecordedFault::toString).collect(Collectors.joining("\n"));
  }

  private void save(RecordSet set) {
    if (copy == null) {
      return;
    }
    try {
      copy.save(set);
      uncopied.ended();
    } catch (IOException full) {
      uncopied.noticed(String.valueOf(full));
    }
  }

  /** The set by which this sidecar decides; if none is present, its file does. */
  RecordSet inUse() {
    return inUse;
  }

  /** Why the set in the store is not in use; null if it is. */
  RecordSetFault fault() {
    return fault;
  }

  /** How often rules were put into use. */
  long takenCount() {
    return taken.sum();
  }

  /** How often rules could not be put into use. */
  long rejectedCount() {
    return rejected.sum();
  }
}
