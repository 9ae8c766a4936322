package dev.weir.proxy.tls;

import io.netty.handler.ssl.OpenSslSessionContext;
import io.netty.handler.ssl.SslContext;
import io.netty.util.ReferenceCountUtil;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLException;

/**
 * All certificates of a listener as they were read together, each with its context, found by the
 * name that a client asks for: that name, else a wildcard for its first label, else the first
 * certificate. Of two certificates with one name the earlier one is shown.
 */
final class ServerCertificates {
  private final List<SslContext> contexts = new ArrayList<>();
  private final List<TicketKeys> ticketKeys = new ArrayList<>();
  private final Map<String, SslContext> byName = new HashMap<>();
  private final StringBuilder text = new StringBuilder();
  private Instant expiry = Instant.MAX;

  /**
   * Reads all files.
   *
   * @throws TlsFault that tells all that cannot be used.
   */
  ServerCertificates(ServerTlsSettings settings, List<String> protocols, Instant now)
      throws TlsFault {
    List<String> faults = new ArrayList<>();
    List<X509Certificate> authorities = List.of();
    if (settings.clientAuthorities() != null) {
      try {
        authorities = PemFile.read(settings.clientAuthorities()).certificates();
      } catch (TlsFault fault) {
        faults.add(fault.getMessage());
      }
    }
    List<KeyedCertificate> read = new ArrayList<>();
    for (CertificateFiles files : settings.certificates()) {
      try {
        read.add(KeyedCertificate.read(files, now));
      } catch (TlsFault fault) {
        faults.add(fault.getMessage());
      }
    }
    if (!faults.isEmpty()) {
      throw new TlsFault(String.join("\n", faults));
    }
    for (int i = 0; i < read.size(); i++) {
      Path file = settings.certificates().get(i).chain();
      try {
        add(
            read.get(i),
            TlsContexts.server(read.get(i), protocols, settings.clientCertificate(), authorities));
      } catch (SSLException | IllegalArgumentException refused) {
        release();
        throw new TlsFault(file, String.valueOf(refused.getMessage()), "a certificate for servers");
      }
    }
  }

  private void add(KeyedCertificate certificate, SslContext context) {
    contexts.add(context);
    if (context.sessionContext() instanceof OpenSslSessionContext sessions) {
      ticketKeys.add(new TicketKeys(sessions, System.nanoTime()));
    }
    certificate.names().forEach(name -> byName.putIfAbsent(name, context));
    Instant until = certificate.expiry().toInstant();
    expiry = until.isBefore(expiry) ? until : expiry;
    text.append(text.isEmpty() ? "" : "; ")
        .append(certificate.names())
        .append(" until ")
        .append(until);
  }

  /**
   * The context of the certificate for a name.
   *
   * @param name in lower case; null if the client asks for none.
   */
  SslContext find(String name) {
    if (name == null || contexts.size() == 1) {
      return contexts.get(0);
    }
    SslContext found = byName.get(name);
    if (found == null) {
      int dot = name.indexOf('.');
      found = dot < 0 ? null : byName.get("*" + name.substring(dot));
    }
    return found == null ? contexts.get(0) : found;
  }

  /** Whether a client's name can make a difference. */
  boolean areSeveral() {
    return contexts.size() > 1;
  }

  /** When the first of them expires. */
  Instant expiry() {
    return expiry;
  }

  /** Changes the keys of tickets that are old enough. Not once it is released. */
  void pass(long nowNs) {
    ticketKeys.forEach(keys -> keys.pass(nowNs));
  }

  /** Connections that use a context keep it until they end. */
  void release() {
    contexts.forEach(ReferenceCountUtil::release);
  }

  /** The names in each certificate, and until when it is valid. */
  @Override
  public String toString() {
    return text.toString();
  }
}
