package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordStore;
import dev.weir.proxy.records.RecordVersion;
import java.time.Duration;
import java.util.concurrent.CompletionStage;

/** A sidecar's knowledge of rules that are kept in records. Any thread; nothing here waits. */
public interface RecordsInUse {
  /** The store of the records; its own calls wait. */
  RecordStore store();

  /** The set by which this sidecar decides; if none is present, the rules of its file do. */
  RecordSet rules();

  /** Why the set in the store is not in use here; null if it is. */
  RecordSetFault fault();

  /** Reads a set as this sidecar would take it now. */
  RecordedRules.Reading compile(RecordSet set);

  /** Reads a document that is a whole set as this sidecar would take it now. */
  RecordedRules.Reading compile(byte[] document);

  /**
   * Counts the sidecars that follow a version of the rules, or a later one.
   *
   * @param wait how long to wait until all do.
   * @return completes with null if the store does not tell.
   */
  CompletionStage<Adoption> adoption(RecordVersion version, Duration wait);
}
