package dev.weir.proxy.tls;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketAddress;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedKeyManager;

/** Connects with the JDK's TLS, and resumes its sessions as a client does. */
public final class TlsClient {
  private static final int TIMEOUT_MS = 60_000;

  private final SSLContext context;

  /**
   * @param trusted the authority that it believes.
   * @param own what it shows; null for nothing.
   */
  public TlsClient(X509Bundle trusted, X509Bundle own) {
    try {
      KeyManager[] keys = own == null ? null : new KeyManager[] {new Shown(own)};
      context = SSLContext.getInstance("TLS");
      context.init(keys, new TrustManager[] {trusted.toTrustManager()}, null);
    } catch (GeneralSecurityException unexpected) {
      throw new IllegalStateException(unexpected);
    }
  }

  public SSLContext context() {
    return context;
  }

  /** An engine that asks for a name, for who has bytes carried by something else than a socket. */
  public SSLEngine engine(String name) {
    SSLEngine engine = context.createSSLEngine(name, 443);
    engine.setUseClientMode(true);
    return engine;
  }

  /** Connects, by any version, for the name {@code a.example}. */
  public SSLSocket connect(SocketAddress address) throws IOException {
    return connect(address, "a.example", "TLSv1.3", "TLSv1.2");
  }

  public SSLSocket connect(SocketAddress address, String name, String... versions)
      throws IOException {
    Socket plain = new Socket();
    plain.connect(address, TIMEOUT_MS);
    return handshake(plain, name, versions);
  }

  /** Does the handshake over a connection that is there; closes it if that fails. */
  public SSLSocket handshake(Socket plain, String name, String... versions) throws IOException {
    plain.setSoTimeout(TIMEOUT_MS);
    plain.setTcpNoDelay(true);
    int port = ((InetSocketAddress) plain.getRemoteSocketAddress()).getPort();
    SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket(plain, name, port, true);
    SSLParameters parameters = socket.getSSLParameters();
    parameters.setProtocols(versions);
    parameters.setServerNames(List.of(new SNIHostName(name)));
    parameters.setApplicationProtocols(new String[] {"http/1.1"});
    socket.setSSLParameters(parameters);
    try {
      socket.startHandshake();
      return socket;
    } catch (IOException failed) {
      plain.close();
      throw failed;
    }
  }

  /** Shows a certificate whoever is asked for. */
  private static final class Shown extends X509ExtendedKeyManager {
    private final X509Bundle own;

    Shown(X509Bundle own) {
      this.own = own;
    }

    @Override
    public String chooseClientAlias(String[] types, Principal[] issuers, Socket socket) {
      return "own";
    }

    @Override
    public String chooseEngineClientAlias(String[] types, Principal[] issuers, SSLEngine engine) {
      return "own";
    }

    @Override
    public X509Certificate[] getCertificateChain(String alias) {
      return own.getCertificatePath();
    }

    @Override
    public PrivateKey getPrivateKey(String alias) {
      return own.getKeyPair().getPrivate();
    }

    @Override
    public String[] getClientAliases(String type, Principal[] issuers) {
      return new String[] {"own"};
    }

    @Override
    public String[] getServerAliases(String type, Principal[] issuers) {
      return null;
    }

    @Override
    public String chooseServerAlias(String type, Principal[] issuers, Socket socket) {
      return null;
    }
  }
}
