package dev.weir.proxy.wiring;

import dev.weir.proxy.api.ReloadedFiles;
import dev.weir.proxy.control.RuleReload;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.watch.Reloads;
import java.util.ArrayList;
import java.util.List;

/**
 * The files of a sidecar that it reads again on SIGHUP, and when an operator asks for it. Any
 * thread, once all are known.
 */
final class SidecarFiles {
  private final List<Kind> kinds = new ArrayList<>();

  /** Null if the settings are flags. */
  private volatile RuleReload settings;

  private record Kind(String what, Reloads reloads, Runnable reload) {}

  /**
   * Adds files of one kind.
   *
   * @param what they hold, as an operator says it.
   */
  void add(String what, Reloads reloads, Runnable reload) {
    kinds.add(new Kind(what, reloads, reload));
  }

  void follow(RuleReload file) {
    settings = file;
  }

  boolean isEmpty() {
    return settings == null && kinds.isEmpty();
  }

  /** The rules of the settings file; null if there is none. */
  RecordSet rules() {
    RuleReload file = settings;
    return file == null ? null : file.records();
  }

  /** Reads all files again, changed or not, one thread at a time. */
  synchronized ReloadedFiles reload() {
    RuleReload file = settings;
    ReloadedFiles reloaded =
        file == null
            ? new ReloadedFiles(List.of(), List.of())
            : new ReloadedFiles(file.reloadAndTell(), file.waitingForRestart());
    if (file != null) {
      reloaded.add("settings", reloaded.faults().isEmpty());
    }
    for (Kind kind : kinds) {
      kind.reload.run();
      reloaded.add(kind.what, kind.reloads.isLastTaken());
    }
    return reloaded;
  }
}
