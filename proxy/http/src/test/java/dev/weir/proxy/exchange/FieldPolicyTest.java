package dev.weir.proxy.exchange;

import static dev.weir.proxy.exchange.KnownField.CONNECTION;
import static dev.weir.proxy.exchange.KnownField.CONTENT_LENGTH_LOOKALIKE;
import static dev.weir.proxy.exchange.KnownField.FORWARDED;
import static dev.weir.proxy.exchange.KnownField.HTTP2_SETTINGS;
import static dev.weir.proxy.exchange.KnownField.KEEP_ALIVE;
import static dev.weir.proxy.exchange.KnownField.PROXY_AUTHENTICATE;
import static dev.weir.proxy.exchange.KnownField.PROXY_AUTHORIZATION;
import static dev.weir.proxy.exchange.KnownField.PROXY_CONNECTION;
import static dev.weir.proxy.exchange.KnownField.TE;
import static dev.weir.proxy.exchange.KnownField.TRAILER;
import static dev.weir.proxy.exchange.KnownField.TRANSFER_ENCODING_LOOKALIKE;
import static dev.weir.proxy.exchange.KnownField.TRUE_CLIENT_IP;
import static dev.weir.proxy.exchange.KnownField.VIA;
import static dev.weir.proxy.exchange.KnownField.X_ENVOY;
import static dev.weir.proxy.exchange.KnownField.X_FORWARDED_FOR;
import static dev.weir.proxy.exchange.KnownField.X_FORWARDED_HOST;
import static dev.weir.proxy.exchange.KnownField.X_FORWARDED_PORT;
import static dev.weir.proxy.exchange.KnownField.X_FORWARDED_PROTO;
import static dev.weir.proxy.exchange.KnownField.X_RATELIMIT_LIMIT;
import static dev.weir.proxy.exchange.KnownField.X_RATELIMIT_REMAINING;
import static dev.weir.proxy.exchange.KnownField.X_RATELIMIT_RESET;
import static dev.weir.proxy.exchange.KnownField.X_REAL_IP;
import static dev.weir.proxy.exchange.KnownField.X_REQUEST_ID;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Predicate;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldPolicyTest {
  private static final Set<KnownField> CLAIMS =
      EnumSet.of(
          FORWARDED,
          X_FORWARDED_PROTO,
          X_FORWARDED_HOST,
          X_FORWARDED_PORT,
          X_REAL_IP,
          TRUE_CLIENT_IP,
          X_ENVOY);

  /** Those that are this connection's, that mean us, or that hide a framing field. */
  private static final Set<KnownField> ENDING =
      EnumSet.of(
          CONNECTION,
          TE,
          TRAILER,
          KEEP_ALIVE,
          HTTP2_SETTINGS,
          PROXY_CONNECTION,
          PROXY_AUTHENTICATE,
          PROXY_AUTHORIZATION,
          CONTENT_LENGTH_LOOKALIKE,
          TRANSFER_ENCODING_LOOKALIKE,
          X_FORWARDED_FOR);

  private final FieldPolicy policy = new FieldPolicy();

  @Test
  void believesNoClaimOfAClient() {
    policy.startRequest(false);
    Set<KnownField> dropped = EnumSet.copyOf(ENDING);
    dropped.addAll(CLAIMS);
    assertEquals(dropped, those(field -> !policy.passesRequest(field)));
  }

  @Test
  void believesTheClaimsOfATrustedProxy() {
    policy.startRequest(true);
    assertEquals(ENDING, those(field -> !policy.passesRequest(field)));
  }

  @Test
  void addsWhoAskedForWhatAndThroughWhom() {
    policy.startRequest(true);
    assertEquals(
        EnumSet.of(X_FORWARDED_FOR, X_FORWARDED_PROTO, X_FORWARDED_HOST, VIA, X_REQUEST_ID),
        those(policy::addsToRequest));
  }

  @Test
  void addsToClaimsThatItDoesNotBelieve() {
    policy.startRequest(false);
    those(policy::passesRequest);
    assertEquals(
        EnumSet.of(X_FORWARDED_FOR, X_FORWARDED_PROTO, X_FORWARDED_HOST, VIA),
        those(policy::addsToRequest));
  }

  @Test
  void addsToAListOnlyWhereClaimsAreBelieved() {
    policy.startRequest(true);
    those(policy::passesRequest);
    assertEquals(EnumSet.of(X_FORWARDED_FOR, VIA), those(policy::addsToRequest));
  }

  @Test
  void forgetsTheRequestBefore() {
    policy.startRequest(true);
    those(policy::passesRequest);
    policy.startRequest(true);
    assertTrue(policy.addsToRequest(X_REQUEST_ID));
  }

  @Test
  void dropsFromResponsesWhatIsTheConnectionsOwn() {
    assertEquals(
        EnumSet.of(CONNECTION, TE, KEEP_ALIVE, PROXY_CONNECTION, PROXY_AUTHENTICATE),
        those(field -> !FieldPolicy.passesResponse(field)));
  }

  @Test
  void mergesTheFieldsOfALimit() {
    assertEquals(
        EnumSet.of(X_RATELIMIT_LIMIT, X_RATELIMIT_REMAINING, X_RATELIMIT_RESET),
        those(field -> field.inResponse() == FieldTreatment.STRICTEST));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-mine", "te", "Trailer", "keep-alive", "upgrade", "http2-settings"})
  void aClientMayRemoveWhatIsItsOwn(String name) {
    assertTrue(FieldPolicy.clientMayRemove(bytes(name), 0, name.length()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "host",
        "content-length",
        "Transfer-Encoding",
        "X-Forwarded-For",
        "x-request-id",
        "x-envoy-any",
        "Authorization",
        "cookie",
        "via"
      })
  void aClientMayNotShedFramingRoutingOrWhoItIs(String name) {
    assertFalse(FieldPolicy.clientMayRemove(bytes(name), 0, name.length()));
  }

  @Test
  void aServiceMayRemoveWhatTheProxyDoesNotActOn() {
    assertTrue(FieldPolicy.serviceMayRemove(bytes("Set-Cookie"), 0, 10));
    assertFalse(FieldPolicy.serviceMayRemove(bytes("content-length"), 0, 14));
  }

  @ParameterizedTest
  @ValueSource(strings = {"x-checksum", "grpc-status", "digest", "x-envo"})
  void trailsWhatMeansNothingToAConnection(String name) {
    assertTrue(FieldPolicy.mayTrail(bytes(name), 0, name.length()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "Content-Length",
        "transfer-encoding",
        "HOST",
        "x-forwarded-for",
        "Set-Cookie",
        "authorization",
        "content-type",
        "cache-control",
        "age",
        "www-authenticate",
        "x-envoy-a"
      })
  void trailsNothingThatFramesRoutesOrAuthenticates(String name) {
    assertFalse(FieldPolicy.mayTrail(bytes(name), 0, name.length()));
  }

  @Test
  void knowsAFieldInAnyCaseAndByItsWholeName() {
    for (KnownField field : KnownField.values()) {
      String name = field.name().replace('_', '-');
      if (field == X_ENVOY) {
        assertNull(KnownField.lookUp(bytes("x-envoy-"), 0, 8));
        name = "X-ENVOY-A";
      } else if (name.endsWith("-LOOKALIKE")) {
        name = name.replace("-LOOKALIKE", "").replace('-', '_');
      }
      assertEquals(field, KnownField.lookUp(bytes(name), 0, name.length()), name);
      assertNull(KnownField.lookUp(bytes("-" + name), 0, name.length() + 1), name);
    }
  }

  /** In the order of the table, as fields may come in any. */
  private static Set<KnownField> those(Predicate<KnownField> predicate) {
    Set<KnownField> found = EnumSet.noneOf(KnownField.class);
    for (KnownField field : KnownField.values()) {
      if (predicate.test(field)) {
        found.add(field);
      }
    }
    return found;
  }

  private static DirectBuffer bytes(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.US_ASCII));
  }
}
