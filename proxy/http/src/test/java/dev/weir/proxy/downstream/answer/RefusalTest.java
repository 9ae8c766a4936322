package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RefusalTest {
  private static final QuotaPolicy POLICY = new QuotaPolicy("free", 100, 60);
  private static final long SECOND_NS = 1_000_000_000L;

  private final Verdict verdict = new Verdict();
  private final Refusal refusal = new Refusal();

  @Test
  void waitsWholeSecondsRoundedUp() {
    assertEquals(1, overLimit(1).retryAfterSeconds());
    assertEquals(1, overLimit(SECOND_NS).retryAfterSeconds());
    assertEquals(2, overLimit(SECOND_NS + 1).retryAfterSeconds());
    assertEquals(9_223_372_037L, overLimit(Long.MAX_VALUE).retryAfterSeconds());
  }

  @Test
  void tellsTheResetWhereNoWaitWouldDo() {
    overLimit(0);
    assertEquals(0, refusal.retryAfterSeconds());
    assertEquals(90, refusal.waitSeconds());
    assertEquals(7, overLimit(7 * SECOND_NS).waitSeconds());
  }

  @Test
  void challengesWhoMustSayWhoTheyAreAndNobodyElse() {
    for (RefusalReason reason : RefusalReason.values()) {
      refusal.describe(verdict.refuse(reason));
      if (reason == RefusalReason.IDENTITY_MISSING) {
        assertEquals("ApiKey realm=\"weir\"", refusal.challenge());
      } else if (reason.httpStatus() == 401) {
        assertEquals("Bearer error=\"invalid_token\"", refusal.challenge());
        assertTrue(reason.isOfToken() && reason.name().startsWith("TOKEN_"), reason.name());
      } else {
        assertNull(refusal.challenge(), reason.name());
        assertFalse(reason.isOfToken());
      }
    }
  }

  /** And names no address, which is the log's to tell. */
  @Test
  void everyRefusalThatIsNoFaultOfTheClientsNamesItsCause() {
    for (RefusalReason reason : RefusalReason.values()) {
      if (reason.httpStatus() >= 502 && reason.httpStatus() <= 504) {
        assertTrue(reason.detail().matches("[A-Z][A-Za-z/2', ]+\\."), reason + reason.detail());
      }
    }
  }

  @Test
  void forgetsTheLimitOfTheRefusalBefore() {
    overLimit(SECOND_NS);
    refusal.describe(verdict.refuse(RefusalReason.STORE_UNAVAILABLE));
    assertNull(refusal.policy());
    assertEquals(0, refusal.retryAfterSeconds());
    assertEquals(0, refusal.waitSeconds());
  }

  @Test
  void saysOfALimitWhatTheDraftSays() {
    ByteBuf out = Unpooled.buffer();
    LimitValues.writePolicy(out, POLICY);
    out.writeByte(' ');
    LimitValues.writeLimit(out, POLICY, 3, 90);
    assertEquals("\"free\";q=100;w=60 \"free\";r=3;t=90", out.toString(StandardCharsets.US_ASCII));
  }

  /** Where the next request begins must be certain, and somebody must be there to read it. */
  @Test
  void keepsAConnectionOnlyWhereTheNextRequestCanBeFound() {
    Set<RefusalReason> keeping = EnumSet.noneOf(RefusalReason.class);
    for (RefusalReason reason : RefusalReason.values()) {
      if (reason.keepsConnection()) {
        keeping.add(reason);
      }
    }
    assertEquals(
        EnumSet.of(
            RefusalReason.ADDRESS_BLOCKED,
            RefusalReason.BANNED,
            RefusalReason.OVER_LIMIT,
            RefusalReason.NEVER_SATISFIABLE,
            RefusalReason.DENIED,
            RefusalReason.IDENTITY_MISSING,
            RefusalReason.IDENTITY_AMBIGUOUS,
            RefusalReason.TOKEN_MALFORMED,
            RefusalReason.TOKEN_ALGORITHM_REFUSED,
            RefusalReason.TOKEN_KEY_UNKNOWN,
            RefusalReason.TOKEN_SIGNATURE_INVALID,
            RefusalReason.TOKEN_EXPIRED,
            RefusalReason.TOKEN_NOT_YET_VALID,
            RefusalReason.TOKEN_ISSUER_REFUSED,
            RefusalReason.TOKEN_AUDIENCE_REFUSED,
            RefusalReason.TOKEN_KEYS_UNAVAILABLE,
            RefusalReason.TOO_MANY_BAD_TOKENS,
            RefusalReason.NOT_DECIDED_ONCE,
            RefusalReason.IDEMPOTENCY_KEY_REUSED,
            RefusalReason.IDEMPOTENCY_KEY_MALFORMED,
            RefusalReason.TOO_MANY_IN_FLIGHT,
            RefusalReason.TOO_MANY_PARKED,
            RefusalReason.STORE_UNAVAILABLE,
            RefusalReason.UPSTREAM_UNREACHABLE,
            RefusalReason.UPSTREAM_CONNECTION_REFUSED,
            RefusalReason.UPSTREAM_NAME_UNRESOLVED,
            RefusalReason.UPSTREAM_TLS_FAILED,
            RefusalReason.UPSTREAM_CONNECT_TIMEOUT,
            RefusalReason.UPSTREAM_BUSY,
            RefusalReason.UPSTREAM_CLOSED,
            RefusalReason.UPSTREAM_MALFORMED,
            RefusalReason.UPSTREAM_NO_WEBSOCKET,
            RefusalReason.UPSTREAM_TIMEOUT,
            RefusalReason.DEADLINE_EXCEEDED,
            RefusalReason.SERVICE_OVERLOADED),
        keeping);
  }

  private Refusal overLimit(long retryNs) {
    return refusal.describe(
        verdict.refuse(RefusalReason.OVER_LIMIT, POLICY, 100, 0, 90 * SECOND_NS, retryNs));
  }
}
