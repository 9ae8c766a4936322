/**
 * TLS on both sides: certificates and keys from files, choosing a certificate for a client, the
 * names in a client's certificate, and verifying the service. Nothing here knows HTTP.
 */
package dev.weir.proxy.tls;
