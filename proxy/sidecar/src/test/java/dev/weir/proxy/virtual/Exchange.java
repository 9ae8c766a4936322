package dev.weir.proxy.virtual;

import java.util.List;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One request of a client: what it says, what the service does with it, and what became of it. Both
 * ends know it by its number, and the bytes of both bodies follow from that.
 */
final class Exchange {
  /** What the service does. */
  enum Deed {
    ANSWERS,
    /** Answers when it has the head, whatever of the body is on the way. */
    ANSWERS_EARLY,
    IS_SILENT,
    /** Reads next to nothing of a body that fills the window of a connection, and says nothing. */
    IS_NOT_READ,
    /** Ends its response too early, as if nothing were wrong. */
    CUTS_OFF,
    /** Breaks the connection, or resets the stream, within its response. */
    BREAKS_OFF
  }

  /** How a body of HTTP/1.1 ends. */
  enum Framing {
    LENGTH,
    CHUNKS,
    CONNECTION
  }

  /** What became of the units that it costs. */
  enum Cost {
    /** It came to the service, and so was charged. */
    PASSED,
    /** It was charged, and failed then. */
    CHARGED,
    /** Nobody knows whether it was charged. */
    PERHAPS,
    /** It was not charged, or got its charge back. */
    NOT_CHARGED,
    /** A limit refused it. */
    REFUSED
  }

  private static final int NONE = -1;
  private static final int NEVER = Integer.MAX_VALUE;
  private static final Pattern REASON = Pattern.compile("\"reason\":\"(\\w+)\"");
  private static final int MOST_BYTES = 200_000;

  /** A body of so many bytes less than {@link #MOST_BYTES} is more than any window. */
  private static final int WIDE_BYTES = 130_000;

  /** Each body begins somewhere in these. */
  private static final byte[] BODIES = new byte[MOST_BYTES + (1 << 10)];

  static {
    for (int i = 0; i < BODIES.length; i++) {
      BODIES[i] = (byte) ('!' + (i + (i >> 6)) % 90);
    }
  }

  final int id;
  final String method;

  /** Its identities, in the order of {@link DrawnRule#FIELDS}. */
  final List<String> identities;

  final int requestBytes;
  private final int requestAt;
  private final int responseAt;
  final Framing requestFraming;

  /** Whether the client waits for a 100 before it sends the body. */
  final boolean expects;

  final boolean isHttp10;
  final boolean closesClient;

  final Deed deed;
  final int responseBytes;
  final Framing responseFraming;

  /** How many bytes of its response the service sends, if it does not send all. */
  final int sentBytes;

  final boolean informs;
  final boolean closesService;

  /** What its response tells as its cost, in the head and again in the trailers: so many values. */
  final List<String> costs;

  private final IntSupplier moments;

  /** When its client began to send it, of the moments of an episode; in no time, if it did not. */
  int beganAt = NEVER;

  /** When it came to the service. */
  int arrivedAt = NEVER;

  /** When the service had sent its response, or would send no more of it. */
  int sentAt = NEVER;

  /** When its client had the head of a response. */
  int answeredAt = NEVER;

  /** When its client had all of a response. */
  int doneAt = NEVER;

  /** How often it has come to the service. */
  int arrivals;

  int arrivedBytes;
  boolean hasArrived;

  /** Whether the service has sent all of its response. */
  boolean isAnswered;

  /** Whether the service may say, or show by a break, that it has not looked at it. */
  boolean mayBeTurnedAway;

  /** Whether its client has not got all of a response. */
  boolean isCutOff;

  /** Whether a request before it on its connection may have ended that. */
  boolean endedBefore;

  private int status = NONE;
  private boolean isOfService;
  private int gotBytes;

  /** The body of an answer that is not the service's. */
  private final StringBuilder own = new StringBuilder();

  /** Whether the client has got all of a response. */
  boolean isDone;

