package dev.weir.proxy.token;

import java.net.URI;
import java.nio.file.Path;

/**
 * The settings of tokens.
 *
 * @param file of the key set (RFC 7517, section 5); null if there is none.
 * @param url of the key set; null if there is none.
 * @param issuer whose tokens are accepted; null for any.
 * @param audience which a token must be for; null for any.
 */
public record TokenSettings(Path file, URI url, String issuer, String audience) {
  /** No tokens are read. */
  public static final TokenSettings NONE = new TokenSettings(null, null, null, null);

  /** Whether there are keys that verify tokens. */
  public boolean isConfigured() {
    return file != null || url != null;
  }
}
