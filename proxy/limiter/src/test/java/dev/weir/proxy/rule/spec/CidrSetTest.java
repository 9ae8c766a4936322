package dev.weir.proxy.rule.spec;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.TextRequest;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CidrSetTest {
  private static CidrSet set(String... texts) {
    return CidrSet.of(Arrays.stream(texts).map(Cidr::parse).toList());
  }

  private static boolean contains(CidrSet set, String address) {
    IpAddress ip = TextRequest.address(address);
    return set.contains(ip.high(), ip.low());
  }

  @Test
  void holdsItsEdgesAndNothingBeyond() {
    CidrSet set = set("10.0.0.0/8", "192.0.2.7", "2001:db8::/33", "172.16.0.0/12", "10.1.0.0/16");
    for (String in :
        List.of(
            "10.0.0.0",
            "10.255.255.255",
            "10.1.2.3",
            "192.0.2.7",
            "2001:db8::",
            "2001:db8:7fff:ffff:ffff:ffff:ffff:ffff",
            "172.31.255.255")) {
      assertTrue(contains(set, in), in);
    }
    for (String out :
        List.of(
            "9.255.255.255",
            "11.0.0.0",
            "192.0.2.6",
            "192.0.2.8",
            "2001:db8:8000::",
            "2001:db7:ffff::",
            "172.32.0.0",
            "::10.0.0.1",
            "::1",
            "0.0.0.0")) {
      assertFalse(contains(set, out), out);
    }
    assertFalse(contains(CidrSet.EMPTY, "0.0.0.0"));
    assertTrue(contains(set("::/0"), "10.0.0.1") && contains(set("::/0"), "ffff::"));
    assertTrue(contains(set("0.0.0.0/0"), "255.255.255.255"));
    assertFalse(contains(set("0.0.0.0/0"), "::1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "/8",
        "10.0.0.0/",
        "10.0.0.0/33",
        "10.0.0.0/-1",
        "10.0.0.0/+8",
        "10.0.0.1/8",
        "10.0.0/8",
        "::/129",
        "2001:db8::1/32",
        "[::1]",
        "::1%lo",
        "host",
        "10.0.0.0/8/8",
        " ::1"
      })
  void refusesWhatIsNoRange(String text) {
    assertEquals(text, assertThrows(BadValueException.class, () -> Cidr.parse(text)).value());
  }

  @Test
  void agreesWithALookAtEveryRange() {
    Random random = new Random(3);
    for (int round = 0; round < 500; round++) {
      List<Cidr> cidrs = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int bits = random.nextInt(129);
        cidrs.add(
            new Cidr(
                new IpAddress(
                    sparse(random) & IpAddress.maskHigh(bits),
                    sparse(random) & IpAddress.maskLow(bits)),
                bits));
      }
      cidrs.removeIf(cidr -> cidr.prefixLength() < 2);
      CidrSet set = CidrSet.of(cidrs);
      for (int i = 0; i < 200; i++) {
        long high = sparse(random);
        long low = sparse(random);
        boolean expected =
            cidrs.stream()
                .anyMatch(
                    cidr ->
                        prefix(high, low, cidr.prefixLength())
                            .equals(
                                prefix(
                                    cidr.address().high(),
                                    cidr.address().low(),
                                    cidr.prefixLength())));
        assertEquals(expected, set.contains(high, low));
      }
    }
  }

  @Test
  void findsOneOfAHundredThousandNetworksOfIpv4() {
    Random random = new Random(5);
    List<Cidr> cidrs = new ArrayList<>();
    cidrs.add(Cidr.parse("0.0.0.0/32"));
    cidrs.add(Cidr.parse("255.255.255.255/32"));
    cidrs.add(Cidr.parse("64.0.0.0/6"));
    BitSet inUpperHalf = new BitSet(); // of 128.0.0.0/1, by the upper 28 bits
    while (cidrs.size() < 100_000) {
      int network = random.nextInt() & 0xFFFF_FFF0;
      cidrs.add(new Cidr(IpAddress.v4(network), 96 + 28));
      if (network < 0) {
        inUpperHalf.set((network & 0x7FFF_FFFF) >>> 4);
      }
    }
    CidrSet set = CidrSet.of(cidrs);
    for (Cidr cidr : cidrs) {
      assertTrue(set.contains(cidr.address().high(), cidr.address().low()));
      assertTrue(set.contains(cidr.last().high(), cidr.last().low()));
    }
    for (int i = 0; i < 100_000; i++) {
      int address = random.nextInt() | 0x8000_0000;
      boolean expected = address == -1 || inUpperHalf.get((address & 0x7FFF_FFFF) >>> 4);
      IpAddress of = IpAddress.v4(address);
      assertEquals(expected, set.contains(of.high(), of.low()), of.toString());
    }
    assertTrue(contains(set, "67.255.255.255"));
    assertFalse(contains(set, "::1"));
  }

  private static long sparse(Random random) {
    return random.nextLong() & random.nextLong() & random.nextLong() & random.nextLong();
  }

  private static BigInteger prefix(long high, long low, int bits) {
    BigInteger value =
        new BigInteger(Long.toUnsignedString(high))
            .shiftLeft(64)
            .or(new BigInteger(Long.toUnsignedString(low)));
    return value.shiftRight(128 - bits);
  }
}
