package dev.weir.proxy.api;

import dev.weir.proxy.web.Role;
import java.time.Instant;

/**
 * A line of the file that says who may call the API: by a token, or by a certificate.
 *
 * @param name by which the audit calls whoever has it.
 * @param sha256 of the token; null if it is a certificate.
 * @param certificate a key of certificates and its value, such as {@code tls:cn=ann}; null if it is
 *     a token.
 * @param until when it ends; {@link Instant#MAX} for never.
 */
record ApiToken(String name, Role role, byte[] sha256, String certificate, Instant until) {
  /** Whether it has not ended yet. */
  boolean holds(Instant at) {
    return at.isBefore(until);
  }
}
