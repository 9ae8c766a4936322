package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProxyHeaderTest {
  private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";
  private static final String V4_ADDRESSES = "c0000201" + "0a000001" + "1234" + "01bb";
  private static final String V6_ADDRESSES =
      "20010db8000000000000000000000001" + "20010db8000000000000000000000002" + "1234" + "01bb";

  private final ProxyHeader header = new ProxyHeader();

  private static byte[] text(String text) {
    return text.replace("|", "\r\n").getBytes(StandardCharsets.ISO_8859_1);
  }

  private static byte[] hex(String hex) {
    return HexFormat.of().parseHex(hex);
  }

  private int read(byte[] bytes) {
    ByteBuf in = Unpooled.buffer();
    in.writeByte('?').skipBytes(1); // not at its start
    in.writeBytes(bytes);
    int result = header.read(in);
    assertEquals(bytes.length, in.readableBytes());
    return result;
  }

  /** Reads a header, whole and with more behind it; no part of it is taken for one. */
  private String client(byte[] bytes) {
    for (int length = 0; length < bytes.length; length++) {
      assertEquals(ProxyHeader.INCOMPLETE, read(Arrays.copyOf(bytes, length)), "cut at " + length);
    }
    byte[] longer = Arrays.copyOf(bytes, bytes.length + 7);
    assertEquals(bytes.length, read(longer));
    assertEquals(bytes.length, read(bytes));
    return header.client() == null ? null : header.client().toString();
  }

  @ParameterizedTest
  @CsvSource({
    "PROXY TCP4 192.0.2.1 10.0.0.1 4660 443|, 192.0.2.1",
    "PROXY TCP4 255.255.255.255 255.255.255.255 65535 65535|, 255.255.255.255",
    "PROXY TCP4 0.0.0.0 0.0.0.0 0 0|, 0.0.0.0",
    "PROXY TCP6 2001:db8::1 ::1 1 2|, 2001:db8::1",
    "PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2|, 192.0.2.1",
    "PROXY UNKNOWN|,",
    "PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535|,",
  })
  void readsVersion1(String line, String client) {
    assertEquals(client, client(text(line)));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "PROXY TCP4 192.0.2.1 10.0.0.1 4660 443\n",
        "PROXY TCP4 192.0.2.1 10.0.0.1 4660 443 |",
        "PROXY TCP4 192.0.2.01 10.0.0.1 4660 443|",
        "PROXY TCP4 192.0.2.256 10.0.0.1 4660 443|",
        "PROXY TCP4 192.0.2 10.0.0.1 4660 443|",
        "PROXY TCP4 192.0.2.1 10.0.0.1 65536 443|",
        "PROXY TCP4 192.0.2.1 10.0.0.1 -1 443|",
        "PROXY TCP4 192.0.2.1 10.0.0.1 01 443|",
        "PROXY TCP4 192.0.2.1  10.0.0.1 1 443|",
        "PROXY TCP4 2001:db8::1 ::1 1 2|",
        "PROXY TCP6 192.0.2.1 10.0.0.1 1 2|",
        "PROXY TCP6 dead.beef ::1 1 2|",
        "PROXY TCP6 ::1%lo ::1 1 2|",
        "PROXY TCP6 1::2::3 ::1 1 2|",
        "PROXY TCP6 ::1 dead.beef 1 2|",
        "PROXY TCP4|",
        "PROXY UNKNOWNX|",
        "PROXY udp4 192.0.2.1 10.0.0.1 1 2|",
        "PROXY |",
      })
  void refusesWhatIsNotVersion1(String line) {
    assertEquals(ProxyHeader.MALFORMED, read(text(line)));
    assertNull(header.client());
  }

  @Test
  void boundsALine() {
    String longest = "PROXY UNKNOWN " + "x".repeat(91);
    assertEquals(107, read(text(longest + "|")));
    assertEquals(ProxyHeader.INCOMPLETE, read(text(longest + "\r")));
    assertEquals(ProxyHeader.MALFORMED, read(text(longest + "x|")));
  }

  @Test
  void readsVersion2() {
    assertEquals("192.0.2.1", client(hex(SIGNATURE + "2111" + "000c" + V4_ADDRESSES)));
    assertEquals("2001:db8::1", client(hex(SIGNATURE + "2121" + "0024" + V6_ADDRESSES)));
    String withMore = "2111" + "0011" + V4_ADDRESSES + "0400020000";
    assertEquals("192.0.2.1", client(hex(SIGNATURE + withMore)), "with a TLV of padding");
    assertNull(client(hex(SIGNATURE + "2000" + "0000")), "LOCAL");
    assertNull(client(hex(SIGNATURE + "2011" + "000c" + V4_ADDRESSES)), "LOCAL with addresses");
    assertNull(client(hex(SIGNATURE + "2100" + "0000")), "unspecified");
    assertNull(client(hex(SIGNATURE + "2131" + "00d8" + "00".repeat(216))), "a Unix socket");
    assertNull(client(hex(SIGNATURE + "2112" + "000c" + V4_ADDRESSES)), "UDP");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1111000c", // version 1 in binary
        "2211000c", // an unknown command
        "21110000", // no room for addresses
        "2111000b",
        "21210023",
        "2141000c", // an unknown family
        "2113000c", // an unknown transport
        "21110ff1", // longer than is taken
        "2111ffff",
      })
  void refusesWhatIsNotVersion2(String fixed) {
    assertEquals(ProxyHeader.MALFORMED, read(hex(SIGNATURE + fixed)));
  }

  @Test
  void tellsOtherProtocolsFromAHeader() {
    assertEquals(ProxyHeader.MISSING, read(text("GET / HTTP/1.1|")));
    assertEquals(ProxyHeader.MISSING, read(text("PRI * HTTP/2.0|")));
    assertEquals(ProxyHeader.MISSING, read(text("PROXYX")));
    assertEquals(ProxyHeader.MISSING, read(text("proxy ")));
    assertEquals(ProxyHeader.MISSING, read(new byte[] {0x16, 3, 1}));
    assertEquals(ProxyHeader.MISSING, read(text("||x")));
    assertEquals(ProxyHeader.INCOMPLETE, read(new byte[0]));
  }

  @Test
  void endsWithOneOfItsAnswersWhateverComes() {
    Random random = new Random(13);
    byte[][] seeds = {
      text("PROXY TCP4 192.0.2.1 10.0.0.1 4660 443|"),
      text("PROXY TCP6 2001:db8::1 ::1 1 2|"),
      hex(SIGNATURE + "2111" + "000c" + V4_ADDRESSES),
      hex(SIGNATURE + "2121" + "0024" + V6_ADDRESSES),
    };
    for (int i = 0; i < 50_000; i++) {
      byte[] bytes = seeds[i % seeds.length].clone();
      for (int changes = random.nextInt(4); changes >= 0; changes--) {
        bytes[random.nextInt(bytes.length)] = (byte) random.nextInt(256);
      }
      int result = read(Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
      assertTrue(result >= ProxyHeader.MALFORMED && result <= bytes.length, "" + result);
      assertTrue(header.client() == null || result > 0);
    }
  }
}
