package dev.weir.proxy.rule.identity;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.KeyPart;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whose budget a request charges follows from what the service gets, and from nothing else. */
class ForwardedKeyTest {
  private static Rig rig(String key) throws Exception {
    return new Rig("nio", "--limit", "2/365d", "--key", key, "--on-missing-key", "refuse");
  }

  private static int status(Rig rig, String request) throws IOException {
    try (RawClient client = rig.connect()) {
      return client.send(request).read().status();
    }
  }

  @Test
  void aHostHasOneBudgetWhereverAndHoweverTheRequestNamesIt() throws Exception {
    try (Rig rig = rig("header:host")) {
      assertEquals(200, status(rig, "GET http://b/ HTTP/1.1\r\nHost: made-up-1\r\n\r\n"));
      assertEquals(200, status(rig, "GET http://B:80/ HTTP/1.1\r\nHost: made-up-2\r\n\r\n"));
      assertEquals(429, status(rig, "GET http://b/ HTTP/1.1\r\nHost: made-up-3\r\n\r\n"));
      assertEquals(429, status(rig, "GET / HTTP/1.1\r\nHost: b\r\n\r\n"));
      assertEquals(429, status(rig, "GET / HTTP/1.1\r\nhost: B.:8080\r\n\r\n"));
      assertEquals(200, status(rig, "GET / HTTP/1.1\r\nHost: made-up-1\r\n\r\n"));
      assertEquals(200, status(rig, "GET / HTTP/1.1\r\nHost: [::1]:80\r\n\r\n"));
      assertEquals(200, status(rig, "GET / HTTP/1.1\r\nHost: [::1]\r\n\r\n"));
      assertEquals(429, status(rig, "GET / HTTP/1.1\r\nHost: [::1]:81\r\n\r\n"));
      assertEquals(401, status(rig, "GET / HTTP/1.0\r\n\r\n"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "header:x-user, X-User: made-up, X-User",
    "header:x-user, X-User: made-up, 'close, x-USER'",
  })
  void aFieldThatTheClientHasRemovedIsAbsent(String key, String field, String nominated)
      throws Exception {
    try (Rig rig = rig(key)) {
      String start = "GET / HTTP/1.1\r\nHost: a\r\n" + field + "\r\n";
      assertEquals(200, status(rig, start + "\r\n"));
      assertEquals(401, status(rig, start + "Connection: " + nominated + "\r\n\r\n"));
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "te",
        "trailer",
        "upgrade",
        "keep-alive",
        "http2-settings",
        "proxy-connection",
        "proxy-authenticate",
        "proxy-authorization",
        "content_length",
        "transfer_encoding",
        "forwarded",
        "x-real-ip",
        "true-client-ip",
        "x-forwarded-for",
        "x-forwarded-host",
        "x-forwarded-port",
        "x-forwarded-proto",
        "x-envoy-external-address",
        "accept",
        "authorization",
        "cookie",
        "via",
        "x-user-id",
        "x-request-id",
        "x-ratelimit-limit",
      })
  void aFieldIsAKeyOnlyIfTheServiceGetsItFromAnybody(String name) throws Exception {
    try (Rig rig = new Rig("nio")) {
      String line = name + ": sent\r\n";
      assertEquals(200, status(rig, "GET / HTTP/1.1\r\nHost: a\r\n" + line + "\r\n"));
      if (rig.origin.nextRequest().contains(line)) {
        assertEquals("header:" + name, KeyPart.parse("header:" + name).toString());
      } else {
        assertThrows(BadValueException.class, () -> KeyPart.parse("header:" + name));
      }
    }
  }
}
