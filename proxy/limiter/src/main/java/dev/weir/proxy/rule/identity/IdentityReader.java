package dev.weir.proxy.rule.identity;

import dev.weir.proxy.request.CertificateNames;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.MatchedRequest;
import dev.weir.proxy.rule.PairReader;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.spec.HostName;
import dev.weir.proxy.rule.spec.IpText;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.SegmentLabel;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Whose budget a request charges: reads the parts of a rule's key and hashes them.
 *
 * <ul>
 *   <li>Each part is hashed with a tag and its length, so that no two identities share their bytes:
 *       {@code a:b} is not {@code a} and {@code b}, absent is not empty, an address is not a header
 *       that spells it.
 *   <li>A header's value is taken byte for byte, whatever the bytes and however long; but of Host
 *       it is the name that counts.
 *   <li>Only what the service gets is read: a field that is not passed on is absent.
 *   <li>A part that occurs twice is refused: an origin that takes one while we take the other would
 *       be a way around the limit.
 *   <li>A part that is absent is what {@link OnMissingKey} says. In a composite key the other parts
 *       still count.
 *   <li>Of a name for the first of several sources, the first counts that has a value which is not
 *       empty. The value is the identity, wherever it is from; an address stays an address.
 *   <li>Claims are those of a token that was verified; one that is a list names nobody, and is
 *       refused like a part that occurs twice. A bad token is refused, unless it is the source of a
 *       name of which an earlier one has a value.
 *   <li>Cookies and query parameters are found and decoded by {@link PairReader}.
 *   <li>IPv6 clients count by their prefix.
 * </ul>
 *
 * One per event loop; allocates nothing after construction.
 */
public final class IdentityReader implements Identities {
  static final byte ABSENT = 0;
  static final byte VALUE = 1;
  static final byte ADDRESS = 2;

  /** Tags an address that stands in for an absent value. */
  static final byte STAND_IN = 3;

  private static final int ADDRESS_BYTES = 16;
  static final int PART_HEADER_BYTES = 1 + Integer.BYTES;

  private final KeyHasher hasher;
  private final ClientIpReader clientIp;
  private final MatchedRequest matched;
  private final ClaimReader claims;
  private final IpText address = new IpText();
  private final int partBytes;
  private final long ipv6MaskHigh;
  private final long ipv6MaskLow;
  private final Read[] reads = new Read[RuleSpec.MAX_BUDGETS];

  /** The identity of the user, which may be none of a rule's. */
  private Read user;

  /** A value that is compared, and is nobody's identity. */
  private Read compared;

  /** The identity that is being read. */
  private UnsafeBuffer scratch;

  private int length;

  /** The identity that one key reads. */
  private static final class Read implements Identity {
    private final UnsafeBuffer bytes;
    private int length;
    private long hash;

    Read(int capacity) {
      bytes = new UnsafeBuffer(new byte[capacity]);
    }

    @Override
    public long hash() {
      return hash;
    }

    @Override
    public DirectBuffer bytes() {
      return bytes;
    }

    @Override
    public int length() {
      return length;
    }
  }

  /**
   * A reader for rules without tokens.
   *
   * @param clientIp of the same event loop.
   * @param maxHeadBytes the longest head: no value is longer.
   */
  public IdentityReader(
      IdentitySettings settings, KeyHasher hasher, ClientIpReader clientIp, int maxHeadBytes) {
    this(settings, hasher, clientIp, ClaimReader.NONE, maxHeadBytes);
  }

  /**
   * A reader for all rules.
   *
   * @param clientIp of the same event loop, and so is {@code claims}.
   * @param maxHeadBytes the longest head: no value is longer.
   */
  public IdentityReader(
      IdentitySettings settings,
      KeyHasher hasher,
      ClientIpReader clientIp,
      ClaimReader claims,
      int maxHeadBytes) {
    this.claims = claims;
    this.hasher = hasher;
    this.clientIp = clientIp;
    this.matched = new MatchedRequest(clientIp);
    partBytes = PART_HEADER_BYTES + Math.max(maxHeadBytes, RuleSpec.MAX_ID_LENGTH);
    reads[0] = new Read(partBytes);
    ipv6MaskHigh = IpAddress.maskHigh(settings.ipv6Prefix());
    ipv6MaskLow = IpAddress.maskLow(settings.ipv6Prefix());
  }

  /** The request of a question, for which a rule is to be found. */
  public MatchedRequest matched(Question question) {
    return matched.of(question);
  }

