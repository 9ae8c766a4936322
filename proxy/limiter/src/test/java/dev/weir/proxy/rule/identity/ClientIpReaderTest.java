package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.CidrSet;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientIpReaderTest {
  private static final String PROXY = "10.0.0.1";

  private static IdentitySettings settings(ClientIpField field) {
    List<Cidr> trusted = List.of(Cidr.parse("10.0.0.0/8"), Cidr.parse("fd00::/8"));
    return new IdentitySettings(CidrSet.of(trusted), field, 64);
  }

  private static IpAddress read(ClientIpField field, RequestView request) {
    ClientIpReader reader = new ClientIpReader(settings(field));
    reader.read(request);
    return new IpAddress(reader.high(), reader.low());
  }

  private static String forwardedFor(String peer, String... lines) {
    String[] fields = new String[lines.length * 2];
    for (int i = 0; i < lines.length; i++) {
      fields[i * 2] = i % 2 == 0 ? "X-Forwarded-For" : "x-forwarded-for";
      fields[i * 2 + 1] = lines[i];
    }
    return read(ClientIpField.X_FORWARDED_FOR, TextRequest.from(peer, "GET", "/", fields))
        .toString();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        // An untrusted peer is the client, whatever it says.
        "203.0.113.9 | 1.2.3.4 | 203.0.113.9",
        "203.0.113.9 | 10.0.0.2 | 203.0.113.9",
        "2001:db8::9 | 1.2.3.4 | 2001:db8::9",
        // The right-most address that is not a proxy's.
        "10.0.0.1 | 1.2.3.4 | 1.2.3.4",
        "10.0.0.1 | 5.6.7.8, 1.2.3.4 | 1.2.3.4",
        "10.0.0.1 | 1.2.3.4, 10.0.0.2 | 1.2.3.4",
        "10.0.0.1 | 5.6.7.8, 1.2.3.4, 10.9.9.9,10.0.0.2 | 1.2.3.4",
        "fd00::1 | 2001:db8::1, fd00::2 | 2001:db8::1",
        "::ffff:10.0.0.1 | 1.2.3.4 | 1.2.3.4",
        // Nobody named, or proxies only: the peer.
        "10.0.0.1 | '' | 10.0.0.1",
        "10.0.0.1 | ' , ,' | 10.0.0.1",
        "10.0.0.1 | 10.0.0.2 | 10.0.0.1",
        "10.0.0.1 | 10.0.0.3, 10.0.0.2 | 10.0.0.1",
        // What is no address ends the walk at the last one before it.
        "10.0.0.1 | unknown | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4, unknown | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4, garbage, 10.0.0.2 | 10.0.0.2",
        "10.0.0.1 | 1.2.3.4, _hidden, 10.0.0.3, 10.0.0.2 | 10.0.0.3",
        // Ports and brackets.
        "10.0.0.1 | 1.2.3.4:5678 | 1.2.3.4",
        "10.0.0.1 | [2001:db8::1]:443 | 2001:db8::1",
        "10.0.0.1 | [2001:db8::1] | 2001:db8::1",
        "10.0.0.1 | 2001:db8::1 | 2001:db8::1",
        "10.0.0.1 | '\t1.2.3.4 ,\t10.0.0.2:1 ' | 1.2.3.4",
        // An IPv4 address is the same in its mapped form.
        "10.0.0.1 | ::ffff:1.2.3.4 | 1.2.3.4",
        "10.0.0.1 | 1.2.3.4, ::ffff:10.0.0.2 | 1.2.3.4",
        // Almost addresses.
        "10.0.0.1 | 1.2.3 | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4.5 | 10.0.0.1",
        "10.0.0.1 | 1.2.3.256 | 10.0.0.1",
        "10.0.0.1 | 01.2.3.4 | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4: | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4:x | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4:123456 | 10.0.0.1",
        "10.0.0.1 | [1.2.3.4] | 10.0.0.1",
        "10.0.0.1 | [2001:db8::1 | 10.0.0.1",
        "10.0.0.1 | [2001:db8::1]x | 10.0.0.1",
        "10.0.0.1 | fe80::1%eth0 | 10.0.0.1",
        "10.0.0.1 | 1:2:3:4:5:6:7:8:9 | 10.0.0.1",
        "10.0.0.1 | 1:2:3 | 10.0.0.1",
        "10.0.0.1 | 1::2::3 | 10.0.0.1",
        "10.0.0.1 | 12345::1 | 10.0.0.1",
        "10.0.0.1 | 1.2.3.4\u00ff | 10.0.0.1",
        "10.0.0.1 | '\"1.2.3.4\"' | 10.0.0.1",
      })
  void readsForwardedForFromItsEnd(String peer, String value, String client) {
    assertEquals(TextRequest.address(client).toString(), forwardedFor(peer, value));
  }

  @Test
  void joinsSeveralLines() {
    assertEquals("1.2.3.4", forwardedFor(PROXY, "5.6.7.8", "1.2.3.4", "10.0.0.2"));
    assertEquals("1.2.3.4", forwardedFor(PROXY, "5.6.7.8, 1.2.3.4", "10.0.0.3, 10.0.0.2"));
    assertEquals("10.0.0.2", forwardedFor(PROXY, "1.2.3.4", "bad", "10.0.0.2"));
    assertEquals("10.0.0.1", forwardedFor(PROXY));
  }

  @Test
  void believesOnlyTheOneField() {
    RequestView request =
        TextRequest.from(
            PROXY,
            "GET",
            "/",
            "X-Real-IP",
            "6.6.6.6",
            "Forwarded",
            "for=6.6.6.6",
            "True-Client-IP",
            "6.6.6.6",
            "X-Envoy-External-Address",
            "6.6.6.6");
    assertEquals(PROXY, read(ClientIpField.X_FORWARDED_FOR, request).toString());
    RequestView other = TextRequest.from(PROXY, "GET", "/", "X-Forwarded-For", "6.6.6.6");
    assertEquals(PROXY, read(ClientIpField.FORWARDED, other).toString());
  }

  @Test
  void endsAfterItsBoundOfEntries() {
    String[] trusted = new String[1_000];
    Arrays.setAll(trusted, i -> "10.1." + (i >> 8) + "." + (i & 255));
    String list = "1.2.3.4, " + String.join(",", trusted);
    String last = trusted[1_000 - ClientIpReader.MAX_ENTRIES];
    assertEquals(last, forwardedFor(PROXY, list));
    assertEquals(last, forwardedFor(PROXY, list.split(",")));
    String bound = "1.2.3.4" + ",10.0.0.2".repeat(ClientIpReader.MAX_ENTRIES - 1);
    assertEquals("1.2.3.4", forwardedFor(PROXY, bound));
    assertEquals("10.0.0.2", forwardedFor(PROXY, bound + ",10.0.0.2"));
    assertEquals(PROXY, forwardedFor(PROXY, ",".repeat(8_000)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for=1.2.3.4 | 1.2.3.4",
        "For=1.2.3.4;proto=https;by=10.0.0.1 | 1.2.3.4",
        "proto=https; for=\"1.2.3.4:80\" | 1.2.3.4",
        "for=\"[2001:db8::1]:4711\" | 2001:db8::1",
        "for=1.2.3.4, for=10.0.0.2 | 1.2.3.4",
        "for=5.6.7.8, for=1.2.3.4;by=10.0.0.3, for=\"10.0.0.2\" | 1.2.3.4",
        "for=unknown | 10.0.0.1",
        "for=1.2.3.4, for=_hidden, for=10.0.0.2 | 10.0.0.2",
        "for=1.2.3.4, proto=https | 10.0.0.1",
        "for=1.2.3.4;for=5.6.7.8 | 10.0.0.1",
        "for=\"1.2.3.4 | 10.0.0.1",
        "for=\"a, for=1.2.3.4 | 1.2.3.4",
        "for=\", for=1.2.3.4, for=10.0.0.2 | 1.2.3.4",
        "for= | 10.0.0.1",
        "for | 10.0.0.1",
        "1.2.3.4 | 10.0.0.1",
      })
  void readsForwardedFromItsEnd(String value, String client) {
    RequestView request = TextRequest.from(PROXY, "GET", "/", "Forwarded", value);
    assertEquals(client, read(ClientIpField.FORWARDED, request).toString());
  }

  @Test
  void readsEveryAddressThatJavaWrites() {
    Random random = new Random(11);
    for (int i = 0; i < 20_000; i++) {
      // Groups of few values, so that runs of zeros of every length and place occur.
      long high = 0;
      long low = 0;
      for (int group = 0; group < 8; group++) {
        long value = random.nextInt(2) == 0 ? 0 : random.nextInt(0x10000);
        high = high << 16 | low >>> 48;
        low = low << 16 | value;
      }
      IpAddress address = new IpAddress(high & Long.MAX_VALUE | 1L << 61, low);
      assertEquals(address.toString(), forwardedFor(PROXY, address.toString()));
      assertEquals(address.toString(), forwardedFor(PROXY, "[" + address + "]:1"));
      IpAddress v4 = IpAddress.v4(random.nextInt() | 0x40000000);
      assertEquals(v4.toString(), forwardedFor(PROXY, v4.toString()));
    }
  }

  @Test
  void agreesWithAWalkOverStrings() {
    Random random = new Random(12);
    String[] entries = {
      "1.2.3.4", "10.0.0.2", "10.0.0.3:80", "unknown", "", " ", "[2001:db8::1]", "fd00::7", "x"
    };
    for (int i = 0; i < 50_000; i++) {
      String[] list = new String[1 + random.nextInt(6)];
      Arrays.setAll(list, j -> entries[random.nextInt(entries.length)]);
      int split = random.nextInt(list.length);
      String first = String.join(",", Arrays.copyOf(list, split));
      String second = String.join(", ", Arrays.copyOfRange(list, split, list.length));
      assertEquals(model(list), forwardedFor(PROXY, first, second), () -> Arrays.toString(list));
    }
  }

  private static String model(String[] list) {
    String last = PROXY;
    for (int i = list.length - 1; i >= 0; i--) {
      String entry = list[i].strip();
      if (entry.isEmpty()) {
        continue;
      }
      if (entry.equals("unknown") || entry.equals("x")) {
        return last;
      }
      last = entry.equals("[2001:db8::1]") ? "2001:db8::1" : entry.replaceFirst(":80$", "");
      if (!last.startsWith("10.") && !last.startsWith("fd")) {
        return last;
      }
    }
    return PROXY;
  }
}
