package dev.weir.proxy.tls;

import java.nio.file.Path;

/**
 * The files of a certificate and its key.
 *
 * @param chain the certificate, followed by the intermediate certificates.
 * @param key its private key; may be the same file.
 * @param passphrase the file with the key's passphrase; null if the key is not encrypted.
 */
public record CertificateFiles(Path chain, Path key, Path passphrase) {}
