package dev.weir.proxy.tls;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;

/**
 * The little of DER (X.690) that older forms of private keys need to become PKCS#8 (RFC 5958): a
 * version, the key's algorithm, and the old form as it is.
 */
final class Der {
  private static final int INTEGER = 0x02;
  private static final int OCTETS = 0x04;
  private static final int SEQUENCE = 0x30;

  /** The parameters of an EC key, explicitly tagged (RFC 5915). */
  private static final int EC_PARAMETERS = 0xA0;

  private static final byte[] VERSION_0 = {INTEGER, 1, 0};

  /** {@code 1.2.840.113549.1.1.1} and NULL. */
  private static final byte[] RSA = {
    0x06, 9, 0x2A, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xF7, 0x0D, 1, 1, 1, 0x05, 0
  };

  /** {@code 1.2.840.10045.2.1}. */
  private static final byte[] EC = {0x06, 7, 0x2A, (byte) 0x86, 0x48, (byte) 0xCE, 0x3D, 2, 1};

  private Der() {}

  /** PKCS#8 of a key in PKCS#1. */
  static byte[] pkcs8OfRsa(byte[] pkcs1) {
    return tagged(SEQUENCE, VERSION_0, tagged(SEQUENCE, RSA), tagged(OCTETS, pkcs1));
  }

  /** PKCS#8 of a key in the form of SEC 1; null if it does not say which curve it is on. */
  static byte[] pkcs8OfEc(byte[] sec1) {
    byte[] curve = curve(sec1);
    return curve == null
        ? null
        : tagged(SEQUENCE, VERSION_0, tagged(SEQUENCE, EC, curve), tagged(OCTETS, sec1));
  }

  private static byte[] curve(byte[] sec1) {
    try {
      int at = contentOffset(sec1, 0);
      while (at < sec1.length) {
        int content = contentOffset(sec1, at);
        int end = content + length(sec1, at);
        if ((sec1[at] & 0xFF) == EC_PARAMETERS) {
          return end > sec1.length ? null : Arrays.copyOfRange(sec1, content, end);
        }
        at = end;
      }
    } catch (ArrayIndexOutOfBoundsException cut) {
      return null;
    }
    return null;
  }

  private static int contentOffset(byte[] der, int at) {
    int first = der[at + 1] & 0xFF;
    return at + 2 + (first < 0x80 ? 0 : first & 0x7F);
  }

  private static int length(byte[] der, int at) {
    int first = der[at + 1] & 0xFF;
    if (first < 0x80) {
      return first;
    }
    int length = 0;
    for (int i = 0; i < (first & 0x7F); i++) {
      length = length << 8 | der[at + 2 + i] & 0xFF;
    }
    if (length < 0) {
      throw new ArrayIndexOutOfBoundsException(length);
    }
    return length;
  }

  private static byte[] tagged(int tag, byte[]... contents) {
    int length = Arrays.stream(contents).mapToInt(content -> content.length).sum();
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    if (length < 0x80) {
      out.write(length);
    } else if (length < 0x100) {
      out.write(0x81);
      out.write(length);
    } else {
      out.write(0x82);
      out.write(length >>> 8);
      out.write(length);
    }
    for (byte[] content : contents) {
      out.writeBytes(content);
    }
    return out.toByteArray();
  }
}
