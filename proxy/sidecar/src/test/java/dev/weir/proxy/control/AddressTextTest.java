package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.upstream.UpstreamProtocol;
import java.net.InetSocketAddress;
import java.net.UnixDomainSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AddressTextTest {
  @Test
  void readsAddresses() {
    assertEquals(
        new InetSocketAddress("127.0.0.1", 8000), AddressText.parseListen("127.0.0.1:8000"));
    assertEquals(new InetSocketAddress("0.0.0.0", 0), AddressText.parseListen("0.0.0.0:0"));
    assertEquals(new InetSocketAddress("::1", 65535), AddressText.parseListen("[::1]:65535"));
    assertEquals(
        InetSocketAddress.createUnresolved("localhost", 80),
        AddressText.parseListen("localhost:80"));
    assertEquals(UnixDomainSocketAddress.of("/a/b"), AddressText.parseListen("unix:/a/b"));
    assertEquals(
        new InetSocketAddress("127.0.0.1", 80), AddressText.parseUpstream("http://127.0.0.1"));
    assertEquals(new InetSocketAddress("::1", 80), AddressText.parseUpstream("http://[::1]/"));
    assertEquals(
        InetSocketAddress.createUnresolved("my_app-1.local", 1),
        AddressText.parseUpstream("http://my_app-1.local:1"));
    assertEquals(UnixDomainSocketAddress.of("/a"), AddressText.parseUpstream("unix:/a"));
    assertEquals(
        new InetSocketAddress("127.0.0.1", 80), AddressText.parseUpstream("h2c://127.0.0.1"));
    assertEquals(
        new InetSocketAddress("127.0.0.1", 443), AddressText.parseUpstream("https://127.0.0.1"));
    assertEquals(UnixDomainSocketAddress.of("/a"), AddressText.parseUpstream("h2c+unix:/a"));
  }

  @Test
  void tellsHowTheServiceIsSpokenTo() {
    assertEquals(UpstreamProtocol.HTTP1, AddressText.protocol("http://a"));
    assertEquals(UpstreamProtocol.HTTP1, AddressText.protocol("unix:/a"));
    assertEquals(UpstreamProtocol.H2C, AddressText.protocol("h2c://a:1"));
    assertEquals(UpstreamProtocol.H2C, AddressText.protocol("h2c+unix:/a"));
    assertEquals(UpstreamProtocol.HTTPS, AddressText.protocol("https://a"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        ":",
        ":80",
        "80",
        "localhost",
        "host:",
        "host:x",
        "host:65536",
        "host:-1",
        "host:+1",
        "::1:80",
        "[::1]",
        "[::1]80",
        "[1.2.3.4]:80",
        "1.2.3:80",
        "1.2.3.4.5:80",
        "256.1.1.1:80",
        "a b:80",
        "a/b:80",
        "unix:",
        "unix:a",
        "http://a:80"
      })
  void refusesWhatIsNoPlaceToListen(String text) {
    assertEquals(
        text, assertThrows(BadValueException.class, () -> AddressText.parseListen(text)).value());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "127.0.0.1:80",
        "https:/a",
        "https+unix:/a",
        "http://",
        "http://a:0",
        "http://a:65536",
        "http://a/b",
        "http://u@a",
        "http://a?b",
        "http://a:80:80",
        "http://[::1",
        "http://::1",
        "HTTP://a",
        "unix:a",
        "ftp://a",
        "h2c:/a",
        "h2c+unix:a",
        "h2c+http://a"
      })
  void refusesWhatIsNoUpstream(String text) {
    assertEquals(
        text, assertThrows(BadValueException.class, () -> AddressText.parseUpstream(text)).value());
  }

  @Test
  void refusesSocketPathsThatTheKernelWouldCut() {
    AddressText.parseListen("unix:/" + "a".repeat(105));
    assertThrows(
        BadValueException.class, () -> AddressText.parseListen("unix:/" + "a".repeat(106)));
  }
}
