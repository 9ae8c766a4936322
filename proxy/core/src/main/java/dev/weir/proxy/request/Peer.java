package dev.weir.proxy.request;

import java.nio.charset.StandardCharsets;

/**
 * The other end of a client's connection, with what holds for all of its requests. Made once per
 * connection; immutable.
 */
public final class Peer {
  /** A peer without an address of its own, not trusted, without TLS. */
  public static final Peer LOOPBACK = new Peer(IpAddress.LOOPBACK, false);

  private final IpAddress address;
  private final byte[] text;
  private final boolean trusted;
  private final boolean secure;
  private final CertificateNames certificate;

  /**
   * A peer without TLS.
   *
   * @param trusted whether it is a trusted proxy.
   */
  public Peer(IpAddress address, boolean trusted) {
    this(address, address.toString().getBytes(StandardCharsets.US_ASCII), trusted, false, null);
  }

  private Peer(
      IpAddress address,
      byte[] text,
      boolean trusted,
      boolean secure,
      CertificateNames certificate) {
    this.address = address;
    this.text = text;
    this.trusted = trusted;
    this.secure = secure;
    this.certificate = certificate;
  }

  /**
   * This peer after its TLS handshake.
   *
   * @param names in its verified certificate; null if it has shown none.
   */
  public Peer secured(CertificateNames names) {
    return new Peer(address, text, trusted, true, names);
  }

  public IpAddress address() {
    return address;
  }

  /** The address in ASCII. Not to be changed. */
  public byte[] text() {
    return text;
  }

  /** Whether the peer is a trusted proxy, whose fields name its clients. */
  public boolean trusted() {
    return trusted;
  }

  /** Whether the connection uses TLS: the scheme of its requests is {@code https}. */
  public boolean secure() {
    return secure;
  }

  /** The names in the peer's certificate; null if it has shown none. */
  public CertificateNames certificate() {
    return certificate;
  }
}
