package dev.weir.bench.process;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/**
 * A certificate for 127.0.0.1 with a key on P-256, made by the JDK's keytool for one run, that
 * nobody else has signed: its clients look at none.
 *
 * @param chain PEM.
 * @param key PEM, PKCS #8.
 * @param both in one file, as HAProxy wants them.
 */
public record ServerCertificate(Path chain, Path key, Path both) {
  private static final String PASSWORD = "changeit";
  private static final String ALIAS = "server";

  public static ServerCertificate make(Path folder) throws IOException {
    final Path store = folder.resolve("store.p12");
    Programs.output(
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
            "-genkeypair",
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-dname",
            "CN=weir-bench",
            "-ext",
            "san=ip:127.0.0.1",
            "-validity",
            "2",
            "-alias",
            ALIAS,
            "-storetype",
            "PKCS12",
            "-storepass",
            PASSWORD,
            "-keystore",
            store.toString()));
    try (InputStream in = Files.newInputStream(store)) {
      final KeyStore keys = KeyStore.getInstance("PKCS12");
      keys.load(in, PASSWORD.toCharArray());
      final String chain = pem("CERTIFICATE", keys.getCertificate(ALIAS).getEncoded());
      final String key =
          pem("PRIVATE KEY", keys.getKey(ALIAS, PASSWORD.toCharArray()).getEncoded());
      return new ServerCertificate(
          Files.writeString(folder.resolve("certificate.pem"), chain),
          Files.writeString(folder.resolve("key.pem"), key),
          Files.writeString(folder.resolve("both.pem"), chain + key));
    } catch (GeneralSecurityException e) {
      throw new IOException("keytool's store cannot be read: " + e.getMessage(), e);
    }
  }

  private static String pem(String what, byte[] der) {
    final Base64.Encoder lines =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII));
    return "-----BEGIN "
        + what
        + "-----\n"
        + lines.encodeToString(der)
        + "\n-----END "
        + what
        + "-----\n";
  }
}
