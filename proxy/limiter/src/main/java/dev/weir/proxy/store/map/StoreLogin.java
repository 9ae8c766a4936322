package dev.weir.proxy.store.map;

/**
 * The login to a server.
 *
 * @param username of an ACL; null for the default user.
 * @param password empty if there is none.
 */
public record StoreLogin(String username, String password) {
  public static final StoreLogin NONE = new StoreLogin(null, "");

  /** Without the secret. */
  @Override
  public String toString() {
    return username == null ? "default user" : username;
  }
}
