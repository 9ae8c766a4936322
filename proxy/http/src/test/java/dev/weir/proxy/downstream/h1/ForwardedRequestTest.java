package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.HeldService;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Requests that are passed on, byte for byte as a service of HTTP/1.1 gets them: aliases in their
 * one normal form, what belongs to the client's connection gone, who asked added.
 */
class ForwardedRequestTest {
  private static final String ID = "X-Request-Id: 1\r\n";
  private static final String XFF = "X-Forwarded-For: 127.0.0.1\r\n";

  private final HeldLoop held = new HeldLoop();

  @BeforeEach
  void connect() {
    held.service.copiesHeads = true;
    held.connect();
  }

  @AfterEach
  void end() {
    held.close();
  }

  /**
   * @param kept the request line and the fields that the origin gets as they came.
   * @param added what stands behind them.
   */
  private record Case(String name, String request, String kept, String added, String body) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static String added(String forwardedFor, String host) {
    return forwardedFor
        + "X-Forwarded-Proto: http\r\n"
        + (host.isEmpty() ? "" : "X-Forwarded-Host: " + host + "\r\n")
        + "Via: 1.1 weir\r\n\r\n";
  }

  /** A path, and what the origin gets of it. */
  private static Case path(String sent, String got) {
    String rest = " HTTP/1.1\r\nHost: a\r\n" + ID;
    return new Case(
        "path " + sent, "GET " + sent + rest + "\r\n", "GET " + got + rest, added(XFF, "a"), "");
  }

  /** Field lines, and those the origin gets of them. */
  private static Case fields(String sent, String got) {
    String start = "GET / HTTP/1.1\r\nHost: a\r\n" + ID;
    return new Case(sent.strip(), start + sent + "\r\n", start + got, added(XFF, "a"), "");
  }

  private static Case body(String fields, String gotFields, String added, String sent, String got) {
    String start = "POST / HTTP/1.1\r\nHost: a\r\n" + ID;
    return new Case(
        "body " + fields.strip() + ' ' + sent.replace("\r\n", " "),
        start + fields + "\r\n" + sent,
        start + gotFields,
        added + added(XFF, "a"),
        got);
  }

  private static Case chunked(String sent, String got) {
    String field = "Transfer-Encoding: chunked\r\n";
    return body(field, field, "", sent, got);
  }

