package dev.weir.proxy.tls;

import dev.weir.proxy.watch.SmallFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The content of a file of PEM blocks (RFC 7468). Text between blocks is ignored. A bundle of all
 * public authorities has a quarter of the bound on files.
 */
final class PemFile {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----(.*?)-----END \\1-----", Pattern.DOTALL);

  /**
   * One block.
   *
   * @param label such as {@code CERTIFICATE}.
   * @param der null if the block is no base64, as one with fields in front of it (RFC 1421) is not.
   */
  record Block(String label, byte[] der) {}

  private final Path path;
  private final List<Block> blocks = new ArrayList<>();

  private PemFile(Path path, byte[] content) {
    this.path = path;
    Matcher matcher = BLOCK.matcher(new String(content, StandardCharsets.ISO_8859_1));
    while (matcher.find()) {
      blocks.add(new Block(matcher.group(1), decoded(matcher.group(2))));
    }
  }

  private static byte[] decoded(String base64) {
    try {
      return Base64.getDecoder().decode(base64.replaceAll("\\s", ""));
    } catch (IllegalArgumentException malformed) {
      return null;
    }
  }

  static PemFile read(Path path) throws TlsFault {
    return new PemFile(path, content(path));
  }

  /** The bytes of a file, whatever they are. */
  static byte[] content(Path path) throws TlsFault {
    try {
      return SmallFile.read(path, "a file");
    } catch (IOException unreadable) {
      throw new TlsFault(path + ": " + unreadable.getMessage());
    }
  }

  Path path() {
    return path;
  }

  List<Block> blocks() {
    return blocks;
  }

  /** The certificates, in the order of the file; at least one. */
  List<X509Certificate> certificates() throws TlsFault {
    List<X509Certificate> certificates = new ArrayList<>();
    for (Block block : blocks) {
      if (block.label().endsWith("CERTIFICATE")) {
        certificates.add(certificate(block, certificates.size() + 1));
      }
    }
    if (certificates.isEmpty()) {
      throw new TlsFault(path, "no certificate in it", "PEM: -----BEGIN CERTIFICATE-----");
    }
    return certificates;
  }

  private X509Certificate certificate(Block block, int number) throws TlsFault {
    try {
      if (block.der() != null) {
        return (X509Certificate)
            CertificateFactory.getInstance("X.509")
                .generateCertificate(new ByteArrayInputStream(block.der()));
      }
    } catch (CertificateException malformed) {
      // Told below.
    }
    throw new TlsFault(path, "certificate " + number + " in it is damaged", "X.509 in base64");
  }
}
