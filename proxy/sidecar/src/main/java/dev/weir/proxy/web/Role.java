package dev.weir.proxy.web;

import java.util.Locale;

/** Who may do what at the admin port; each may do all that those before it may. */
public enum Role {
  /** Sees rules, users and figures; of identities a hash only. */
  VIEWER,

  /** Changes rules and users. */
  EDITOR,

  /** Exports the audit, imports users, has files read again. */
  ADMIN;

  /** Whether a caller of this role may do what asks for another. */
  public boolean may(Role needed) {
    return compareTo(needed) >= 0;
  }

  /** Its name in files and answers. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
