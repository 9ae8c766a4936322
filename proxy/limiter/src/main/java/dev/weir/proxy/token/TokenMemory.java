package dev.weir.proxy.token;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Remembers what was found out about tokens, until a time. A token is found by a hash of its last
 * bytes and then compared byte by byte, so no two tokens are ever taken for each other.
 *
 * <p>Records are appended to a ring of segments beside the heap, each allocated when it is needed
 * first; the oldest segment is overwritten. The table has the position of each record, counted from
 * 1 over all that was ever written, so that a position tells whether its record is still there.
 *
 * <pre>
 * byte 0        4        8         16     20            24
 *      | length | claims | until   | key  | version     | the token | its claims
 * length of the token, and of its claims, in bytes
 * until  in nanoseconds since 1970, exclusive
 * key    says by which key it was verified, or what is wrong with it
 * version of the key set by which the record was last true
 * </pre>
 *
 * One per event loop; a look-up allocates nothing.
 */
final class TokenMemory {
  /** The result if a token is not remembered. */
  static final int UNKNOWN = -1;

  private static final int CLAIMS_LENGTH = 4;
  private static final int UNTIL = 8;
  private static final int KEY = 16;
  private static final int VERSION = 20;
  private static final int HEADER_BYTES = 24;

  /** Places in which the position of one token may be. */
  private static final int WINDOW = 8;

  private final long[] places;
  private final UnsafeBuffer[] segments;
  private final int segmentBytes;

  /** The position at which the next record begins, if it fits into the segment. */
  private long end = 1;

  /**
   * @param places a power of two; the most tokens.
   * @param segments how many, each of {@code segmentBytes}.
   */
  TokenMemory(int places, int segments, int segmentBytes) {
    this.places = new long[places];
    this.segments = new UnsafeBuffer[segments];
    this.segmentBytes = segmentBytes;
  }

  /**
   * Finds a token.
   *
   * @param hash of the token's last bytes.
   * @return its record; or {@link #UNKNOWN}. Valid until the next {@link #put}.
   */
  int find(long hash, DirectBuffer bytes, int offset, int length, long nowNs) {
    for (int i = 0; i < WINDOW; i++) {
      long position = places[place(hash, i)];
      if (isKept(position)) {
        UnsafeBuffer segment = segment(position);
        int at = at(position);
        if (segment.getInt(at) == length
            && nowNs < segment.getLong(at + UNTIL)
            && isSame(segment, at + HEADER_BYTES, bytes, offset, length)) {
          return record(position);
        }
      }
    }
    return UNKNOWN;
  }

  /**
   * Remembers a token in the place of one that has gone, or of the one that was written first.
   *
   * @param claims as {@link Claims} has them.
   * @return its record.
   */
  int put(
      long hash,
      DirectBuffer bytes,
      int offset,
      int length,
      long untilNs,
      int key,
      int version,
      byte[] claims) {
    int recordBytes = align(HEADER_BYTES + length + claims.length);
    assert recordBytes <= segmentBytes : "the longest token fits";
    int left = segmentBytes - at(end);
    long position = left < recordBytes ? end + left : end;
    end = position + recordBytes;
    UnsafeBuffer segment = segment(position);
    int at = at(position);
    segment.putInt(at, length);
    segment.putInt(at + CLAIMS_LENGTH, claims.length);
    segment.putLong(at + UNTIL, untilNs);
    segment.putInt(at + KEY, key);
    segment.putInt(at + VERSION, version);
    segment.putBytes(at + HEADER_BYTES, bytes, offset, length);
    segment.putBytes(at + HEADER_BYTES + length, claims);
    places[oldest(hash)] = position;
    return record(position);
  }

  private int oldest(long hash) {
    int oldest = place(hash, 0);
    for (int i = 1; i < WINDOW; i++) {
      int place = place(hash, i);
      if (places[place] < places[oldest]) {
        oldest = place;
      }
    }
    return oldest;
  }

  private int place(long hash, int index) {
    return (int) hash + index & places.length - 1;
  }

  /** Whether a position is that of a record that was not overwritten; 0 is of none. */
  private boolean isKept(long position) {
    return position > 0
        && (end - 1) / segmentBytes - (position - 1) / segmentBytes < segments.length;
  }

  private UnsafeBuffer segment(long position) {
    int index = (int) ((position - 1) / segmentBytes % segments.length);
    if (segments[index] == null) {
      segments[index] = new UnsafeBuffer(ByteBuffer.allocateDirect(segmentBytes));
    }
    return segments[index];
  }

  private int at(long position) {
    return (int) ((position - 1) % segmentBytes);
  }

  /** A record's number: its place in the whole ring. */
  private int record(long position) {
    return (int) ((position - 1) % ((long) segmentBytes * segments.length));
  }

  private UnsafeBuffer segmentOf(int record) {
    return segments[record / segmentBytes];
  }

  private static int align(int bytes) {
    return bytes + Long.BYTES - 1 & -Long.BYTES;
  }

  private static boolean isSame(
      UnsafeBuffer mine, int at, DirectBuffer theirs, int offset, int length) {
    int i = 0;
    for (; i <= length - Long.BYTES; i += Long.BYTES) {
      if (mine.getLong(at + i) != theirs.getLong(offset + i)) {
        return false;
      }
    }
    for (; i < length; i++) {
      if (mine.getByte(at + i) != theirs.getByte(offset + i)) {
        return false;
      }
    }
    return true;
  }

  /** The key by which a token was verified, or what is wrong with it. */
  int key(int record) {
    return segmentOf(record).getInt(record % segmentBytes + KEY);
  }

  /** The version of the key set by which a record was last true. */
  int version(int record) {
    return segmentOf(record).getInt(record % segmentBytes + VERSION);
  }

  /** Says that a record is true by another version of the key set. */
  void version(int record, int version) {
    segmentOf(record).putInt(record % segmentBytes + VERSION, version);
  }

  /** The bytes in which a record's claims are. */
  DirectBuffer bytes(int record) {
    return segmentOf(record);
  }

  /** The place of a record's claims in its {@link #bytes}. */
  int claimsOffset(int record) {
    int at = record % segmentBytes;
    return at + HEADER_BYTES + segmentOf(record).getInt(at);
  }

  /** The length of a record's claims, in bytes. */
  int claimsLength(int record) {
    return segmentOf(record).getInt(record % segmentBytes + CLAIMS_LENGTH);
  }
}
