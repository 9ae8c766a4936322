package dev.weir.proxy.request;

/**
 * The names in a client's certificate, once it has been verified: in ASCII or UTF-8, each null if
 * the certificate has none.
 *
 * @param san the first subject alternative name that is a DNS name, URI, e-mail or IP address.
 * @param spiffe the SPIFFE ID, if the certificate has exactly one URI and it is one.
 * @param cn the common name of the subject, the most specific one.
 */
public record CertificateNames(byte[] san, byte[] spiffe, byte[] cn) {}
