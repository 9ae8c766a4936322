package dev.weir.proxy.request;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A request's head as offsets into the bytes it arrived in: nothing is copied and nothing is
 * allocated. One per event loop, refilled for each request, valid only until the call it was passed
 * to returns. Who fills it vouches for the grammar; who reads it may rely on it.
 *
 * <ul>
 *   <li>The method is a token and case-sensitive.
 *   <li>The path is normalised (see the listener's target rules), starts with {@code /} (or is
 *       {@code *} for {@code OPTIONS *}) and is byte for byte what will be forwarded.
 *   <li>Fields are in the order of arrival, values without surrounding white space. Pseudo-header
 *       fields of HTTP/2 are not among them.
 * </ul>
 *
 * Not thread-safe.
 */
public final class RequestView {
  /** Stands for the length of content whose sender has not told it. */
  public static final long UNKNOWN_LENGTH = -1;

  private static final int INTS_PER_FIELD = 4;

  private final UnsafeBuffer bytes = new UnsafeBuffer(0, 0);
  private final int[] fields;
  private final boolean[] omitted;
  private int fieldCount;
  private int methodOffset;
  private int methodLength;
  private int pathOffset;
  private int pathLength;
  private int queryOffset;
  private int queryLength;
  private int authorityOffset;
  private int authorityLength;
  private long contentLength;
  private Peer peer;

  /**
   * @param maxFieldCount the most fields of a head.
   */
  public RequestView(int maxFieldCount) {
    this.fields = new int[maxFieldCount * INTS_PER_FIELD];
    this.omitted = new boolean[maxFieldCount];
  }

  /**
   * Starts a new request. All offsets count from the start of {@code source}.
   *
   * @param peer the other end of the connection; null for an endpoint.
   */
  public RequestView reset(DirectBuffer source, int offset, int length, Peer peer) {
    bytes.wrap(source, offset, length);
    this.peer = peer;
    fieldCount = 0;
    methodLength = 0;
    pathLength = 0;
    queryLength = -1;
    authorityLength = 0;
    contentLength = UNKNOWN_LENGTH;
    return this;
  }

  /** The most fields that a head may have. */
  public int maxFieldCount() {
    return omitted.length;
  }

  /** A copy, with memory of its own. */
  public RequestView copy() {
    RequestView copy = new RequestView(fieldCount);
    copy.copy(this, new ExpandableArrayBuffer());
    return copy;
  }

  /**
   * Becomes a copy of another view, which must not have more fields than fit here.
   *
   * @param into takes the bytes, one part after the other; grows as needed.
   */
  public void copy(RequestView from, MutableDirectBuffer into) {
    int at = 0;
    int methodAt = at;
    at = copy(from, from.methodOffset, from.methodLength, into, at);
    int pathAt = at;
    at = copy(from, from.pathOffset, from.pathLength, into, at);
    int authorityAt = at;
    at = copy(from, from.authorityOffset, from.authorityLength, into, at);
    int queryAt = at;
    at = copy(from, from.queryOffset, Math.max(0, from.queryLength), into, at);
    int fieldsAt = at;
    for (int i = 0; i < from.fieldCount; i++) {
      at = copy(from, from.nameOffset(i), from.nameLength(i), into, at);
      at = copy(from, from.valueOffset(i), from.valueLength(i), into, at);
    }
    reset(into, 0, at, from.peer);
    method(methodAt, from.methodLength);
    path(pathAt, from.pathLength);
    authority(authorityAt, from.authorityLength);
    contentLength = from.contentLength;
    if (from.queryLength >= 0) {
      query(queryAt, from.queryLength);
    }
    for (int i = 0; i < from.fieldCount; i++) {
      int valueAt = fieldsAt + from.nameLength(i);
      addField(fieldsAt, from.nameLength(i), valueAt, from.valueLength(i));
      omitted[i] = from.omitted[i];
      fieldsAt = valueAt + from.valueLength(i);
    }
  }

  private static int copy(
      RequestView from, int offset, int length, MutableDirectBuffer into, int at) {
    into.putBytes(at, from.bytes, offset, length);
    return at + length;
  }

  public void method(int offset, int length) {
    methodOffset = offset;
    methodLength = length;
  }

  public void path(int offset, int length) {
    pathOffset = offset;
    pathLength = length;
  }

