package dev.weir.proxy.tls;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Date;
import java.util.List;

/**
 * A certificate with the key that belongs to it, read from files: proven to match, and valid when
 * it was read.
 *
 * @param chain the certificate itself first.
 */
record KeyedCertificate(List<X509Certificate> chain, PrivateKey key) {
  /**
   * Reads both.
   *
   * @throws TlsFault if one cannot be read, they do not match, or the time is not within those of
   *     the certificate.
   */
  static KeyedCertificate read(CertificateFiles files, Instant now) throws TlsFault {
    PemFile chainFile = PemFile.read(files.chain());
    List<X509Certificate> chain = chainFile.certificates();
    X509Certificate leaf = chain.get(0);
    PemFile keyFile = files.key().equals(files.chain()) ? chainFile : PemFile.read(files.key());
    PrivateKey key = PrivateKeys.read(keyFile, files.passphrase());
    if (!belongTogether(key, leaf.getPublicKey())) {
      throw new TlsFault(
          files.key(), "is not the key of " + files.chain(), "the private key of that certificate");
    }
    if (now.isAfter(leaf.getNotAfter().toInstant())) {
      throw new TlsFault(
          files.chain(), "expired at " + leaf.getNotAfter().toInstant(), "one that is valid now");
    }
    if (now.isBefore(leaf.getNotBefore().toInstant())) {
      throw new TlsFault(
          files.chain(),
          "not valid before " + leaf.getNotBefore().toInstant(),
          "one that is valid now");
    }
    return new KeyedCertificate(chain, key);
  }

  private static boolean belongTogether(PrivateKey key, PublicKey shown) throws TlsFault {
    if (!key.getAlgorithm().equals(shown.getAlgorithm())) {
      return false;
    }
    String algorithm = key.getAlgorithm().equals("EC") ? "SHA256withECDSA" : "SHA256withRSA";
    try {
      byte[] text = {1, 2, 3};
      Signature signer = Signature.getInstance(algorithm);
      signer.initSign(key);
      signer.update(text);
      byte[] signature = signer.sign();
      Signature verifier = Signature.getInstance(algorithm);
      verifier.initVerify(shown);
      verifier.update(text);
      return verifier.verify(signature);
    } catch (GeneralSecurityException another) {
      return false; // a key of another length, or on another curve
    }
  }

  X509Certificate leaf() {
    return chain.get(0);
  }

  Date expiry() {
    return leaf().getNotAfter();
  }

  /** The names in it that a client may ask for. */
  List<String> names() {
    return CertificateText.serverNames(leaf());
  }

  X509Certificate[] chainArray() {
    return chain.toArray(X509Certificate[]::new);
  }
}
