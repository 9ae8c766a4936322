package dev.weir.proxy.http1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** The chunked coding, in one piece and cut at every byte. Texts have {@code |} for CRLF. */
class ChunkScannerTest {
  private static final String MALFORMED = "malformed";

  private final ChunkScanner scanner = new ChunkScanner();

  @ParameterizedTest
  @CsvSource({
    "0||, 0||",
    "5|12345|0||, 5|12345|0||",
    "00a|0123456789|3|abc|0||, 00a|0123456789|3|abc|0||",
    "A|0123456789|000||, A|0123456789|000||",
    "5;a=b;c=\"d\"|12345|0;e||, 5|12345|0||",
    "1|a|0|Host: b|Content-Length: 5|Mine: x|Transfer-Encoding: x||, 1|a|0|Mine: x||",
    "0|X-Forwarded-For: 1.2.3.4|Authorization: x|A:||, 0|A:||",
    "5|1|45|0||, 5|1|45|0||"
  })
  void passesWhatIsWellFormed(String sent, String passed) {
    assertInAnyTwoPieces(wire(sent), wire(passed));
  }

  static List<String> malformed() {
    return List.of(
        "0x5|12345|0||",
        "+5|12345|0||",
        "-5|12345|0||",
        "5_|12345|0||",
        "g|12345|0||",
        " 5|12345|0||",
        "5 |12345|0||",
        "\t5|12345|0||",
        "5\t|12345|0||",
        "|12345|0||",
        ";a|12345|0||",
        "FFFFFFFFFFFFFFFF5|12345|0||",
        "8000000000000000|12345|0||",
        "5\0|12345|0||",
        "5,|12345|0||",
        "5 ;a|12345|0||",
        "5;a\0b|12345|0||",
        "5;a\nb|12345|0||",
        "5\n12345|0||",
        "5\r12345|0||",
        "5|12345\n0||",
        "5|12345\r0||",
        "5|12345|0\n|",
        "5|12345|0|\n",
        "5|12345|0|\rX",
        "5|123456|0||",
        "6|12345|0||",
        "5|12345||0||",
        "0|nocolon||",
        "0|A: b| c||",
        "0| A: b||",
        "0|A : b||",
        "0|A: b\n|",
        "0|A: b\0c||",
        "0|: b||");
  }

  @ParameterizedTest
  @MethodSource("malformed")
  void refuses(String sent) {
    assertInAnyTwoPieces(wire(sent), MALFORMED);
  }

  @Test
  void refusesWhatFollowsTheEnd() {
    String body = wire("0||");
    UnsafeBuffer bytes = bytes(body + "x");
    int at = 0;
    while (at < body.length()) {
      scanner.next(bytes, at, body.length());
      at = scanner.segmentEnd();
    }
    assertEquals(ChunkScanner.MALFORMED, scanner.next(bytes, at, at + 1));
  }

  @Test
  void takesLinesUpToTheirBoundAndNoLongerOnes() {
    String extension = "e".repeat(ChunkScanner.MAX_LINE_BYTES - 2);
    assertEquals("1\r\na\r\n0\r\n\r\n", scan("1;" + extension + "\r\na\r\n0\r\n\r\n", 0));
    assertEquals(MALFORMED, scan("1;" + extension + "e\r\na\r\n0\r\n\r\n", 0));
    String trailer = "A: " + "b".repeat(ChunkScanner.MAX_LINE_BYTES - 5) + "\r\n";
    assertEquals("0\r\n" + trailer + "\r\n", scan("0\r\n" + trailer + "\r\n", 0));
    assertEquals(MALFORMED, scan("0\r\nA" + trailer + "\r\n", 0));
  }

  @Test
  void takesTrailersUpToTheirBoundAndNoMore() {
    String half = "A: " + "b".repeat(ChunkScanner.MAX_TRAILER_BYTES / 2 - 5) + "\r\n";
    assertEquals("0\r\n" + half + half + "\r\n", scan("0\r\n" + half + half + "\r\n", 0));
    assertEquals(MALFORMED, scan("0\r\n" + half + half + "A: b\r\n\r\n", 0));
  }

  private void assertInAnyTwoPieces(String sent, String expected) {
    for (int cut = 0; cut < sent.length(); cut++) {
      assertEquals(expected, scan(sent, cut), "cut at " + cut);
    }
  }

  /** What is passed on of a body that comes in two pieces, or that it is malformed. */
  private String scan(String sent, int cut) {
    scanner.reset();
    UnsafeBuffer bytes = bytes(sent);
    StringBuilder passed = new StringBuilder();
    int at = 0;
    for (int limit : new int[] {cut, sent.length()}) {
      int kind;
      while ((kind = scanner.next(bytes, at, limit)) != ChunkScanner.INCOMPLETE) {
        if (kind == ChunkScanner.MALFORMED) {
          return MALFORMED;
        }
        if (kind != ChunkScanner.OMIT) {
          passed.append(sent, at, scanner.segmentEnd());
        }
        at = scanner.segmentEnd();
        if (kind == ChunkScanner.END) {
          assertEquals(sent.length(), at);
          return passed.toString();
        }
      }
    }
    return "incomplete behind " + passed;
  }

  private static String wire(String text) {
    return text.replace("|", "\r\n");
  }

  private static UnsafeBuffer bytes(String text) {
    return new UnsafeBuffer(text.getBytes(StandardCharsets.ISO_8859_1));
  }
}
