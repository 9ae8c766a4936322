package dev.weir.proxy.api;

import dev.weir.proxy.control.RecordedFault;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The files of a sidecar as they were read again, and whether each kind of them is in use. */
public final class ReloadedFiles {
  private final List<RecordedFault> faults;
  private final List<String> waiting;
  private final Map<String, Boolean> kinds = new LinkedHashMap<>();

  /**
   * @param faults of the settings file.
   * @param waiting the settings that are in use only after a restart.
   */
  public ReloadedFiles(List<RecordedFault> faults, List<String> waiting) {
    this.faults = List.copyOf(faults);
    this.waiting = List.copyOf(waiting);
  }

  /** Adds files of one kind. */
  public void add(String what, boolean isInUse) {
    kinds.put(what, isInUse);
  }

  /** Faults of the settings file; none if there is none. */
  public List<RecordedFault> faults() {
    return faults;
  }

  /** Settings that are in use only after a restart. */
  List<String> waiting() {
    return waiting;
  }

  /** A flag for each kind of files: whether they are in use as they were read last. */
  Map<String, Boolean> kinds() {
    return kinds;
  }
}
