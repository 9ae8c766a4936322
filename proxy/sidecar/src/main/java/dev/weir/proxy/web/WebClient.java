package dev.weir.proxy.web;

import dev.weir.proxy.request.CertificateNames;
import java.net.InetAddress;

/**
 * The other end of a connection to the web server.
 *
 * @param address null for a Unix-domain socket.
 * @param certificate the names in the verified certificate that it has shown; null for none.
 */
public record WebClient(InetAddress address, CertificateNames certificate) {}