  /**
   * @param keys begins the names of all clients of an episode.
   * @param isCalm whether the service answers, whatever else it does.
   * @param isNotRead whether the service does not read this one.
   * @param hasCosts whether responses tell costs.
   * @param moments the next moment of the episode.
   */
  Exchange(
      int id,
      String keys,
      boolean isCalm,
      boolean isNotRead,
      boolean hasCosts,
      IntSupplier moments,
      Choices choices) {
    this.id = id;
    this.moments = moments;
    identities =
        List.of(keys + "u" + choices.of(0, 0, 1, 2), keys + "g" + choices.below(2), keys + "r" + 0);
    requestBytes = isNotRead ? MOST_BYTES - choices.below(WIDE_BYTES) : bytes(choices);
    requestAt = 37 * id & 0x1ff;
    responseAt = requestAt + 0x200;
    method = requestBytes > 0 ? "POST" : choices.oneIn(6) ? "HEAD" : "GET";
    isHttp10 = choices.oneIn(16);
    requestFraming = !isHttp10 && choices.below(2) == 1 ? Framing.CHUNKS : Framing.LENGTH;
    expects = requestBytes > 0 && !isHttp10 && choices.oneIn(8);
    closesClient = choices.oneIn(16);
    deed =
        switch (isNotRead ? 16 : choices.below(isCalm ? 12 : 16)) {
          case 16 -> Deed.IS_NOT_READ;
          case 15 -> Deed.ANSWERS_EARLY;
          case 14 -> Deed.IS_SILENT;
          case 13 -> Deed.CUTS_OFF;
          case 12 -> Deed.BREAKS_OFF;
          default -> Deed.ANSWERS;
        };
    int wholeBytes = bytes(choices);
    responseFraming = Framing.values()[choices.of(0, 0, 0, 1, 1, 2)];
    boolean isCut = deed == Deed.CUTS_OFF || deed == Deed.BREAKS_OFF;
    sentBytes = isCut ? choices.below(wholeBytes + 1) : wholeBytes;
    // Where the end of the connection is the end of the body, nobody can see that it was cut off.
    boolean looksWhole = deed == Deed.CUTS_OFF && responseFraming == Framing.CONNECTION;
    responseBytes = looksWhole ? sentBytes : wholeBytes;
    informs = choices.oneIn(16);
    closesService = choices.oneIn(8);
    costs = hasCosts ? costs(choices) : List.of();
  }

  /** A cost; at times a large one, two, one that is no number, or none. */
  private static List<String> costs(Choices choices) {
    String cost = Integer.toString(choices.of(1, 0, 2, 5));
    return switch (choices.below(8)) {
      case 7 -> List.of();
      case 6 -> List.of(choices.below(2) == 1 ? "-1" : "2 units");
      case 5 -> List.of(cost, cost);
      case 4 -> List.of(Integer.toString(choices.of(7, 12, 50)));
      default -> List.of(cost);
    };
  }

  /** Mostly few, so that there is time for many episodes; at times more than buffers hold. */
  private static int bytes(Choices choices) {
    return switch (choices.below(16)) {
      case 15 -> choices.below(choices.oneIn(8) ? MOST_BYTES : 20_000);
      case 12, 13, 14 -> choices.below(6_000);
      case 4, 5, 6, 7, 8, 9, 10, 11 -> choices.below(200);
      default -> 0;
    };
  }

  /** Adds bytes of the request's body. */
  void addRequest(ByteQueue to, int at, int count) {
    to.add(BODIES, requestAt + at, count);
  }

  /** Adds bytes of the response's body. */
  void addResponse(ByteQueue to, int at, int count) {
    to.add(BODIES, responseAt + at, count);
  }

  /** The client sends the first of it, or more. */
  void began() {
    beganAt = Math.min(beganAt, moments.getAsInt());
  }

  /** The service has sent all that it sends of its response. */
  void sent() {
    sentAt = Math.min(sentAt, moments.getAsInt());
  }

  /** Whether its response has a trailer section. */
  boolean hasTrailers() {
    return responseFraming == Framing.CHUNKS && !method.equals("HEAD");
  }

  /** The content that its whole response has. */
  int contentBytes() {
    return method.equals("HEAD") ? 0 : responseBytes;
  }

  /** The head has come to the service. */
  void arrived(String onMethod) {
    arrivedAt = Math.min(arrivedAt, moments.getAsInt());
    arrivals++;
    check(arrivals == 1, "comes to the service a second time");
    check(status != 429 && status != 503, "comes to the service though it was refused");
    check(onMethod.equals(method), "comes to the service as " + onMethod);
  }