  /** Sets the query, without its question mark. Not called if there is none. */
  public void query(int offset, int length) {
    queryOffset = offset;
    queryLength = length;
  }

  /** Sets the host and the optional port. */
  public void authority(int offset, int length) {
    authorityOffset = offset;
    authorityLength = length;
  }

  /**
   * Sets how many bytes of content the request has; {@link #UNKNOWN_LENGTH} unless it is told.
   *
   * @param bytes 0 for a request without content.
   */
  public void contentLength(long bytes) {
    contentLength = bytes;
  }

  /** Adds a field; false, and nothing is added, if there are too many. */
  public boolean addField(int nameOffset, int nameLength, int valueOffset, int valueLength) {
    int at = fieldCount * INTS_PER_FIELD;
    if (at == fields.length) {
      return false;
    }
    fields[at] = nameOffset;
    fields[at + 1] = nameLength;
    fields[at + 2] = valueOffset;
    fields[at + 3] = valueLength;
    omitted[fieldCount++] = false;
    return true;
  }

  /** Marks a field as removed or rewritten by the proxy: {@link #findField} does not find it. */
  public void omit(int fieldIndex) {
    omitted[fieldIndex] = true;
  }

  /** Whether a field is removed or rewritten by the proxy. */
  public boolean omits(int fieldIndex) {
    return omitted[fieldIndex];
  }

  /** The bytes that all offsets point into. */
  public DirectBuffer bytes() {
    return bytes;
  }

  /** The other end of the connection; null for an endpoint. */
  public Peer peer() {
    return peer;
  }

  public int methodOffset() {
    return methodOffset;
  }

  public int methodLength() {
    return methodLength;
  }

  public int pathOffset() {
    return pathOffset;
  }

  public int pathLength() {
    return pathLength;
  }

  public int queryOffset() {
    return queryOffset;
  }

  /** The query's length; -1 if the target has none, 0 if it ends in a question mark. */
  public int queryLength() {
    return queryLength;
  }

  public int authorityOffset() {
    return authorityOffset;
  }

  public int authorityLength() {
    return authorityLength;
  }

  /** Bytes of content, 0 or more; or {@link #UNKNOWN_LENGTH}. */
  public long contentLength() {
    return contentLength;
  }

  public int fieldCount() {
    return fieldCount;
  }

  /** The bytes of method, target and authority. */
  public int lineBytes() {
    return methodLength + pathLength + Math.max(0, queryLength) + authorityLength;
  }

  /** The bytes of all names and values, and so many more for each field. */
  public int fieldBytes(int perField) {
    int sum = 0;
    for (int i = 0; i < fieldCount; i++) {
      sum += nameLength(i) + valueLength(i) + perField;
    }
    return sum;
  }

  public int nameOffset(int fieldIndex) {
    return fields[fieldIndex * INTS_PER_FIELD];
  }

  public int nameLength(int fieldIndex) {
    return fields[fieldIndex * INTS_PER_FIELD + 1];
  }

  public int valueOffset(int fieldIndex) {
    return fields[fieldIndex * INTS_PER_FIELD + 2];
  }

  public int valueLength(int fieldIndex) {
    return fields[fieldIndex * INTS_PER_FIELD + 3];
  }

  /**
   * The index of the first forwarded field of that name at or after {@code fromIndex}; -1 if there
   * is none. A field that the service does not get must not tell two clients apart.
   */
  public int findField(FieldName name, int fromIndex) {
    int wanted = name.length();
    for (int i = fromIndex; i < fieldCount; i++) {
      if (nameLength(i) == wanted && !omitted[i] && name.matches(bytes, nameOffset(i), wanted)) {
        return i;
      }
    }
    return -1;
  }

  /**
   * The text at {@code offset}, one character per byte; for logs and tests, not for the hot path.
   */
  public String text(int offset, int length) {
    byte[] copy = new byte[length];
    bytes.getBytes(offset, copy);
    return new String(copy, StandardCharsets.ISO_8859_1);
  }

  @Override
  public String toString() {
    return text(methodOffset, methodLength)
        + ' '
        + text(pathOffset, pathLength)
        + " fields="
        + Arrays.toString(Arrays.copyOf(fields, fieldCount * INTS_PER_FIELD));
  }
}
