package dev.weir.proxy.token;

import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.List;
import org.jose4j.jwk.EcJwkGenerator;
import org.jose4j.jwk.JsonWebKey.OutputControlLevel;
import org.jose4j.jwk.JsonWebKeySet;
import org.jose4j.jwk.OkpJwkGenerator;
import org.jose4j.jwk.PublicJsonWebKey;
import org.jose4j.jwk.RsaJwkGenerator;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.EllipticCurves;
import org.jose4j.lang.JoseException;

/** An issuer of tokens: its keys, one of each type, and tokens that it signs. */
public final class TestTokens {
  private TestTokens() {}

  /** A new key of a type: RSA, P-256, P-384, P-521, Ed25519 or Ed448. */
  public static PublicJsonWebKey key(String type, String id) {
    try {
      PublicJsonWebKey key =
          switch (type) {
            case "RSA" -> RsaJwkGenerator.generateJwk(2048);
            case "P-256" -> EcJwkGenerator.generateJwk(EllipticCurves.P256);
            case "P-384" -> EcJwkGenerator.generateJwk(EllipticCurves.P384);
            case "P-521" -> EcJwkGenerator.generateJwk(EllipticCurves.P521);
            default -> OkpJwkGenerator.generateJwk(type);
          };
      key.setKeyId(id);
      return key;
    } catch (JoseException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** The set of the public halves of keys, as an issuer publishes it. */
  public static String keySet(PublicJsonWebKey... keys) {
    return new JsonWebKeySet(List.of(keys)).toJson(OutputControlLevel.PUBLIC_ONLY);
  }

  /** A token with claims in JSON, signed by a key, which its header names. */
  public static String token(PublicJsonWebKey key, String algorithm, String claims) {
    return signed(key.getPrivateKey(), algorithm, key.getKeyId(), claims);
  }

  /** A token whose header names any key; null for none. */
  static String signed(PrivateKey key, String algorithm, String keyId, String claims) {
    JsonWebSignature token = new JsonWebSignature();
    token.setAlgorithmHeaderValue(algorithm);
    token.setKey(key);
    if (keyId != null) {
      token.setKeyIdHeaderValue(keyId);
    }
    token.setPayload(claims);
    return serialized(token);
  }

  static String serialized(JsonWebSignature token) {
    try {
      return token.getCompactSerialization();
    } catch (JoseException impossible) {
      throw new AssertionError(impossible);
    }
  }

  /** A part of a token: a text in base64url. */
  static String part(String text) {
    return Base64.getUrlEncoder()
        .withoutPadding()
        .encodeToString(text.getBytes(StandardCharsets.UTF_8));
  }
}
