package dev.weir.proxy.http1;

import dev.weir.proxy.request.Ascii;
import org.agrona.DirectBuffer;

/**
 * The framing of a body by the fields of its head (RFC 9112, section 6). Stricter than the RFC
 * where leniency allows request smuggling: a second Content-Length, even an equal one, a list of
 * lengths, any transfer coding but one {@code chunked}, and both fields together are refused.
 */
final class BodyFraming {
  private static final byte[] CHUNKED = {'c', 'h', 'u', 'n', 'k', 'e', 'd'};

  private long contentLength;
  private boolean contentLengthCanonical;
  private boolean chunked;

  void reset() {
    contentLength = -1;
    contentLengthCanonical = true;
    chunked = false;
  }

  /** Takes a Content-Length field; false if it is malformed or not the first. */
  boolean contentLength(DirectBuffer bytes, int offset, int length) {
    long value = Ascii.decimal(bytes, offset, length);
    if (contentLength >= 0 || value == Ascii.NO_NUMBER) {
      return false;
    }
    contentLength = value;
    contentLengthCanonical = length == 1 || bytes.getByte(offset) != '0';
    return true;
  }

  /**
   * Takes a Transfer-Encoding field; false unless it is the first one, with the value {@code
   * chunked}.
   */
  boolean transferEncoding(DirectBuffer bytes, int offset, int length) {
    if (chunked || !Ascii.equalsIgnoreCase(bytes, offset, length, CHUNKED)) {
      return false;
    }
    chunked = true;
    return true;
  }

  /** The length that Content-Length gives; -1 if there is no such field. */
  long contentLength() {
    return contentLength;
  }

  /** Whether the length was written as its shortest decimal. */
  boolean contentLengthCanonical() {
    return contentLengthCanonical;
  }

  boolean chunked() {
    return chunked;
  }
}
