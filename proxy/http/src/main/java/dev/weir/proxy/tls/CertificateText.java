package dev.weir.proxy.tls;

import dev.weir.proxy.request.CertificateNames;
import java.nio.charset.StandardCharsets;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import javax.naming.InvalidNameException;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;

/** The names that stand in a certificate (RFC 5280, section 4.2.1.6, and its subject). */
final class CertificateText {
  private static final int MAIL = 1;
  private static final int DNS = 2;
  private static final int URI = 6;
  private static final int IP = 7;

  /** The longest SPIFFE ID, in bytes (SPIFFE-ID, section 2.3). */
  private static final int MAX_SPIFFE_BYTES = 2048;

  private static final String SPIFFE = "spiffe://";

  private CertificateText() {}

  static CertificateNames ofClient(X509Certificate certificate) {
    String san = null;
    String uri = null;
    int uriCount = 0;
    for (List<?> name : alternativeNames(certificate)) {
      int type = (Integer) name.get(0);
      if (san == null && (type == MAIL || type == DNS || type == URI || type == IP)) {
        san = (String) name.get(1);
      }
      if (type == URI) {
        uri = (String) name.get(1);
        uriCount++;
      }
    }
    // With two URIs it is nobody's identity (X509-SVID, section 2).
    boolean isSpiffe =
        uriCount == 1
            && uri.length() > SPIFFE.length()
            && uri.regionMatches(true, 0, SPIFFE, 0, SPIFFE.length())
            && uri.length() <= MAX_SPIFFE_BYTES;
    return new CertificateNames(
        bytes(san), bytes(isSpiffe ? uri : null), bytes(commonName(certificate)));
  }

  private static byte[] bytes(String text) {
    return text == null || text.isEmpty() ? null : text.getBytes(StandardCharsets.UTF_8);
  }

  /** The DNS names of a server's certificate in lower case; its common name where it has none. */
  static List<String> serverNames(X509Certificate certificate) {
    List<String> names = new ArrayList<>();
    for (List<?> name : alternativeNames(certificate)) {
      if ((Integer) name.get(0) == DNS) {
        names.add(((String) name.get(1)).toLowerCase(Locale.ROOT));
      }
    }
    String commonName = commonName(certificate);
    if (names.isEmpty() && commonName != null) {
      names.add(commonName.toLowerCase(Locale.ROOT));
    }
    return names;
  }

  private static Collection<List<?>> alternativeNames(X509Certificate certificate) {
    try {
      Collection<List<?>> names = certificate.getSubjectAlternativeNames();
      return names == null ? List.of() : names;
    } catch (CertificateParsingException malformed) {
      return List.of();
    }
  }

  /** The most specific common name of the subject; null if it has none. */
  private static String commonName(X509Certificate certificate) {
    try {
      List<Rdn> parts = new LdapName(certificate.getSubjectX500Principal().getName()).getRdns();
      for (int i = parts.size() - 1; i >= 0; i--) {
        if (parts.get(i).getType().equalsIgnoreCase("CN")
            && parts.get(i).getValue() instanceof String text) {
          return text;
        }
      }
    } catch (InvalidNameException malformed) {
      return null;
    }
    return null;
  }
}
