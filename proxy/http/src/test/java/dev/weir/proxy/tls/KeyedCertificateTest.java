package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.watch.SmallFile;
import io.netty.pkitesting.X509Bundle;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KeyedCertificateTest {
  private static final Instant NOW = Instant.now().truncatedTo(ChronoUnit.SECONDS);

  @TempDir private static Path directory;
  private static X509Bundle bundle;
  private static CertificateFiles files;

  @BeforeAll
  static void makeFiles() {
    bundle = TestCertificates.server("a.example", "*.b.example");
    files = TestCertificates.write(directory, "a", bundle);
  }

  @Test
  void readsAPair() throws Exception {
    KeyedCertificate read = KeyedCertificate.read(files, NOW);
    assertEquals(bundle.getCertificate(), read.leaf());
    assertEquals(List.of("a.example", "*.b.example"), read.names());
  }

  @Test
  void readsAPairFromOneFile() throws Exception {
    Path both =
        TestCertificates.write(
            directory.resolve("both.pem"),
            Files.readString(files.key()) + Files.readString(files.chain()));
    assertEquals(
        bundle.getCertificate(),
        KeyedCertificate.read(new CertificateFiles(both, both, null), NOW).leaf());
  }

  @Test
  void tellsTheKeyOfAnotherCertificate() {
    for (boolean isRsa : new boolean[] {false, true}) {
      X509Bundle other =
          TestCertificates.issued(
              isRsa
                  ? TestCertificates.builder("CN=b").rsa2048()
                  : TestCertificates.builder("CN=b"));
      CertificateFiles others = TestCertificates.write(directory, "b", other);
      assertFault(
          new CertificateFiles(files.chain(), others.key(), null),
          others.key()
              + ": is not the key of "
              + files.chain()
              + " (expected: the private key of that certificate)");
    }
  }

  @Test
  void tellsACertificateThatIsNotValidNow() {
    Instant then = NOW.minus(Duration.ofDays(9));
    X509Bundle old =
        TestCertificates.issued(
            TestCertificates.builder("CN=a").notBefore(then).notAfter(NOW.minusSeconds(1)));
    CertificateFiles expired = TestCertificates.write(directory, "expired", old);
    assertFault(
        expired,
        expired.chain()
            + ": expired at "
            + NOW.minusSeconds(1)
            + " (expected: one that is valid now)");
    X509Bundle young =
        TestCertificates.issued(
            TestCertificates.builder("CN=a")
                .notBefore(NOW.plusSeconds(60))
                .notAfter(NOW.plusSeconds(600)));
    CertificateFiles early = TestCertificates.write(directory, "early", young);
    assertFault(
        early,
        early.chain()
            + ": not valid before "
            + NOW.plusSeconds(60)
            + " (expected: one that is valid now)");
  }

  @Test
  void tellsFilesThatHoldNone() throws Exception {
    Path none = directory.resolve("none");
    assertFault(
        new CertificateFiles(none, files.key(), null), none + ": not found (expected: a file)");
    assertFault(
        new CertificateFiles(directory, files.key(), null),
        directory + ": a directory (expected: a file)");
    assertFault(
        new CertificateFiles(files.key(), files.key(), null),
        files.key() + ": no certificate in it (expected: PEM: -----BEGIN CERTIFICATE-----)");
    Path damaged =
        TestCertificates.write(
            directory.resolve("damaged"), TestCertificates.pem("CERTIFICATE", new byte[] {1, 2}));
    assertFault(
        new CertificateFiles(damaged, files.key(), null),
        damaged + ": certificate 1 in it is damaged (expected: X.509 in base64)");
    Path large = Files.write(directory.resolve("large"), new byte[SmallFile.MAX_BYTES + 1]);
    assertTrue(
        assertThrows(TlsFault.class, () -> PemFile.read(large))
            .getMessage()
            .contains("larger than 1MiB"));
  }

  private static void assertFault(CertificateFiles wrong, String message) {
    TlsFault fault = assertThrows(TlsFault.class, () -> KeyedCertificate.read(wrong, NOW));
    assertEquals(message, fault.getMessage());
  }
}
