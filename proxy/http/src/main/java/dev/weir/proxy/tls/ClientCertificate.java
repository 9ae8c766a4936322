package dev.weir.proxy.tls;

import java.util.Locale;

/** Whether clients have to show a certificate. */
public enum ClientCertificate {
  /** A certificate is not asked for. */
  OFF,
  /** A certificate is asked for; a client without one is let in, one whose does not hold is not. */
  OPTIONAL,
  /** A client without a certificate is not let in. */
  REQUIRED;

  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
