package dev.weir.proxy.tls;

import io.netty.pkitesting.CertificateBuilder;
import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;

/** Certificates for tests: an authority, what it vouches for, and their files. */
public final class TestCertificates {
  private static final String ALTERNATIVE_NAMES = "2.5.29.17";
  private static final Instant NOW = Instant.now();

  /** Vouches for servers and clients. */
  public static final X509Bundle AUTHORITY = authority("CN=Weir test authority");

  /** Vouches for others. */
  public static final X509Bundle OTHER_AUTHORITY = authority("CN=Another authority");

  private TestCertificates() {}

  private static X509Bundle authority(String subject) {
    try {
      return builder(subject).setIsCertificateAuthority(true).buildSelfSigned();
    } catch (Exception unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  /** Begins a certificate that is valid for an hour on either side. */
  public static CertificateBuilder builder(String subject) {
    return new CertificateBuilder()
        .ecp256()
        .subject(subject)
        .notBefore(NOW.minus(Duration.ofHours(1)))
        .notAfter(NOW.plus(Duration.ofHours(1)));
  }

  /** A server's certificate for some names. */
  public static X509Bundle server(String... names) {
    List<GeneralName> alternatives = new ArrayList<>();
    for (String name : names) {
      alternatives.add(new GeneralName(GeneralName.dNSName, name));
    }
    alternatives.add(new GeneralName(GeneralName.iPAddress, "127.0.0.1"));
    try {
      byte[] der =
          new GeneralNames(alternatives.toArray(GeneralName[]::new)).getEncoded(ASN1Encoding.DER);
      // Its own way of adding a name takes no wildcard.
      return issued(
          builder("CN=" + names[0]).addExtensionOctetString(ALTERNATIVE_NAMES, false, der));
    } catch (IOException unexpected) {
      throw new UncheckedIOException(unexpected);
    }
  }

  /** A client's certificate. */
  public static X509Bundle client(String commonName, String uri) {
    try {
      return issued(builder("CN=" + commonName + ",O=Weir").addSanUriName(uri));
    } catch (java.net.URISyntaxException malformed) {
      throw new IllegalArgumentException(malformed);
    }
  }

  public static X509Bundle issued(CertificateBuilder builder) {
    try {
      return builder.buildIssuedBy(AUTHORITY);
    } catch (Exception unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  /** Writes {@code name.crt} and {@code name.key}. */
  public static CertificateFiles write(Path directory, String name, X509Bundle bundle) {
    return new CertificateFiles(
        write(directory.resolve(name + ".crt"), pem(bundle.getCertificate())),
        write(
            directory.resolve(name + ".key"),
            pem("PRIVATE KEY", bundle.getKeyPair().getPrivate().getEncoded())),
        null);
  }

  /** Writes the certificate of an authority. */
  public static Path writeAuthority(Path directory, String name, X509Bundle authority) {
    return write(directory.resolve(name), pem(authority.getCertificate()));
  }

  public static String pem(X509Certificate certificate) {
    try {
      return pem("CERTIFICATE", certificate.getEncoded());
    } catch (java.security.cert.CertificateEncodingException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  public static String pem(String label, byte[] der) {
    return "-----BEGIN "
        + label
        + "-----\n"
        + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der)
        + "\n-----END "
        + label
        + "-----\n";
  }

  public static Path write(Path file, String text) {
    try {
      return Files.writeString(file, text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