  /**
   * Reads the identities of a rule, one by each of its keys: from the question if it gives them,
   * else from its request, with the same bytes. Allocates only if a rule has more keys, or a key
   * more parts, than any before.
   *
   * @return null, and {@link #of} returns them until the next read; or the reason to refuse the
   *     request.
   */
  public RefusalReason read(Rule rule, Question question) {
    for (int group = 0; group < rule.groupCount(); group++) {
      RefusalReason refusal = read(rule, question, group);
      if (refusal != null) {
        return refusal;
      }
    }
    return null;
  }

  /**
   * The groups that all rules share whose key a question does not have, a bit each, the first the
   * lowest.
   */
  public int missing(Rule rule, Question question) {
    int missing = 0;
    for (int group = 0; group < rule.groupCount(); group++) {
      boolean isShared = (rule.everywhereGroups() >>> group & 1) != 0;
      if (isShared && read(rule, question, group) == RefusalReason.IDENTITY_MISSING) {
        missing |= 1 << group;
      }
    }
    return missing;
  }

  /** The groups whose keys are not given whole, a bit each, the first the lowest. */
  public static int notGiven(Rule rule, Question question) {
    int notGiven = 0;
    for (int group = 0; group < rule.groupCount(); group++) {
      KeySpec key = rule.group(group).key();
      for (int i = 0; i < key.partCount(); i++) {
        if (given(key.part(i), question) < 0) {
          notGiven |= 1 << group;
        }
      }
    }
    return notGiven;
  }

  /** Reads the identity of one group of a rule's budgets, like {@link #read(Rule, Question)}. */
  public RefusalReason read(Rule rule, Question question, int group) {
    BudgetGroup budgets = rule.group(group);
    reads[group] = withRoom(reads[group], budgets.key());
    return read(budgets.key(), budgets, budgets.onMissingKey(), question, reads[group]);
  }

  /**
   * Reads who the user of a question is.
   *
   * @param key that tells users apart.
   * @return the user, until the next one is read; null if the question does not say it.
   */
  public Identity user(KeySpec key, Question question) {
    user = withRoom(user, key);
    RefusalReason none = read(key, null, OnMissingKey.REFUSE, question, user);
    return none == null ? user : null;
  }

  /** The hash of the identity that one source names with a value, which is no address. */
  public static long hashOf(String value, KeyHasher hasher) {
    byte[] utf8 = value.getBytes(StandardCharsets.UTF_8);
    UnsafeBuffer identity = new UnsafeBuffer(new byte[PART_HEADER_BYTES + utf8.length]);
    identity.putByte(0, VALUE);
    identity.putInt(1, utf8.length, ByteOrder.BIG_ENDIAN);
    identity.putBytes(PART_HEADER_BYTES, utf8);
    return hasher.hash(identity, 0, identity.capacity());
  }

  /** Whether an identity of one source is a value, and no address. */
  public static boolean hasValue(Identity identity) {
    return identity.bytes().getByte(0) == VALUE;
  }

