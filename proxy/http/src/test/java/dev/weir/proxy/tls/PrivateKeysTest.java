package dev.weir.proxy.tls;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.pkitesting.CertificateBuilder.Algorithm;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.interfaces.ECPrivateKey;
import java.util.Arrays;
import org.bouncycastle.asn1.ASN1Encoding;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.openssl.PKCS8Generator;
import org.bouncycastle.openssl.jcajce.JcaPKCS8Generator;
import org.bouncycastle.openssl.jcajce.JceOpenSSLPKCS8EncryptorBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrivateKeysTest {
  @TempDir private Path directory;

  private Path file(String name, String text) {
    return TestCertificates.write(directory.resolve(name), text);
  }

  private PrivateKey read(String pem, Path passphrase) throws TlsFault {
    return PrivateKeys.read(PemFile.read(file("a.key", pem)), passphrase);
  }

  private static KeyPair pair(Algorithm algorithm) throws Exception {
    return algorithm.generateKeyPair(new SecureRandom());
  }

  @ParameterizedTest
  @EnumSource(names = {"ecp256", "ecp384", "rsa2048"})
  void readsPkcs8(Algorithm algorithm) throws Exception {
    PrivateKey key = pair(algorithm).getPrivate();
    assertEquals(key, read("text\n" + TestCertificates.pem("PRIVATE KEY", key.getEncoded()), null));
  }

  @Test
  void readsTheOlderFormOfRsa() throws Exception {
    PrivateKey key = pair(Algorithm.rsa2048).getPrivate();
    byte[] pkcs1 =
        PrivateKeyInfo.getInstance(key.getEncoded())
            .parsePrivateKey()
            .toASN1Primitive()
            .getEncoded(ASN1Encoding.DER);
    assertEquals(key, read(TestCertificates.pem("RSA PRIVATE KEY", pkcs1), null));
  }

  @ParameterizedTest
  @EnumSource(names = {"ecp256", "ecp384"})
  void readsTheOlderFormOfCurves(Algorithm algorithm) throws Exception {
    ECPrivateKey key = (ECPrivateKey) pair(algorithm).getPrivate();
    boolean isShort = algorithm == Algorithm.ecp256;
    byte[] sec1 =
        new org.bouncycastle.asn1.sec.ECPrivateKey(
                isShort ? 256 : 384,
                key.getS(),
                isShort ? SECObjectIdentifiers.secp256r1 : SECObjectIdentifiers.secp384r1)
            .getEncoded(ASN1Encoding.DER);
    assertEquals(key.getS(), ((ECPrivateKey) read(ofCurve(sec1), null)).getS());
    // Cut anywhere, it is a fault and no exception.
    for (int length = 0; length < sec1.length; length++) {
      String cut = ofCurve(Arrays.copyOf(sec1, length));
      assertThrows(TlsFault.class, () -> read(cut, null));
    }
  }

  private static String ofCurve(byte[] sec1) {
    return TestCertificates.pem("EC PARAMETERS", new byte[] {6, 1, 1})
        + TestCertificates.pem("EC PRIVATE KEY", sec1);
  }

  @Test
  void readsAnEncryptedKeyByItsPassphraseAndTellsNoSecret() throws Exception {
    PrivateKey key = pair(Algorithm.ecp256).getPrivate();
    JceOpenSSLPKCS8EncryptorBuilder encryptor =
        new JceOpenSSLPKCS8EncryptorBuilder(PKCS8Generator.AES_256_CBC);
    encryptor.setProvider(new BouncyCastleProvider());
    encryptor.setPassword("open sesame".toCharArray());
    encryptor.setPRF(PKCS8Generator.PRF_HMACSHA256);
    byte[] der = new JcaPKCS8Generator(key, encryptor.build()).generate().getContent();
    String pem = TestCertificates.pem("ENCRYPTED PRIVATE KEY", der);
    assertEquals(key, read(pem, file("right", "open sesame\n")));

    Path wrong = file("wrong", "open barley\n");
    assertFault(pem, wrong, "not decrypted (expected: the passphrase that " + wrong + " has)");
    assertFault(pem, null, "its key is encrypted (expected: a passphrase, in key-passphrase-file)");
    Path empty = file("empty", "\n");
    TlsFault fault = assertThrows(TlsFault.class, () -> read(pem, empty));
    assertEquals(empty + ": empty (expected: a passphrase in its first line)", fault.getMessage());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"PRIVATE KEY", "RSA PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "EC PRIVATE KEY"})
  void tellsADamagedKey(String label) {
    Path passphrase = file("passphrase", "a");
    byte[] damaged = {0x30, 3, 2, 1, 0};
    assertThrows(TlsFault.class, () -> read(TestCertificates.pem(label, damaged), passphrase));
    assertFault(
        "-----BEGIN " + label + "-----\nProc-Type: 4,ENCRYPTED\n-----END " + label + "-----\n",
        null,
        "its key is damaged, or encrypted in the old way (expected: PKCS#8: openssl pkcs8 -topk8)");
  }

  @Test
  void tellsWhatIsNoKey() throws Exception {
    assertFault("", null, "no private key in it (expected: PEM: -----BEGIN PRIVATE KEY-----)");
    assertFault(
        TestCertificates.pem("PRIVATE KEY", pair(Algorithm.ed25519).getPrivate().getEncoded()),
        null,
        "its key is damaged or of another kind (expected: an RSA or EC key)");
    assertFault(
        TestCertificates.pem("DSA PRIVATE KEY", new byte[] {1}),
        null,
        "a key of the kind \"DSA PRIVATE KEY\" (expected: PEM: -----BEGIN PRIVATE KEY-----)");
  }

  private void assertFault(String pem, Path passphrase, String message) {
    TlsFault fault = assertThrows(TlsFault.class, () -> read(pem, passphrase));
    assertEquals(directory.resolve("a.key") + ": " + message, fault.getMessage());
    assertTrue(!fault.getMessage().contains("sesame"), fault.getMessage());
  }
}
