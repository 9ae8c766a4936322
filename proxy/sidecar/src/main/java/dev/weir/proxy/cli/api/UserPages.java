package dev.weir.proxy.cli.api;

import java.util.Map;

/** All users of the directory that are asked for, page by page. */
final class UserPages {
  private static final int PAGE = 1_000;

  private final Api api;
  private final String tier;
  private final String has;

  /**
   * @param tier null for any.
   * @param has null for any.
   */
  UserPages(Api api, String tier, String has) {
    this.api = api;
    this.tier = tier;
    this.has = has;
  }

  /** Takes a user as the API tells of it. */
  interface Taker {
    /** Whether it wants another one. */
    boolean take(Map<?, ?> user) throws ApiFault;
  }

  /** Passes users on until there are no more, or the taker has enough. */
  void forEach(Taker taker) throws ApiFault {
    Object after = null;
    do {
      Map<String, Object> page =
          api.get("/users")
              .with("tier", tier)
              .with("has", has)
              .with("most", PAGE)
              .with("after", after)
              .sendPatiently()
              .object();
      for (Map<?, ?> user : ApiCommand.rows(page, "users")) {
        if (!taker.take(user)) {
          return;
        }
      }
      after = page.get("next");
    } while (after != null);
  }
}
