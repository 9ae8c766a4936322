/**
 * TLS on both sides: certificates and keys from files, what a server shows to whom, what a
 * certificate says of a client, and how the service is verified. Nothing here knows HTTP.
 */
package dev.weir.proxy.tls;
