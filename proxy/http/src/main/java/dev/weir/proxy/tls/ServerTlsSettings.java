package dev.weir.proxy.tls;

import java.nio.file.Path;
import java.util.List;

/**
 * The TLS settings of a listener.
 *
 * @param certificates one or more; the first is used if no other has the name that the client asks
 *     for.
 * @param clientAuthorities file of the authorities for clients' certificates; null for none.
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
