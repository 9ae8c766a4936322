package dev.weir.proxy.decision.http;

import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * The tokens of whom is trusted, as clients show them: {@code authorization: Bearer TOKEN}. Others
 * may take their place while they are in use. Any thread.
 */
public final class Tokens {
  /** There are none, and none is required. */
  public static final Tokens NONE = new Tokens(List.of(), false);

  public static final String EXPECTED =
      "authorization: no token that is known (expected: Bearer TOKEN)";

  private static final FieldName AUTHORIZATION = FieldName.of("authorization");
  private static final byte[] BEARER = HttpRoute.ascii("bearer ");

  private volatile byte[][] tokens;
  private final boolean required;

  /**
   * @param required whether all that asks needs one, and not only what changes something.
   */
  public Tokens(List<String> texts, boolean required) {
    tokens = bytes(texts);
    this.required = required;
  }

  private static byte[][] bytes(List<String> texts) {
    return texts.stream()
        .map(text -> text.getBytes(StandardCharsets.US_ASCII))
        .toArray(byte[][]::new);
  }

  /** From now on there are these, and no others. */
  public void replace(List<String> texts) {
    tokens = bytes(texts);
  }

  public boolean isEmpty() {
    return tokens.length == 0;
  }

  public boolean areRequired() {
    return required;
  }

  /** Whether a request has one of them. */
  boolean has(RequestView request) {
    int field = request.findField(AUTHORIZATION, 0);
    return field >= 0
        && find(request.bytes(), request.valueOffset(field), request.valueLength(field)) > 0;
  }

  /**
   * Which of the tokens the value of a field is, from 1; 0 if none. How long it takes says nothing
   * of how much of a token was right.
   */
  public int find(DirectBuffer bytes, int offset, int length) {
    int token = offset + BEARER.length;
    int tokenLength = length - BEARER.length;
    if (tokenLength <= 0) {
      return 0;
    }
    for (int i = 0; i < BEARER.length; i++) {
      byte b = bytes.getByte(offset + i);
      if ((b >= 'A' && b <= 'Z' ? b | 0x20 : b) != BEARER[i]) {
        return 0;
      }
    }
    int found = 0;
    byte[][] known = tokens;
    for (int i = 0; i < known.length; i++) {
      if (isEqual(known[i], bytes, token, tokenLength)) {
        found = i + 1;
      }
    }
    return found;
  }

  private static boolean isEqual(byte[] token, DirectBuffer bytes, int offset, int length) {
    int difference = token.length ^ length;
    for (int i = 0; i < length; i++) {
      difference |= token[i % token.length] ^ bytes.getByte(offset + i);
    }
    return difference == 0;
  }
}
