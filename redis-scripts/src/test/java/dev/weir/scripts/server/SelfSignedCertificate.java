package dev.weir.scripts.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate that nobody else signed, and its key, made by the JDK's keytool. */
public final class SelfSignedCertificate {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "server";
  private static final int KEYTOOL_SECONDS = 60;

  private final KeyStore store;

  /** For 127.0.0.1 and localhost. */
  public SelfSignedCertificate() throws IOException {
    this("ip:127.0.0.1,dns:localhost");
  }

  /**
   * @param names the subject alternative names, as keytool takes them.
   */
  public SelfSignedCertificate(String names) throws IOException {
    final Path folder = TempFolders.create();
    final Path file = folder.resolve("store.p12");
    final Process keytool =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-dname",
                "CN=weir " + Long.toHexString(System.nanoTime()),
                "-ext",
                "san=" + names,
                "-validity",
                "2",
                "-alias",
                ALIAS,
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-keystore",
                file.toString())
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("log").toFile())
            .start();
    try {
      if (!keytool.waitFor(KEYTOOL_SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
        keytool.destroyForcibly();
        throw new IOException("keytool\n" + Files.readString(folder.resolve("log")));
      }
      store = KeyStore.getInstance("PKCS12");
      try (InputStream in = Files.newInputStream(file)) {
        store.load(in, PASSWORD.toCharArray());
      }
    } catch (GeneralSecurityException | InterruptedException e) {
      throw new IOException(e);
    } finally {
      TempFolders.delete(folder);
    }
  }

  /** Writes the certificate as PEM, for those who shall trust it too. */
  public Path writeCertificate(Path folder) throws IOException {
    try {
      return write(folder, "CERTIFICATE", store.getCertificate(ALIAS).getEncoded());
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** Writes its key as PEM, for the server that shows it. */
  public Path writeKey(Path folder) throws IOException {
    try {
      final byte[] key = store.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded();
      return write(folder, "PRIVATE KEY", key);
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  private static Path write(Path folder, String type, byte[] der) throws IOException {
    final String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
    final Path file = folder.resolve(type.replace(' ', '-') + ".pem");
    return Files.writeString(
        file, "-----BEGIN " + type + "-----\n" + body + "\n-----END " + type + "-----\n");
  }

  /** The TLS of a server that shows this certificate. */
  public SSLContext serverContext() throws IOException {
    try {
      final KeyManagerFactory keys = KeyManagerFactory.getInstance("PKIX");
      keys.init(store, PASSWORD.toCharArray());
      final SSLContext context = SSLContext.getInstance("TLS");
      context.init(keys.getKeyManagers(), null, null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }

  /** A TLS connection which trusts this certificate alone. */
  Socket connect(InetSocketAddress address) throws IOException {
    return clientContext().getSocketFactory().createSocket(address.getAddress(), address.getPort());
  }

  /** The TLS of a client that trusts this certificate alone. */
  public SSLContext clientContext() throws IOException {
    try {
      final KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(ALIAS, store.getCertificate(ALIAS));
      final TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
      trust.init(trusted);
      final SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IOException(e);
    }
  }
}
