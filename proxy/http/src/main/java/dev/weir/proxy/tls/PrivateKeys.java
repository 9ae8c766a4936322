package dev.weir.proxy.tls;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.List;
import javax.crypto.BadPaddingException;
import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;

/**
 * Reads private keys from PEM: PKCS#8, encrypted or not, and the older forms of RSA (PKCS#1) and
 * elliptic curves (SEC 1), which are PKCS#8 once they are wrapped.
 */
final class PrivateKeys {
  private static final String EXPECTED = "PEM: -----BEGIN PRIVATE KEY-----";
  private static final List<String> ALGORITHMS = List.of("RSA", "EC");

  private PrivateKeys() {}

  /**
   * The first key of a file.
   *
   * @param passphrase the file with the passphrase; null if there is none.
   */
  static PrivateKey read(PemFile file, Path passphrase) throws TlsFault {
    for (PemFile.Block block : file.blocks()) {
      if (!block.label().endsWith("PRIVATE KEY")) {
        continue;
      }
      if (block.der() == null) {
        throw new TlsFault(
            file.path(),
            "its key is damaged, or encrypted in the old way",
            "PKCS#8: openssl pkcs8 -topk8");
      }
      return key(file.path(), block, passphrase);
    }
    throw new TlsFault(file.path(), "no private key in it", EXPECTED);
  }

  private static PrivateKey key(Path path, PemFile.Block block, Path passphrase) throws TlsFault {
    switch (block.label()) {
      case "PRIVATE KEY":
        return decoded(path, block.der());
      case "RSA PRIVATE KEY":
        return decoded(path, Der.pkcs8OfRsa(block.der()));
      case "EC PRIVATE KEY":
        byte[] wrapped = Der.pkcs8OfEc(block.der());
        if (wrapped == null) {
          throw new TlsFault(path, "its key does not name its curve", EXPECTED);
        }
        return decoded(path, wrapped);
      case "ENCRYPTED PRIVATE KEY":
        if (passphrase == null) {
          throw new TlsFault(path, "its key is encrypted", "a passphrase, in key-passphrase-file");
        }
        return decoded(path, decrypted(path, block.der(), passphrase));
      default:
        throw new TlsFault(path, "a key of the kind \"" + block.label() + '"', EXPECTED);
    }
  }

  private static PrivateKey decoded(Path path, byte[] pkcs8) throws TlsFault {
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
      } catch (InvalidKeySpecException another) {
        continue;
      } catch (GeneralSecurityException missing) {
        throw new IllegalStateException(missing);
      }
    }
    throw new TlsFault(path, "its key is damaged or of another kind", "an RSA or EC key");
  }

  private static byte[] decrypted(Path path, byte[] der, Path passphraseFile) throws TlsFault {
    char[] passphrase = passphrase(passphraseFile);
    try {
      EncryptedPrivateKeyInfo encrypted = new EncryptedPrivateKeyInfo(der);
      AlgorithmParameters parameters = encrypted.getAlgParameters();
      // Of PBES2 only the parameters say which ciphers it means.
      String algorithm =
          parameters != null && parameters.toString().startsWith("PBE")
              ? parameters.toString()
              : encrypted.getAlgName();
      PBEKeySpec spec = new PBEKeySpec(passphrase);
      Cipher cipher = Cipher.getInstance(algorithm);
      cipher.init(
          Cipher.DECRYPT_MODE,
          SecretKeyFactory.getInstance(algorithm).generateSecret(spec),
          parameters);
      spec.clearPassword();
      return cipher.doFinal(encrypted.getEncryptedData());
    } catch (BadPaddingException wrong) {
      throw new TlsFault(path, "not decrypted", "the passphrase that " + passphraseFile + " has");
    } catch (IOException | GeneralSecurityException unknown) {
      throw new TlsFault(
          path, "its encryption is not known here", "PBES2: openssl pkcs8 -topk8 -v2 aes-256-cbc");
    } finally {
      Arrays.fill(passphrase, '\0');
    }
  }

  /** The first line of the file. */
  private static char[] passphrase(Path file) throws TlsFault {
    String text = new String(PemFile.content(file), StandardCharsets.UTF_8);
    String line = text.lines().findFirst().orElse("");
    if (line.isEmpty()) {
      throw new TlsFault(file, "empty", "a passphrase in its first line");
    }
    return line.toCharArray();
  }
}
