package dev.weir.proxy.rule;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.spec.CidrSet;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostName;
import dev.weir.proxy.rule.spec.IpText;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.ValueSink;
import org.agrona.ExpandableArrayBuffer;

/**
 * A request while its rule is looked for. It reads what rules ask of the request, where that lies
 * and only when it is asked; a check's identities take the place of what its endpoint does not say.
 *
 * <p>One per event loop, filled anew for each request; allocates nothing once it has seen the
 * longest query.
 */
public final class MatchedRequest {
  private static final int NONE = -1;

  private final ClientAddress client;
  private final HostName host = new HostName();
  private final IpText givenAddress = new IpText();
  private final ExpandableArrayBuffer decoded = new ExpandableArrayBuffer(256);
  private final ExactSearch search = new ExactSearch(this);
  private Question question;
  private RequestView view;
  private boolean isAddressRead;
  private boolean hasAddress;
  private long addressHigh;
  private long addressLow;

  /**
   * @param client of the same event loop.
   */
  public MatchedRequest(ClientAddress client) {
    this.client = client;
  }

  /** Starts with a question that has a request or an endpoint. */
  public MatchedRequest of(Question asked) {
    return of(asked, asked.request());
  }

  /** Starts with a request. */
  public MatchedRequest of(RequestView request) {
    return of(null, request);
  }

  private MatchedRequest of(Question asked, RequestView request) {
    question = asked != null && asked.identityCount() > 0 ? asked : null;
    view = request;
    isAddressRead = false;
    return this;
  }

  RequestView view() {
    return view;
  }

  /** The host, read anew. */
  HostName host() {
    int given = given(KeyPart.HOST);
    if (given == NONE) {
      host.read(view.bytes(), view.authorityOffset(), view.authorityLength());
    } else {
      host.read(
          question.identityBytes(given),
          question.identityOffset(given),
          question.identityLength(given));
    }
    return host;
  }

  /** Whether the client's address is known, and in one of the networks. */
  public boolean isWithin(CidrSet networks) {
    if (!isAddressRead) {
      hasAddress = readAddress();
      isAddressRead = true;
    }
    return hasAddress && networks.contains(addressHigh, addressLow);
  }

  private boolean readAddress() {
    int given = given(KeyPart.IP);
    if (given != NONE) {
      int from = question.identityOffset(given);
      int to = from + question.identityLength(given);
      boolean isAddress = givenAddress.parseAddress(question.identityBytes(given), from, to);
      addressHigh = givenAddress.high();
      addressLow = givenAddress.low();
      return isAddress;
    }
    if (view == null || view.peer() == null) {
      return false;
    }
    client.read(view);
    addressHigh = client.high();
    addressLow = client.low();
    return true;
  }

  /** Whether a condition holds. */
  boolean fulfils(FieldCondition condition) {
    return switch (pass(condition.part(), condition)) {
      case NONE -> condition.mayBeAbsent();
      case OTHERS -> false;
      case ENOUGH -> true;
    };
  }

  /** The search by index of this request. */
  ExactSearch search() {
    return search;
  }

  /** Passes the values of a header or query parameter to a sink, until one is enough. */
  ValuesFound pass(KeyPart part, ValueSink sink) {
    int given = given(part);
    if (given == NONE) {
      return part.source() == KeyPart.Source.HEADER
          ? passHeader(part.header(), sink)
          : PairReader.query(part.name(), view, decoded, sink);
    }
    boolean isEnough =
        sink.value(
            question.identityBytes(given),
            question.identityOffset(given),
            question.identityLength(given));
    return isEnough ? ValuesFound.ENOUGH : ValuesFound.OTHERS;
  }

  private ValuesFound passHeader(FieldName name, ValueSink sink) {
    int field = view.findField(name, 0);
    ValuesFound found = field < 0 ? ValuesFound.NONE : ValuesFound.OTHERS;
    for (; field >= 0; field = view.findField(name, field + 1)) {
      if (sink.value(view.bytes(), view.valueOffset(field), view.valueLength(field))) {
        return ValuesFound.ENOUGH;
      }
    }
    return found;
  }

  private int given(KeyPart part) {
    for (int i = 0; question != null && i < question.identityCount(); i++) {
      if (part.isNamed(question.identityName(i))) {
        return i;
      }
    }
    return NONE;
  }
}
