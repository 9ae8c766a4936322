package dev.weir.proxy.token;

import dev.weir.proxy.request.Ascii;
import dev.weir.proxy.request.ClientKey;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import dev.weir.proxy.token.TokenVerifier.Finding;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Reads the token of a request: the credentials of scheme {@code Bearer} in its one Authorization
 * field (RFC 6750, section 2.1). Another scheme is no token; a second field is a fault.
 *
 * <p>A token that was seen is only looked up, which allocates nothing. Good tokens are remembered
 * until they expire or their key is gone; bad ones for {@link #BAD_TOKEN_NS}, apart from the good
 * ones, which they cannot push out. A new token is verified at once, on the event loop: see {@link
 * BadTokenBudget}. One per event loop.
 */
public final class TokenReader implements ClaimReader {
  /** The longest token; longer ones are not looked at. */
  static final int MAX_BYTES = 8 << 10;

  /** The most good tokens that are remembered. */
  static final int GOOD_TOKENS = 16 << 10;

  /** How long a token is known to be bad: its time may come, and its key. */
  static final long BAD_TOKEN_NS = TimeUnit.SECONDS.toNanos(10);

  /** The memory that good tokens take, once as many have come. */
  static final int GOOD_BYTES = 16 << 20;

  private static final int BAD_TOKENS = 1 << 10;
  private static final int SEGMENT_BYTES = 1 << 20;

  /** Tokens differ in their ends, where their signatures are. */
  private static final int HASHED_BYTES = 32;

  /** A good token is verified again after a day, however late it expires. */
  private static final long MOST_SECONDS = TimeUnit.DAYS.toSeconds(1);

  private static final FieldName AUTHORIZATION = FieldName.of("authorization");
  private static final byte[] SCHEME = {'b', 'e', 'a', 'r', 'e', 'r'};
  private static final RefusalReason[] REASONS = RefusalReason.values();

  private final TokenKeys keys;
  private final TokenVerifier verifier;
  private final KeyHasher hasher;
  private final ClientKey clients;
  private final LongSupplier unixNs;
  private final LongSupplier monotonicNs;
  private final TokenMemory good =
      new TokenMemory(GOOD_TOKENS, GOOD_BYTES / SEGMENT_BYTES, SEGMENT_BYTES);
  private final TokenMemory bad = new TokenMemory(BAD_TOKENS, 2, SEGMENT_BYTES);
  private final BadTokenBudget budget = new BadTokenBudget();

  /** The record of the request's token; or {@link TokenMemory#UNKNOWN}. */
  private int record = TokenMemory.UNKNOWN;

  /**
   * @param clients of the same event loop.
   * @param unixNs the time of the event loop's turn, in nanoseconds since 1970.
   * @param monotonicNs the present time, 1 or more.
   */
  public TokenReader(
      TokenSettings settings,
      TokenKeys keys,
      KeyHasher hasher,
      ClientKey clients,
      LongSupplier unixNs,
      LongSupplier monotonicNs) {
    this(keys, new JoseVerifier(settings), hasher, clients, unixNs, monotonicNs);
  }

  TokenReader(
      TokenKeys keys,
      TokenVerifier verifier,
      KeyHasher hasher,
      ClientKey clients,
      LongSupplier unixNs,
      LongSupplier monotonicNs) {
    this.monotonicNs = monotonicNs;
    this.keys = keys;
    this.verifier = verifier;
    this.hasher = hasher;
    this.clients = clients;
    this.unixNs = unixNs;
  }

  @Override
  public RefusalReason read(RequestView request) {
    record = TokenMemory.UNKNOWN;
    int field = request.findField(AUTHORIZATION, 0);
    if (field < 0) {
      return null;
    }
    if (request.findField(AUTHORIZATION, field + 1) >= 0) {
      return RefusalReason.TOKEN_MALFORMED;
    }
    DirectBuffer bytes = request.bytes();
    int offset = request.valueOffset(field);
    int end = offset + request.valueLength(field);
    if (!isBearer(bytes, offset, end)) {
      return null;
    }
    int at = offset + SCHEME.length;
    while (at < end && bytes.getByte(at) == ' ') {
      at++;
    }
    int length = end - at;
    return at == offset + SCHEME.length || length == 0 || length > MAX_BYTES
        ? RefusalReason.TOKEN_MALFORMED
        : read(request, bytes, at, length);
  }

  /**
   * Whether the scheme is Bearer, whatever stands behind its name: a service may take a tab for the
   * blank that has to be there, and then the client must not count as one without a token.
   */
  private static boolean isBearer(DirectBuffer bytes, int offset, int end) {
    if (end - offset < SCHEME.length) {
      return false;
    }
    for (int i = 0; i < SCHEME.length; i++) {
      if ((bytes.getByte(offset + i) | 0x20) != SCHEME[i]) {
        return false;
      }
    }
    int behind = offset + SCHEME.length;
    return behind == end || !Ascii.isToken(bytes.getByte(behind));
  }

  private RefusalReason read(RequestView request, DirectBuffer bytes, int offset, int length) {
    int hashed = Math.min(length, HASHED_BYTES);
    long hash = hasher.hash(bytes, offset + length - hashed, hashed);
    long nowNs = unixNs.getAsLong();
    KeySet inUse = keys.inUse();
    record = good.find(hash, bytes, offset, length, nowNs);
    if (record != TokenMemory.UNKNOWN && isStillGood(inUse)) {
      return null;
    }
    record = TokenMemory.UNKNOWN;
    int known = bad.find(hash, bytes, offset, length, nowNs);
    if (known != TokenMemory.UNKNOWN && bad.version(known) == inUse.version()) {
      return REASONS[bad.key(known)];
    }
    if (inUse == KeySet.UNKNOWN) {
      return RefusalReason.TOKEN_KEYS_UNAVAILABLE;
    }
    long client = request.peer() == null ? ClientKey.NONE : clients.of(request);
    if (!budget.allows(client, monotonicNs.getAsLong())) {
      return RefusalReason.TOO_MANY_BAD_TOKENS;
    }
    return verify(hash, bytes, offset, length, client, nowNs, inUse);
  }

  /** Whether the key by which the token was verified is still in use. */
  private boolean isStillGood(KeySet inUse) {
    if (good.version(record) == inUse.version()) {
      return true;
    }
    if (!inUse.contains(good.key(record))) {
      return false;
    }
    good.version(record, inUse.version());
    return true;
  }

  private RefusalReason verify(
      long hash,
      DirectBuffer bytes,
      int offset,
      int length,
      long client,
      long nowNs,
      KeySet inUse) {
    long beganNs = monotonicNs.getAsLong();
    byte[] token = new byte[length];
    bytes.getBytes(offset, token);
    long nowSeconds = Math.floorDiv(nowNs, TimeUnit.SECONDS.toNanos(1));
    Finding found =
        verifier.verify(new String(token, StandardCharsets.ISO_8859_1), inUse, nowSeconds);
    keys.verified();
    RefusalReason fault = found.fault();
    if (fault != null) {
      if (fault == RefusalReason.TOKEN_KEY_UNKNOWN) {
        keys.keyWanted();
      }
      budget.spend(client, monotonicNs.getAsLong() - beganNs, beganNs);
      bad.put(
          hash,
          bytes,
          offset,
          length,
          nowNs + BAD_TOKEN_NS,
          fault.ordinal(),
          inUse.version(),
          found.claims());
      return fault;
    }
    long untilSeconds = Math.min(found.expiresSeconds(), nowSeconds + MOST_SECONDS);
    record =
        good.put(
            hash,
            bytes,
            offset,
            length,
            TimeUnit.SECONDS.toNanos(untilSeconds),
            found.key(),
            inUse.version(),
            found.claims());
    return null;
  }

  @Override
  public int claim(byte[] name, MutableDirectBuffer target, int at) {
    return record == TokenMemory.UNKNOWN
        ? ABSENT
        : Claims.copy(
            good.bytes(record),
            good.claimsOffset(record),
            good.claimsLength(record),
            name,
            target,
            at);
  }
}
