package dev.weir.proxy.token;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.token.KeySet.VerificationKey;
import java.util.List;
import org.jose4j.jwa.AlgorithmConstraints;
import org.jose4j.jwa.AlgorithmConstraints.ConstraintType;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.jwt.JwtClaims;
import org.jose4j.jwt.MalformedClaimException;
import org.jose4j.jwt.NumericDate;
import org.jose4j.jwt.consumer.ErrorCodes;
import org.jose4j.jwt.consumer.InvalidJwtException;
import org.jose4j.jwt.consumer.JwtConsumerBuilder;
import org.jose4j.lang.JoseException;

/**
 * Verifies tokens by jose4j, which leaves cryptography to the JDK. A token must be a JSON Web
 * Signature in compact form (RFC 7515) of claims that expire. What extends the grammar is refused:
 * encryption, nesting, {@code crit}, {@code b64}. Keys and places of keys that a token brings along
 * are never looked at.
 */
final class JoseVerifier implements TokenVerifier {
  /** How far the clocks of issuers may be off. */
  static final int SKEW_SECONDS = 60;

  /** The most keys that are tried on one token, if it names no key or several have its name. */
  static final int MOST_TRIES = 4;

  private static final List<String> EXTENSIONS = List.of("crit", "b64", "cty", "zip", "enc");

  private static final AlgorithmConstraints ACCEPTED =
      new AlgorithmConstraints(
          ConstraintType.PERMIT,
          "RS256",
          "RS384",
          "RS512",
          "PS256",
          "PS384",
          "PS512",
          "ES256",
          "ES384",
          "ES512",
          "EdDSA");

  private final TokenSettings settings;

  JoseVerifier(TokenSettings settings) {
    this.settings = settings;
  }

  @Override
  public Finding verify(String token, KeySet keys, long nowSeconds) {
    if (!isCompact(token)) {
      return Finding.bad(RefusalReason.TOKEN_MALFORMED);
    }
    JsonWebSignature signature = new JsonWebSignature();
    String algorithm;
    String keyId;
    try {
      signature.setCompactSerialization(token);
      algorithm = signature.getAlgorithmHeaderValue();
      keyId = signature.getKeyIdHeaderValue();
    } catch (JoseException | RuntimeException malformed) {
      return Finding.bad(RefusalReason.TOKEN_MALFORMED);
    }
    if (algorithm == null || isExtended(signature)) {
      return Finding.bad(RefusalReason.TOKEN_MALFORMED);
    }
    if (!Algorithms.isAccepted(algorithm)) {
      return Finding.bad(RefusalReason.TOKEN_ALGORITHM_REFUSED);
    }
    List<VerificationKey> candidates = keys.of(keyId, algorithm);
    if (candidates.isEmpty() || candidates.size() > MOST_TRIES) {
      return Finding.bad(RefusalReason.TOKEN_KEY_UNKNOWN);
    }
    for (VerificationKey key : candidates) {
      Finding finding = verify(token, key, nowSeconds);
      if (finding.fault() != RefusalReason.TOKEN_SIGNATURE_INVALID) {
        return finding;
      }
    }
    return Finding.bad(RefusalReason.TOKEN_SIGNATURE_INVALID);
  }

  /** Whether a text is three parts in base64url (RFC 7515, section 7.1), none of them empty. */
  private static boolean isCompact(String token) {
    int dots = 0;
    int partLength = 0;
    for (int i = 0; i < token.length(); i++) {
      char c = token.charAt(i);
      if (c == '.') {
        if (partLength % 4 == 1 || partLength == 0) {
          return false;
        }
        dots++;
        partLength = 0;
      } else if (isBase64Url(c)) {
        partLength++;
      } else {
        return false;
      }
    }
    return dots == 2 && partLength > 0 && partLength % 4 != 1;
  }

  private static boolean isBase64Url(char c) {
    return c >= 'a' && c <= 'z'
        || c >= 'A' && c <= 'Z'
        || c >= '0' && c <= '9'
        || c == '-'
        || c == '_';
  }

  private static boolean isExtended(JsonWebSignature signature) {
    for (String name : EXTENSIONS) {
      if (signature.getHeaders().getObjectHeaderValue(name) != null) {
        return true;
      }
    }
    return false;
  }

  private Finding verify(String token, VerificationKey key, long nowSeconds) {
    JwtConsumerBuilder consumer =
        new JwtConsumerBuilder()
            .setVerificationKey(key.key())
            .setJwsAlgorithmConstraints(ACCEPTED)
            .setRequireExpirationTime()
            .setAllowedClockSkewInSeconds(SKEW_SECONDS)
            .setEvaluationTime(NumericDate.fromSeconds(nowSeconds));
    if (settings.issuer() != null) {
      consumer.setExpectedIssuer(settings.issuer());
    }
    if (settings.audience() != null) {
      consumer.setExpectedAudience(settings.audience());
    } else {
      consumer.setSkipDefaultAudienceValidation();
    }
    try {
      JwtClaims claims = consumer.build().processToClaims(token);
      long expiresSeconds = claims.getExpirationTime().getValue();
      return new Finding(
          null,
          key.number(),
          Math.min(expiresSeconds, Long.MAX_VALUE - SKEW_SECONDS) + SKEW_SECONDS,
          Claims.encode(claims.getClaimsMap(), token.length()));
    } catch (InvalidJwtException bad) {
      return Finding.bad(fault(bad));
    } catch (MalformedClaimException | RuntimeException malformed) {
      return Finding.bad(RefusalReason.TOKEN_MALFORMED);
    }
  }

  private static RefusalReason fault(InvalidJwtException bad) {
    if (bad.hasErrorCode(ErrorCodes.SIGNATURE_INVALID)) {
      return RefusalReason.TOKEN_SIGNATURE_INVALID;
    }
    if (bad.hasErrorCode(ErrorCodes.EXPIRED)) {
      return RefusalReason.TOKEN_EXPIRED;
    }
    if (bad.hasErrorCode(ErrorCodes.NOT_YET_VALID)) {
      return RefusalReason.TOKEN_NOT_YET_VALID;
    }
    if (bad.hasErrorCode(ErrorCodes.ISSUER_INVALID)
        || bad.hasErrorCode(ErrorCodes.ISSUER_MISSING)) {
      return RefusalReason.TOKEN_ISSUER_REFUSED;
    }
    if (bad.hasErrorCode(ErrorCodes.AUDIENCE_INVALID)
        || bad.hasErrorCode(ErrorCodes.AUDIENCE_MISSING)) {
      return RefusalReason.TOKEN_AUDIENCE_REFUSED;
    }
    return RefusalReason.TOKEN_MALFORMED;
  }
}
