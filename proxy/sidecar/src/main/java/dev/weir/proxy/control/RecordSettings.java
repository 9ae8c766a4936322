package dev.weir.proxy.control;

import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/**
 * Where rules and users are kept outside of files of settings.
 *
 * @param folder of files: where the records are. Of Redis: where the last good set of rules is
 *     copied to; null for nowhere.
 * @param auditFile to which entries of the audit are appended for collectors; null for none.
 */
public record RecordSettings(Store store, Path folder, Path auditFile) {
  /** The kind of store that keeps records. */
  public enum Store {
    REDIS,
    FILE;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String STORE = "records.store";
  private static final String FOLDER = "records.folder";
  private static final String AUDIT_FILE = "records.audit-file";

  static final List<SettingRow<SettingValues>> ROWS =
      List.of(
          SettingRow.word(
              STORE,
              null,
              "Where rules and users are kept: redis or file (by default nowhere).",
              Store.values()),
          SettingRow.file(
              FOLDER, "Of the records in files; of Redis, of a copy of the last good rules."),
          SettingRow.file(AUDIT_FILE, "To which changes made here are appended, for collectors."));

  /** Null if nothing is kept. */
  static RecordSettings build(SettingValues values) {
    return values.isGiven(STORE)
        ? new RecordSettings(
            values.get(STORE, Store.class), values.file(FOLDER), values.file(AUDIT_FILE))
        : null;
  }

  /** Reports what does not go together. */
  static void check(SettingValues values, Misfits misfits) {
    if (!values.isGiven(STORE)) {
      for (String name : List.of(FOLDER, AUDIT_FILE)) {
        if (values.isGiven(name) && !misfits.isFaulty(STORE)) {
          misfits.add(name, values.file(name).toString(), STORE + " too");
        }
      }
      return;
    }
    Store store = values.get(STORE, Store.class);
    String needed =
        store == Store.FILE
            ? (values.isGiven(FOLDER) ? null : FOLDER)
            : !values.isGiven("redis.nodes")
                ? "redis.nodes"
                : values.isGiven("service") ? null : "service";
    if (needed != null && !misfits.isFaulty(needed)) {
      misfits.add(STORE, store.toString(), needed + " too");
    }
  }
}
