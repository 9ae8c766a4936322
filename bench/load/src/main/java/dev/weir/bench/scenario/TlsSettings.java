package dev.weir.bench.scenario;

import java.nio.file.Path;
import java.util.List;

/**
 * How targets of {@code https} are spoken to.
 *
 * @param authorities a file of certificates to trust, PEM; null for those of the system.
 * @param insecure whether any certificate of the target's is taken.
 * @param resumes whether a connection goes on with the TLS session of one before, where the target
 *     offers that.
 * @param groups of key agreement that are offered, with the names of RFC 8446, the one that is
 *     liked best first; none for those that the library offers. The JDK's offers its own.
 */
public record TlsSettings(
    Path authorities, boolean insecure, boolean resumes, List<String> groups) {
  /** The settings of a browser. */
  public static final TlsSettings USUAL = new TlsSettings(null, false, true);

  /** Offers the groups that the library does. */
  public TlsSettings(Path authorities, boolean insecure, boolean resumes) {
    this(authorities, insecure, resumes, List.of());
  }
}
