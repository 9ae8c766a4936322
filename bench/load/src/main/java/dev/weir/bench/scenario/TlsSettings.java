package dev.weir.bench.scenario;

import java.nio.file.Path;

/**
 * How targets of {@code https} are spoken to.
 *
 * @param authorities a file of certificates to trust, PEM; null for those of the system.
 * @param insecure whether any certificate of the target's is taken.
 * @param resumes whether a connection goes on with the TLS session of one before, where the target
 *     offers that.
 */
public record TlsSettings(Path authorities, boolean insecure, boolean resumes) {
  /** What a browser does. */
  public static final TlsSettings USUAL = new TlsSettings(null, false, true);
}
