package dev.weir.proxy.tls;

import java.util.Locale;

/** Whether clients have to show a certificate. */
public enum ClientCertificate {
  /** It is not asked for. */
  OFF,
  /** It is asked for; who has none is let in, who has one that does not hold is not. */
  OPTIONAL,
  /** Who has none is not let in. */
  REQUIRED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
