package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HostSyntaxTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "a",
        "A.b-c_d~",
        "a:80",
        "a:",
        "a:0",
        "a:65535",
        "1.2.3.4:1",
        "[::]",
        "[::1]:80",
        "[::ffff:1.2.3.4]",
        "$&'()*+;=!"
      })
  void takesWhatNamesAHost(String host) {
    assertTrue(isValid(host));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":80",
        "a/b",
        "u@a",
        "a b",
        " a",
        "a ",
        "a,b",
        "a#b",
        "a?b",
        "a\\b",
        "a%41",
        "a\0",
        "a\t",
        "\u00e4",
        "a:65536",
        "a:99999999999",
        "a:x",
        "a:-1",
        "a:80:80",
        "::1",
        "[",
        "[]",
        "[:]",
        "[::1",
        "[::1]x",
        "[::g]",
        "[::1]:65536",
        "a[::1]"
      })
  void takesNothingElse(String host) {
    assertFalse(isValid(host));
  }

  private static boolean isValid(String host) {
    byte[] bytes = ('x' + host + 'x').getBytes(StandardCharsets.ISO_8859_1);
    return HostSyntax.isValid(new UnsafeBuffer(bytes), 1, bytes.length - 2);
  }
}