  /** Bytes of the body have come to the service. */
  void requestData(ByteQueue in, int count) {
    check(arrivedBytes + count <= requestBytes, "a longer body");
    check(in.startsWith(BODIES, requestAt + arrivedBytes, count), "a body with other bytes");
    in.skip(count);
    arrivedBytes += count;
  }

  /** All of it has come to the service. */
  void requestEnded() {
    check(arrivedBytes == requestBytes, "a body of " + arrivedBytes + " bytes");
    hasArrived = true;
  }

  /**
   * The client has got a response's head.
   *
   * @param of the number that the service gave it; null if the response is Weir's own.
   */
  void answered(int gotStatus, String of) {
    check(status == NONE, "a second response");
    status = gotStatus;
    answeredAt = moments.getAsInt();
    isOfService = of != null;
    if (isOfService) {
      check(of.equals(Integer.toString(id)), "has the response to " + of);
      check(arrivals == 1, "answered by a service that has not seen it");
      check(status == 200, "the service's status has become " + status);
    } else {
      check(status >= 400, "a response of nobody: " + status);
      check(status == 429 || status >= 500 || status == 408 || status == 400, "status " + status);
    }
  }

  /** The status that the client has got; negative if it has got none. */
  int status() {
    return status;
  }

  /** The reason for which Weir has answered it; empty if the answer does not tell. */
  String reason() {
    Matcher reason = REASON.matcher(own);
    return reason.find() ? reason.group(1) : "";
  }

  /** What became of the units that it costs. */
  Cost cost() {
    // What had a stream stays charged, even if a service of HTTP/2 has not looked at it.
    boolean isSurelyUnsent = reason().equals("upstream_busy") && !mayBeTurnedAway;
    if (arrivals > 0) {
      return Cost.PASSED;
    }
    return switch (status) {
      case 429 -> Cost.REFUSED;
      case 502, 504 -> Cost.CHARGED;
      case 503 -> isSurelyUnsent ? Cost.NOT_CHARGED : Cost.PERHAPS;
      default -> Cost.PERHAPS;
    };
  }

  /** Whether the response is the service's. */
  boolean isOfService() {
    return isOfService;
  }

  /** The client has got bytes of the response. */
  void responseData(ByteQueue in, int count) {
    if (isOfService) {
      check(gotBytes + count <= responseBytes, "a longer response");
      check(in.startsWith(BODIES, responseAt + gotBytes, count), "a response with other bytes");
      in.skip(count);
    } else {
      own.append(in.text(count));
    }
    gotBytes += count;
  }

  /** The client has got the end of the response. */
  void responseEnded() {
    isDone = true;
    doneAt = moments.getAsInt();
    if (isOfService && !method.equals("HEAD")) {
      check(gotBytes == responseBytes, gotBytes + " bytes look like all");
    }
  }

  /**
   * Finds what became of it right, once nothing happens any more.
   *
   * @param isCalm whether nobody has done anything bad: only what is short of may then be refused.
   * @param isStoreKind whether the store has answered everything in time.
   */
  void check(boolean isCalm, boolean isStoreKind) {
    if (status == 503 && isDone && !method.equals("HEAD")) {
      boolean mayBe = reason().equals("upstream_busy") || reason().equals("store_unavailable");
      check(mayBe, "gets 503 for " + reason());
      check(!isStoreKind || !reason().equals("store_unavailable"), "asks a store that decides");
    }
    if (deed == Deed.IS_NOT_READ) {
      check(!isOfService, "is answered by a service that does not read it");
    } else if (isCalm && isCutOff) {
      check(endedBefore, "is cut off though nobody did anything bad");
    } else if (isCalm && !isOfService) {
      check(status == 429 || status == 503, "gets " + status + " though nobody did anything bad");
    }
  }

  private void check(boolean holds, String fault) {
    if (!holds) {
      throw new AssertionError(this + ": " + fault);
    }
  }

  @Override
  public String toString() {
    return "request "
        + id
        + " ("
        + (isHttp10 ? "HTTP/1.0 " : "")
        + method
        + ' '
        + requestBytes
        + (requestFraming == Framing.CHUNKS ? " in chunks" : "")
        + (expects ? " expects 100" : "")
        + " -> "
        + deed
        + ' '
        + sentBytes
        + " of "
        + responseBytes
        + ' '
        + responseFraming
        + (informs ? " informs" : "")
        + (closesService ? " closes" : "")
        + " by "
        + identities
        + ")";
  }
}
