package dev.weir.proxy.log;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class PeerTextTest {
  private static final String LONGEST = "e".repeat(PeerText.MAX_CHARS);

  @Test
  void showsAsMuchAsTheBoundAndSaysHowMuchMoreThereWas() {
    assertEquals("", PeerText.shown(""));
    assertEquals(LONGEST, PeerText.shown(LONGEST));
    assertEquals(LONGEST + "... (200 of 201 characters)", PeerText.shown(LONGEST + "e"));
    assertEquals(LONGEST + "... (200 of 900 characters)", PeerText.shown("e".repeat(900)));
  }

  @Test
  void cutsNoCharacterInHalf() {
    String before = "e".repeat(PeerText.MAX_CHARS - 1);
    String clef = "\ud834\udd1e";
    assertEquals(before + "... (199 of 201 characters)", PeerText.shown(before + clef));
    assertEquals(
        before.substring(1) + clef + "... (200 of 201 characters)",
        PeerText.shown(before.substring(1) + clef + "e"));
  }

  @Test
  void isOneLineThatSteersNoTerminal() {
    assertEquals(
        "ERR a\\x0d\\x0ab \\x1b[2J\\x9b\\x7f\\x00\\x09ü",
        PeerText.shown("ERR a\r\nb \u001b[2J\u009b\u007f\0\tü"));
  }
}
