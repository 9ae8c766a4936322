package dev.weir.proxy.tls;

import java.nio.file.Path;

/**
 * A certificate, key or passphrase that cannot be used. The message names the file, what is wrong
 * and what was expected, and contains no secret.
 */
public final class TlsFault extends Exception {
  private static final long serialVersionUID = 1;

  TlsFault(Path file, String problem, String expected) {
    super(file + ": " + problem + " (expected: " + expected + ")");
  }

  TlsFault(String message) {
    super(message);
  }
}
