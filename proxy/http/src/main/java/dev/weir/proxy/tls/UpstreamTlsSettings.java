package dev.weir.proxy.tls;

import java.nio.file.Path;

/**
 * How the service is spoken to by TLS.
 *
 * @param authorities the file of the certificates that vouch for it; null for those that the JDK
 *     trusts.
 * @param certificate what it is shown; null for nothing.
 * @param serverName what it is asked for and verified by; null for the name in its URL.
 * @param insecureSkipVerify whether any certificate is taken, for any name.
 */
public record UpstreamTlsSettings(
    Path authorities,
    CertificateFiles certificate,
    String serverName,
    boolean insecureSkipVerify) {}
