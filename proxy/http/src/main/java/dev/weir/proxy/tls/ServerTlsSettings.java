package dev.weir.proxy.tls;

import java.nio.file.Path;
import java.util.List;

/**
 * How a listener speaks TLS.
 *
 * @param certificates one or more; the first is shown to who asks for a name that none has.
 * @param clientAuthorities the file of the certificates that vouch for clients; null for none.
 * @param clientCertificate not {@link ClientCertificate#OFF} only with authorities.
 */
public record ServerTlsSettings(
    List<CertificateFiles> certificates,
    Path clientAuthorities,
    ClientCertificate clientCertificate) {
  public ServerTlsSettings {
    certificates = List.copyOf(certificates);
  }
}
