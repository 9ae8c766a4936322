package dev.weir.proxy.cli.api;

import java.util.HashMap;
import java.util.Map;

/** Entries of the audit, the newest first, page by page. */
final class AuditPages {
  private static final int PAGE = 1_000;

  private final Api api;
  private final Map<String, String> asked;

  /**
   * @param asked parameters by name, such as from and author; null asks for all.
   */
  AuditPages(Api api, Map<String, String> asked) {
    this.api = api;
    this.asked = new HashMap<>(asked);
  }

  /** Entries of rules alone. */
  static AuditPages ofRules(Api api) {
    return new AuditPages(api, Map.of("kind", "rules"));
  }

  /** Takes an entry. */
  interface Taker {
    /** Whether it wants another one. */
    boolean take(Map<?, ?> entry) throws ApiFault;
  }

  /** Passes entries on until there are no more, or the taker has enough. */
  void forEach(Taker taker) throws ApiFault {
    Object after = null;
    do {
      Api.Call call = api.get("/audit").with("most", PAGE).with("after", after);
      asked.forEach(call::with);
      Map<String, Object> page = call.sendPatiently().object();
      for (Map<?, ?> entry : ApiCommand.rows(page, "entries")) {
        if (!taker.take(entry)) {
          return;
        }
      }
      after = page.get("next");
    } while (after != null);
  }
}
