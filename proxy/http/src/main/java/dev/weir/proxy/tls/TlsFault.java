package dev.weir.proxy.tls;

import java.nio.file.Path;

/**
 * A certificate, key or passphrase that cannot be used. The message names the file, says what is
 * wrong with it and what was expected, and has no secret in it.
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
