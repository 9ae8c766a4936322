package dev.weir.proxy.tls;

import java.nio.file.Path;

/**
 * The TLS settings towards the service.
 *
 * @param authorities file of the authorities for its certificate; null for those that the JDK
 *     trusts.
 * @param certificate to show; null for none.
 * @param serverName for SNI and verification; null for the name in its URL.
 * @param insecureSkipVerify whether any certificate is accepted, for any name.
 */
public record UpstreamTlsSettings(
    Path authorities,
    CertificateFiles certificate,
    String serverName,
    boolean insecureSkipVerify) {}
