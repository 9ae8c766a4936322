package dev.weir.proxy.tls;

import java.nio.file.Path;
import java.util.List;

/**
 * The files of a certificate and its key.
 *
 * @param chain the certificate, followed by the intermediate certificates.
 * @param key its private key; may be the same file.
 * @param passphrase the file with the key's passphrase; null if the key is not encrypted.
 */
public record CertificateFiles(Path chain, Path key, Path passphrase) {
  /** All of them. */
  List<Path> all() {
    return passphrase == null ? List.of(chain, key) : List.of(chain, key, passphrase);
  }
}
