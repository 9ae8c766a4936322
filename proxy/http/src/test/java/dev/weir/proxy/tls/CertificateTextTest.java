package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import dev.weir.proxy.request.CertificateNames;
import io.netty.pkitesting.CertificateBuilder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

class CertificateTextTest {
  private static CertificateNames names(CertificateBuilder builder) {
    return CertificateText.ofClient(TestCertificates.issued(builder).getCertificate());
  }

  private static String text(byte[] name) {
    return name == null ? null : new String(name, StandardCharsets.UTF_8);
  }

  @Test
  void readsTheNamesOfAClient() throws Exception {
    CertificateNames names =
        names(
            TestCertificates.builder("CN=Jürgen\\, A.,OU=x,CN=group")
                .addSanDirectoryName("CN=not this")
                .addSanUriName("spiffe://example.org/a")
                .addSanDnsName("a.example"));
    assertEquals("spiffe://example.org/a", text(names.san()));
    assertEquals("spiffe://example.org/a", text(names.spiffe()));
    assertEquals("Jürgen, A.", text(names.cn()));
  }

  @Test
  void takesTheFirstAlternativeNameForSan() {
    assertEquals(
        "a.example",
        text(
            names(
                    TestCertificates.builder("O=x")
                        .addSanDnsName("a.example")
                        .addSanRfc822Name("b@example"))
                .san()));
    assertEquals(
        "10.0.0.1", text(names(TestCertificates.builder("O=x").addSanIpAddress("10.0.0.1")).san()));
  }

  @Test
  void takesNoUriForASpiffeIdThatIsNone() throws Exception {
    assertNull(
        names(
                TestCertificates.builder("O=x")
                    .addSanUriName("spiffe://example.org/a")
                    .addSanUriName("spiffe://example.org/b"))
            .spiffe());
    assertNull(names(TestCertificates.builder("O=x").addSanUriName("https://a/b")).spiffe());
    assertNull(names(TestCertificates.builder("O=x").addSanDnsName("spiffe")).spiffe());
  }

  @Test
  void namesNobodyWhereNothingIsNamed() {
    CertificateNames names = names(TestCertificates.builder("O=x"));
    assertNull(names.san());
    assertNull(names.spiffe());
    assertNull(names.cn());
  }

  @Test
  void readsTheNamesOfAServer() {
    assertEquals(
        List.of("a.example", "*.b.example"),
        CertificateText.serverNames(
            TestCertificates.server("A.example", "*.b.example").getCertificate()));
    assertEquals(
        List.of("c.example"),
        CertificateText.serverNames(
            TestCertificates.issued(TestCertificates.builder("CN=C.example")).getCertificate()));
  }
}
