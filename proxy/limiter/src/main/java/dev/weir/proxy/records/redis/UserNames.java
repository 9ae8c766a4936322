package dev.weir.proxy.records.redis;

import dev.weir.proxy.rule.spec.PercentEncoding;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;

/** Names of users in Redis: identities of one part that is no secret, as names of budgets have. */
public final class UserNames {
  private static final int HEX = 16;

  private UserNames() {}

  /** The name of an identity that is no secret. */
  public static String of(String identity) {
    byte[] bytes = identity.getBytes(StandardCharsets.UTF_8);
    UnsafeBuffer name = new UnsafeBuffer(new byte[3 * bytes.length]);
    int end =
        PercentEncoding.encode(new UnsafeBuffer(bytes), 0, bytes.length, name, 0, name.capacity());
    return name.getStringWithoutLengthAscii(0, end);
  }

  /** Whether a name is a hash, of an identity that is secret or too long. */
  static boolean isHashed(String name) {
    return name.startsWith("#");
  }

  /** The identity of a name; the name itself if it is hashed. */
  public static String identity(String name) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < name.length(); i++) {
      char c = name.charAt(i);
      int high = c == '%' && i + 2 < name.length() ? digit(name.charAt(i + 1)) : -1;
      int low = high < 0 ? -1 : digit(name.charAt(i + 2));
      if (low >= 0) {
        bytes.write(high * HEX + low);
        i += 2;
      } else {
        bytes.writeBytes(String.valueOf(c).getBytes(StandardCharsets.UTF_8));
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private static int digit(char c) {
    return Character.digit(c, HEX);
  }
}