  static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    addPaths(cases);
    addHosts(cases);
    addFields(cases);
    addBodies(cases);
    return cases;
  }

  private static void addPaths(List<Case> cases) {
    cases.add(path("/a", "/a"));
    cases.add(path("/a//b", "/a/b"));
    cases.add(path("//a", "/a"));
    cases.add(path("/a/./b", "/a/b"));
    cases.add(path("/a/../b", "/b"));
    cases.add(path("/a/%2e%2E/b", "/b"));
    cases.add(path("/../../b", "/b"));
    cases.add(path("/%61", "/a"));
    cases.add(path("/%c3%a4", "/%C3%A4"));
    cases.add(path("/a;x=1", "/a;x=1"));
    cases.add(path("/a/", "/a/"));
    cases.add(path("/A", "/A"));
    cases.add(path("/a?b=//%61/../%00#".replace("#", ""), "/a?b=//%61/../%00"));
    cases.add(path("/?", "/?"));
  }

  private static void addHosts(List<Case> cases) {
    for (String method : List.of("get", "PURGE", "M-SEARCH", "PUT")) {
      String request = method + " /a HTTP/1.1\r\nHost: a\r\n" + ID;
      cases.add(new Case(method, request + "\r\n", request, added(XFF, "a"), ""));
    }
    cases.add(
        new Case(
            "OPTIONS *",
            "OPTIONS * HTTP/1.1\r\nHost: a\r\n" + ID + "\r\n",
            "OPTIONS * HTTP/1.1\r\nHost: a\r\n" + ID,
            added(XFF, "a"),
            ""));
    for (String target : List.of("http://b:81/p?q", "HTTPS://b:81/p?q")) {
      cases.add(
          new Case(
              "absolute form " + target,
              "GET " + target + " HTTP/1.1\r\nHost: a\r\n" + ID + "\r\n",
              "GET /p?q HTTP/1.1\r\n" + ID + "Host: b:81\r\n",
              added(XFF, "b:81"),
              ""));
    }
    cases.add(
        new Case(
            "absolute form, no path",
            "GET http://b?q HTTP/1.1\r\n" + ID + "Host: a\r\n\r\n",
            "GET /?q HTTP/1.1\r\n" + ID + "Host: b\r\n",
            added(XFF, "b"),
            ""));
    cases.add(
        new Case(
            "HTTP/1.0 without Host",
            "GET / HTTP/1.0\r\n" + ID + "\r\n",
            "GET / HTTP/1.1\r\n" + ID + "Host: " + HeldService.AUTHORITY + "\r\n",
            added(XFF, ""),
            ""));
    cases.add(
        new Case(
            "HTTP/1.0 with Expect",
            "GET / HTTP/1.0\r\nHost: a\r\nExpect: 100-continue\r\n" + ID + "\r\n",
            "GET / HTTP/1.1\r\nHost: a\r\n" + ID,
            added(XFF, "a"),
            ""));
    cases.add(
        new Case(
            "an empty line first",
            "\r\nGET / HTTP/1.1\r\nHost: [::1]:80\r\n" + ID + "\r\n",
            "GET / HTTP/1.1\r\nHost: [::1]:80\r\n" + ID,
            added(XFF, "[::1]:80"),
            ""));
  }

  private static void addFields(List<Case> cases) {
    cases.add(
        fields("A: \u00ff\u0080b\tc  d\r\nEmpty:\r\n", "A: \u00ff\u0080b\tc  d\r\nEmpty:\r\n"));
    cases.add(
        fields(
            "Connection: close, X-Forwarded-For, Authorization, X-Mine, Host, Cookie\r\n"
                + "Authorization: b\r\nCookie: c\r\nX-Mine: d\r\n",
            "Authorization: b\r\nCookie: c\r\n"));
    cases.add(
        fields(
            "Keep-Alive: 5\r\nProxy-Connection: x\r\nProxy-Authorization: x\r\nTE: trailers\r\n"
                + "Trailer: x\r\nB: c\r\nUpgrade: websocket\r\n",
            "B: c\r\n"));
    cases.add(
        fields(
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n",
            ""));
    cases.add(
        fields(
            "X-Real-IP: 1.2.3.4\r\nForwarded: for=1.2.3.4\r\nTrue-Client-IP: 1.2.3.4\r\n"
                + "X-Forwarded-Proto: https\r\nX-Forwarded-Host: b\r\nX-Forwarded-Port: 1\r\n"
                + "X-Envoy-Internal: true\r\nx-envoy-external-address: 1.2.3.4\r\nC: d\r\n",
            "C: d\r\n"));
    String start = "GET / HTTP/1.1\r\nHost: a\r\n" + ID;
    cases.add(
        new Case(
            "X-Forwarded-For twice",
            start + "X-Forwarded-For: 1.2.3.4\r\nB: c\r\nx-forwarded-for: unknown, [::1]:5\r\n\r\n",
            start + "B: c\r\n",
            added("X-Forwarded-For: 1.2.3.4, unknown, [::1]:5, 127.0.0.1\r\n", "a"),
            ""));
  }

  private static void addBodies(List<Case> cases) {
    String five = "Content-Length: 5\r\n";
    cases.add(body(five, five, "", "12345", "12345"));
    cases.add(body("Content-Length: 05\r\n", "", five, "12345", "12345"));
    cases.add(body("Content-Length: 0\r\n", "Content-Length: 0\r\n", "", "", ""));
    cases.add(body("Transfer_Encoding: chunked\r\n" + five, five, "", "12345", "12345"));
    cases.add(body("Content_Length: 9\r\n" + five, five, "", "12345", "12345"));
    cases.add(chunked("5\r\n12345\r\n0\r\n\r\n", "5\r\n12345\r\n0\r\n\r\n"));
    cases.add(chunked("5;a=b;c=\"d\"\r\n12345\r\n0;e\r\n\r\n", "5\r\n12345\r\n0\r\n\r\n"));
    cases.add(
        chunked(
            "00a\r\n0123456789\r\n3\r\nabc\r\n0\r\n\r\n",
            "00a\r\n0123456789\r\n3\r\nabc\r\n0\r\n\r\n"));
    cases.add(
        chunked(
            "1\r\na\r\n0\r\nHost: b\r\nContent-Length: 5\r\nMine: x\r\nTransfer-Encoding: x\r\n"
                + "X-Forwarded-For: 1.2.3.4\r\nAuthorization: x\r\n\r\n",
            "1\r\na\r\n0\r\nMine: x\r\n\r\n"));
    String get = "GET / HTTP/1.1\r\nHost: a\r\n" + ID + five;
    cases.add(new Case("GET with a body", get + "\r\n12345", get, added(XFF, "a"), "12345"));
  }

  private void assertPassedOn(Case passed) {
    assertEquals(1, held.service.calls.size());
    HeldService.Call call = held.service.last();
    assertEquals(passed.kept() + passed.added() + passed.body(), call.head() + call.body());
    assertEquals("end", call.end, "whole, and nothing behind it");
  }

  @ParameterizedTest
  @MethodSource("cases")
  void passesOnInNormalForm(Case passed) {
    held.send(passed.request());
    assertPassedOn(passed);
  }

  /** No boundary between two reads matters. */
  @ParameterizedTest
  @MethodSource("cases")
  void passesOnWhatComesByteByByte(Case passed) {
    for (char c : passed.request().toCharArray()) {
      held.send(String.valueOf(c));
    }
    assertPassedOn(passed);
  }
}