  /** The value that {@link #hashOf} makes the identity of. */
  public static String valueOf(Identity identity) {
    byte[] utf8 = new byte[identity.length() - PART_HEADER_BYTES];
    identity.bytes().getBytes(PART_HEADER_BYTES, utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }

  /**
   * Which of some values a question has. Nobody's header counts but a trusted peer's.
   *
   * @param source a header, or a claim.
   * @return its index; negative if the question has none of them, or another one.
   */
  public int indexOf(KeyPart source, byte[][] values, Question question) {
    if (compared == null) {
      compared = new Read(partBytes);
    }
    scratch = compared.bytes;
    length = 0;
    if (given(source, question) < 0 && !isBelieved(source, question.request())) {
      return -1;
    }
    if (append(source, OnMissingKey.REFUSE, question) != null) {
      return -1;
    }
    int index = values.length - 1;
    while (index >= 0 && !isLast(values[index])) {
      index--;
    }
    return index;
  }

  private static boolean isBelieved(KeyPart source, RequestView request) {
    return request != null
        && (source.isVerified() || request.peer() != null && request.peer().trusted());
  }

  /** Whether the value that was read last is a given one. */
  private boolean isLast(byte[] value) {
    boolean isSame = length == PART_HEADER_BYTES + value.length;
    for (int i = 0; isSame && i < value.length; i++) {
      isSame = scratch.getByte(PART_HEADER_BYTES + i) == value[i];
    }
    return isSame;
  }

  private Read withRoom(Read known, KeySpec key) {
    int capacity = key.partCount() * partBytes;
    return known == null || known.bytes.capacity() < capacity ? new Read(capacity) : known;
  }

  /**
   * @param owner of a key of all callers; null for other keys.
   */
  private RefusalReason read(
      KeySpec key, BudgetGroup owner, OnMissingKey onMissing, Question question, Read into) {
    scratch = into.bytes;
    length = 0;
    for (int i = 0; i < key.partCount(); i++) {
      KeyPart part = key.part(i);
      RefusalReason refusal =
          part.source() == KeyPart.Source.ALL
              ? appendOwner(owner)
              : append(part, onMissing, question);
      if (refusal != null) {
        return refusal;
      }
    }
    into.length = length;
    into.hash = hasher.hash(scratch, 0, length);
    return null;
  }

  @Override
  public Identity of(int group) {
    return reads[group];
  }

  /** All callers together: the identity is the rule's id. */
  private RefusalReason appendOwner(BudgetGroup budgets) {
    byte[] owner = budgets.ruleId();
    scratch.putBytes(length + PART_HEADER_BYTES, owner);
    return appendValue(owner.length, OnMissingKey.SHARED, null);
  }

  private RefusalReason append(KeyPart part, OnMissingKey onMissing, Question question) {
    int given = given(part, question);
    if (given >= 0) {
      return appendGiven(part, onMissing, question, given);
    }
    return part.sourceCount() == 0
        ? append(part, onMissing, question.request())
        : appendFirst(part, onMissing, question);
  }

  /** Appends the first source that the question has with a value that is not empty. */
  private RefusalReason appendFirst(KeyPart part, OnMissingKey onMissing, Question question) {
    RequestView request = question.request();
    for (int i = 0; i < part.sourceCount(); i++) {
      KeyPart source = part.source(i);
      int given = given(source, question);
      if (given >= 0) {
        return appendGiven(source, onMissing, question, given);
      }
      boolean isAddress = source.source() == KeyPart.Source.IP;
      if (request == null || isAddress && request.peer() == null) {
        continue;
      }
      RefusalReason fault = tokenFault(source, request);
      if (fault != null) {
        return fault;
      }
      int valueLength = isAddress ? 0 : value(source, request, length + PART_HEADER_BYTES);
      if (isAddress || valueLength > 0 || valueLength == PairReader.TWICE) {
        return isAddress
            ? append(source, onMissing, request)
            : appendValue(valueLength, onMissing, request);
      }
    }
    return appendValue(PairReader.ABSENT, onMissing, request);
  }

  /**
   * The index of the given identity for a source, by its text rather than by another name; negative
   * if there is none.
   */
  private static int given(KeyPart part, Question question) {
    int named = -1;
    for (int i = 0; i < question.identityCount(); i++) {
      String name = question.identityName(i);
      if (part.toString().equals(name)) {
        return i;
      }
      named = named < 0 && part.isNamed(name) ? i : named;
    }
    return named;
  }

  private RefusalReason appendGiven(
      KeyPart part, OnMissingKey onMissing, Question question, int index) {
    DirectBuffer bytes = question.identityBytes(index);
    int from = question.identityOffset(index);
    int given = question.identityLength(index);
    if (given > partBytes - PART_HEADER_BYTES) {
      return RefusalReason.IDENTITY_AMBIGUOUS; // no request says as much
    }
    int at = length + PART_HEADER_BYTES;
    switch (part.source()) {
      case IP -> {
        if (!address.parseAddress(bytes, from, from + given)) {
          return RefusalReason.IDENTITY_AMBIGUOUS;
        }
        appendAddress(ADDRESS, address.high(), address.low());
        return null;
      }
      case HOST -> {
        return appendValue(host(bytes, from, given, at), onMissing, question.request());
      }
      case HEADER, COOKIE, QUERY, JWT, TLS_SAN, TLS_SPIFFE, TLS_CN, FIRST_OF ->
          scratch.putBytes(at, bytes, from, given);
      case ALL -> throw new AssertionError("is nobody's");
    }
    return appendValue(given, onMissing, question.request());
  }

  /**
   * @param request null if there is none.
   */
  private RefusalReason append(KeyPart part, OnMissingKey onMissing, RequestView request) {
    if (request == null) {
      return part.source() == KeyPart.Source.IP
          ? RefusalReason.IDENTITY_MISSING
          : appendValue(PairReader.ABSENT, onMissing, null);
    }
    if (part.source() == KeyPart.Source.IP) {
      if (request.peer() == null) {
        return RefusalReason.IDENTITY_MISSING; // it is an endpoint, and nobody's request
      }
      appendAddress(ADDRESS, request);
      return null;
    }
    RefusalReason fault = tokenFault(part, request);
    if (fault != null) {
      return fault;
    }
    return appendValue(value(part, request, length + PART_HEADER_BYTES), onMissing, request);
  }

  /** Why the token that a source is a claim of is refused; null if it is not, or for no claim. */
  private RefusalReason tokenFault(KeyPart source, RequestView request) {
    return source.source() == KeyPart.Source.JWT ? claims.read(request) : null;
  }

  /**
   * Appends a part whose value has been copied, or what {@code on-missing-key} puts in the place of
   * an absent one.
   */
  private RefusalReason appendValue(int valueLength, OnMissingKey onMissing, RequestView request) {
    if (valueLength == PairReader.TWICE) {
      return RefusalReason.IDENTITY_AMBIGUOUS;
    }
    if (valueLength == PairReader.ABSENT || valueLength == 0 && onMissing == OnMissingKey.REFUSE) {
      switch (onMissing) {
        case REFUSE -> {
          return RefusalReason.IDENTITY_MISSING;
        }
        case IP -> {
          if (request == null || request.peer() == null) {
            return RefusalReason.IDENTITY_MISSING;
          }
          appendAddress(STAND_IN, request);
        }
        case SHARED -> appendHeader(ABSENT, 0);
      }
      return null;
    }
    appendHeader(VALUE, valueLength);
    length += valueLength;
    return null;
  }

  /**
   * Copies a part's value to the scratch buffer; returns its length, {@link PairReader#ABSENT} or
   * {@link PairReader#TWICE}.
   */
  private int value(KeyPart part, RequestView request, int at) {
    return switch (part.source()) {
      case HOST -> host(request.bytes(), request.authorityOffset(), request.authorityLength(), at);
      case HEADER -> header(part.header(), request, at);
      case COOKIE -> PairReader.cookie(part.name(), request, scratch, at);
      case QUERY -> PairReader.query(part.name(), request, scratch, at);
      case JWT -> claims.claim(part.name(), scratch, at);
      case TLS_SAN, TLS_SPIFFE, TLS_CN -> certificate(part.source(), request.peer(), at);
      case ALL, IP, FIRST_OF -> throw new AssertionError("has no value of its own");
    };
  }

  /** Names of the connection's certificate, read once in the handshake. */
  private int certificate(KeyPart.Source source, Peer peer, int at) {
    CertificateNames names = peer == null ? null : peer.certificate();
    byte[] name =
        names == null
            ? null
            : switch (source) {
              case TLS_SAN -> names.san();
              case TLS_SPIFFE -> names.spiffe();
              case TLS_CN -> names.cn();
              case ALL, IP, HOST, HEADER, COOKIE, QUERY, JWT, FIRST_OF ->
                  throw new AssertionError(source);
            };
    if (name == null) {
      return PairReader.ABSENT;
    }
    if (name.length > partBytes - PART_HEADER_BYTES) {
      return PairReader.TWICE; // longer than any identity may be: nobody's
    }
    scratch.putBytes(at, name);
    return name.length;
  }

  /**
   * Copies the host that is forwarded: that of the target, if it has one, else of the Host field;
   * in lower case, without a dot at the end and without the port, as services take all these
   * spellings for one host.
   */
  private int host(DirectBuffer bytes, int from, int hostLength, int at) {
    if (hostLength == 0) {
      return PairReader.ABSENT;
    }
    int end = HostName.end(bytes, from, from + hostLength);
    for (int i = from; i < end; i++) {
      scratch.putByte(at + i - from, SegmentLabel.lowerCase(bytes.getByte(i)));
    }
    return end - from;
  }

  private int header(FieldName name, RequestView request, int at) {
    int index = request.findField(name, 0);
    if (index < 0) {
      return PairReader.ABSENT;
    }
    if (request.findField(name, index + 1) >= 0) {
      return PairReader.TWICE;
    }
    DirectBuffer bytes = request.bytes();
    int valueLength = request.valueLength(index);
    scratch.putBytes(at, bytes, request.valueOffset(index), valueLength);
    return valueLength;
  }

  private void appendAddress(byte tag, RequestView request) {
    clientIp.read(request);
    appendAddress(tag, clientIp.high(), clientIp.low());
  }

  private void appendAddress(byte tag, long high, long low) {
    boolean v4 = high == 0 && low >>> 32 == 0xFFFF;
    appendHeader(tag, ADDRESS_BYTES);
    scratch.putLong(length, v4 ? high : high & ipv6MaskHigh, ByteOrder.BIG_ENDIAN);
    scratch.putLong(length + Long.BYTES, v4 ? low : low & ipv6MaskLow, ByteOrder.BIG_ENDIAN);
    length += ADDRESS_BYTES;
  }

  private void appendHeader(byte tag, int valueLength) {
    scratch.putByte(length, tag);
    scratch.putInt(length + 1, valueLength, ByteOrder.BIG_ENDIAN);
    length += PART_HEADER_BYTES;
  }
}
