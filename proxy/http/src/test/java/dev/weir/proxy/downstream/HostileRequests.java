package dev.weir.proxy.downstream;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Requests that must be refused before anything is decided: smuggled, split, or no HTTP at all. */
public final class HostileRequests {
  private static final String HOST = "Host: a\r\n";
  private static final String POST = "POST / HTTP/1.1\r\n" + HOST;
  private static final String VALID = "GET /valid HTTP/1.1\r\n" + HOST + "\r\n";

  /** What a server that was fooled would take for a second request. */
  private static final String HIDDEN = "GET /hidden HTTP/1.1\r\n" + HOST + "\r\n";

  private HostileRequests() {}

  /**
   * A request, and what it must be answered with.
   *
   * @param group what is wrong with it.
   */
  public record Case(String group, int status, String request) {
    @Override
    public String toString() {
      return group + ' ' + printable(request);
    }
  }

  private static String x(int count) {
    return "x".repeat(count);
  }

  private static void add(List<Case> cases, int status, String group, String... requests) {
    for (String request : requests) {
      cases.add(new Case(group, status, request));
    }
  }

  private static String printable(String text) {
    StringBuilder out = new StringBuilder();
    for (char c : text.substring(0, Math.min(120, text.length())).toCharArray()) {
      out.append(c >= ' ' && c < 0x7F ? String.valueOf(c) : String.format("<%02x>", (int) c));
    }
    return out.toString();
  }

  /** A request with these field lines and a body that hides another request. */
  public static String framed(String... fieldLines) {
    return POST + String.join("\r\n", fieldLines) + "\r\n\r\n0\r\n\r\n" + HIDDEN;
  }

  public static String chunked(String body) {
    return POST + "Transfer-Encoding: chunked\r\n\r\n" + body;
  }

  private static String get(String target) {
    return "GET " + target + " HTTP/1.1\r\n" + HOST + "\r\n";
  }

  private static String field(String line) {
    return "GET / HTTP/1.1\r\n" + HOST + line + "\r\n\r\n";
  }

  private static String host(String value) {
    return "GET / HTTP/1.1\r\nHost: " + value + "\r\n\r\n";
  }

  /** All of them. */
  public static List<Case> cases() {
    List<Case> cases = new ArrayList<>();
    addTransferEncodings(cases);
    addContentLengths(cases);
    addChunks(cases);
    addRequestLines(cases);
    addHosts(cases);
    addFields(cases);
    return cases;
  }

  private static void addTransferEncodings(List<Case> cases) {
    add(cases, 400, "CL.TE", framed("Content-Length: 6", "Transfer-Encoding: chunked"));
    add(cases, 400, "TE.CL", framed("Transfer-Encoding: chunked", "Content-Length: 6"));
    add(cases, 400, "TE.CL0", framed("Transfer-Encoding: chunked", "Content-Length: 0"));
    add(
        cases,
        400,
        "two TE",
        framed("Transfer-Encoding: chunked", "Transfer-Encoding: cow"),
        framed("Transfer-Encoding: cow", "Transfer-Encoding: chunked"),
        framed("Transfer-Encoding: chunked", "Transfer-Encoding: chunked"),
        framed("Transfer-Encoding: chunked", "transfer-encoding: identity"),
        framed("Transfer-Encoding: chunked", "Transfer-Encoding:"));
    for (String coding :
        List.of(
            "xchunked",
            "chunk",
            "\"chunked\"",
            "'chunked'",
            "chunked;q=1",
            "chunked chunked",
            "chunked, identity",
            "identity, chunked",
            "identity",
            "gzip, chunked",
            "gzip",
            "chunked,",
            ",chunked",
            "chunked, chunked",
            "\u000bchunked",
            "chunked\u000b",
            "\u000cchunked",
            "\0chunked",
            "chunked\0",
            "\u0085chunked",
            "\u00a0chunked",
            "chunked\u00a0",
            "\u00ffchunked",
            "",
            "\r\n chunked",
            "chu\r\n nked",
            "chunked\r\n ")) {
      add(cases, 400, "TE", framed("Transfer-Encoding: " + coding));
    }
    add(
        cases,
        400,
        "TE name",
        framed("Transfer-Encoding : chunked"),
        framed("Transfer-Encoding\t: chunked"),
        framed(" Transfer-Encoding: chunked"),
        framed("\tTransfer-Encoding: chunked"),
        framed("Transfer-\0Encoding: chunked"),
        framed("Transfer-Encoding\u000b: chunked"),
        framed("Transfer-Encoding\u0085: chunked"),
        framed("Transfer Encoding: chunked"),
        framed("Transfer-Encoding chunked"),
        framed("Transfer-\r\nEncoding: chunked"),
        framed("X: y\nTransfer-Encoding: chunked"),
        framed("X: y\rTransfer-Encoding: chunked"),
        framed("X: y\r\n\rTransfer-Encoding: chunked"));
    add(
        cases,
        400,
        "TE in 1.0",
        "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + HIDDEN,
        "POST / HTTP/1.0\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "0\r\n\r\n"
            + HIDDEN);
  }

  private static void addContentLengths(List<Case> cases) {
    for (String length :
        List.of(
            "+5",
            "-5",
            "0x5",
            "5_0",
            "5.0",
            "5;",
            "\"5\"",
            "5 5",
            "1e1",
            "-0",
            "--5",
            "",
            "\0" + "5",
            "5\0",
            "\u000b5",
            "5\u000b",
            "\u00b2",
            "\u00d9\u00a5",
            "5,5",
            "5, 6",
            "5,",
            "9999999999999999999",
            "18446744073709551621",
            "5\r\n ",
            "\r\n 5")) {
      add(cases, 400, "CL", POST + "Content-Length: " + length + "\r\n\r\n12345" + HIDDEN);
    }
    add(
        cases,
        400,
        "two CL",
        framed("Content-Length: 5", "Content-Length: 5"),
        framed("Content-Length: 5", "Content-Length: 6"),
        framed("Content-Length: 6", "content-length: 5"),
        framed("Content-Length:", "Content-Length: 5"),
        framed("Content-Length: 0", "Content-Length: 5"));
    add(cases, 400, "CL name", framed("Content-Length : 5"), framed("Content-Length\t: 5"));
  }

  private static void addChunks(List<Case> cases) {
    for (String size :
        List.of(
            "0x5",
            "+5",
            "-5",
            "5_",
            "g",
            " 5",
            "5 ",
            "\t5",
            "5\t",
            "",
            "FFFFFFFFFFFFFFFF5",
            "10000000000000005",
            "8000000000000000",
            "5\0",
            "5\u000b",
            "5,",
            "5 ;a",
            "5;a\0b",
            "5;a\nb")) {
      add(cases, 400, "chunk size", chunked(size + "\r\n12345\r\n0\r\n\r\n" + HIDDEN));
    }
    add(
        cases,
        400,
        "chunk",
        chunked("5\n12345\r\n0\r\n\r\n"),
        chunked("5\r12345\r\n0\r\n\r\n"),
        chunked("5\r\n12345\n0\r\n\r\n"),
        chunked("5\r\n12345\r0\r\n\r\n"),
        chunked("5\r\n12345\r\n0\n\r\n"),
        chunked("5\r\n12345\r\n0\r\n\n"),
        chunked("5\r\n12345\r\n0\r\n\rX"),
        chunked("5\r\n123456\r\n0\r\n\r\n"),
        chunked("6\r\n12345\r\n0\r\n\r\n"),
        chunked("5\r\n123450\r\n\r\n"),
        chunked("5\r\n12345\r\n\r\n0\r\n\r\n"));
    add(
        cases,
        400,
        "trailer",
        chunked("0\r\nnocolon\r\n\r\n"),
        chunked("0\r\nA: b\r\n c\r\n\r\n"),
        chunked("0\r\n A: b\r\n\r\n"),
        chunked("0\r\nA : b\r\n\r\n"),
        chunked("0\r\nA: b\n\r\n"),
        chunked("0\r\nA: b\0c\r\n\r\n"),
        chunked("0\r\nXXGET / HTTP/1.1\r\n" + HOST + "\r\n"),
        chunked("0\r\n: b\r\n\r\n"));
  }

  private static void addRequestLines(List<Case> cases) {
    add(
        cases,
        400,
        "request line",
        "GET /\r\n",
        "GET  / HTTP/1.1\r\n" + HOST + "\r\n",
        "GET /  HTTP/1.1\r\n" + HOST + "\r\n",
        "GET\t/ HTTP/1.1\r\n" + HOST + "\r\n",
        "GET /\tHTTP/1.1\r\n" + HOST + "\r\n",
        " GET / HTTP/1.1\r\n" + HOST + "\r\n",
        "\tGET / HTTP/1.1\r\n" + HOST + "\r\n",
        "GET /a b HTTP/1.1\r\n" + HOST + "\r\n",
        "GET / HTTP/1.1 \r\n" + HOST + "\r\n",
        "GET\n/ HTTP/1.1\r\n" + HOST + "\r\n",
        "GET / HTTP/1.1\n" + HOST + "\r\n",
        "GET / HTTP/1.1\nHost: a\n\n",
        "GET / HTTP/1.1\rHost: a\r\r",
        "\r\n\r\nGET / HTTP/1.1\r\n" + HOST + "\r\n",
        "\nGET / HTTP/1.1\r\n" + HOST + "\r\n",
        "G\0T / HTTP/1.1\r\n" + HOST + "\r\n",
        "G(T / HTTP/1.1\r\n" + HOST + "\r\n",
        "G\u00c9T / HTTP/1.1\r\n" + HOST + "\r\n");
    add(
        cases,
        400,
        "target",
        get("/\0"),
        get("/\u007f"),
        get("/\u0080"),
        get("/\u00ff"),
        get("/a#frag"),
        get("#"),
        get("!"),
        get("*"),
        get("a/b"),
        get("a:80"),
        get("http://u@a/"),
        get("http://u:p@a/"),
        get("ftp://a/"),
        get("http:///x"),
        get("http://a:99999/"),
        get("http:/a"),
        get("/%"),
        get("/%g1"),
        get("/%00"),
        get("/%2F"),
        get("/%2fb"),
        get("/a%3Bb"),
        get("/a/..%3b/b"),
        get("/a%5Cb"),
        get("/a\\b"),
        get("/..;/b"));
    for (String version :
        List.of(
            "HTTP/1.10", "HTTP/01.1", "HTTP/1", "HTTP/1.1x", "http/1.1", "HTTP/1,1", "HTTPS/1.1")) {
      add(cases, 400, "version", "GET / " + version + "\r\n" + HOST + "\r\n");
    }
    for (String version : List.of("HTTP/1.2", "HTTP/2.0", "HTTP/9.9", "HTTP/0.9", "HTTP/3.0")) {
      add(cases, 505, "version", "GET / " + version + "\r\n" + HOST + "\r\n");
    }
    add(
        cases,
        501,
        "method",
        "CONNECT a:80 HTTP/1.1\r\nHost: a:80\r\n\r\n",
        "CONNECT / HTTP/1.1\r\n" + HOST + "\r\n",
        x(70_000) + " / HTTP/1.1\r\n");
    add(cases, 414, "target", get("/" + x(9_000)), get("/?" + x(70_000)));
    add(
        cases,
        400,
        "other protocol",
        "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00fc\u0003\u0003" + x(500),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n" + VALID,
        "\r\n\r\n\0\r\nQUIT\n\u0021\u0011\0\u000c\u0001\u0002\u0003\u0004" + VALID,
        "SSH-2.0-OpenSSH_9.0\r\n",
        "*1\r\n$4\r\nPING\r\n");
  }

  private static void addHosts(List<Case> cases) {
    add(
        cases,
        400,
        "Host",
        "GET / HTTP/1.1\r\n\r\n",
        "GET http://a/ HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nhost:\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "GET / HTTP/1.0\r\nHost: a\r\nHost: b\r\n\r\n",
        "GET / HTTP/1.0\r\nHost:\r\n\r\n");
    for (String value :
        List.of(
            "", "a/b", "u@a", "a b", "a,b", "a#b", "a\0", "a:99999", "a:x", "a:80:80", "[::1",
            "::1", "[::1]x", "[]", "a?b", "a\\b", "a%41", "\u00e4", "a\tb", ":80")) {
      add(cases, 400, "Host", host(value));
    }
  }

  private static void addFields(List<Case> cases) {
    add(
        cases,
        400,
        "field",
        field("nocolon"),
        field(": b"),
        field("A : b"),
        field("A\t: b"),
        field("A B: c"),
        field("A(: b"),
        field("A\0: b"),
        field("A\u00e4: b"),
        field("A: b\0c"),
        field("A: b\rc"),
        field("A: b\nc"),
        field("A: b\u0007c"),
        field("A: b\u007fc"),
        field("A: b\u000bc"),
        field("A: b\r\n c"),
        field("A: b\r\n\tc"),
        field("A: b\r\n "),
        "GET / HTTP/1.1\r\n X: y\r\n" + HOST + "\r\n",
        "GET / HTTP/1.1\r\n" + HOST + "X: y\n\r\n",
        "GET / HTTP/1.1\r\n" + HOST + "X: y\r\n\n",
        field("Connection: a b(c"),
        field("Connection: " + "a,".repeat(17)));
    add(
        cases,
        431,
        "size",
        field("A: " + x(70_000)),
        field(x(70_000) + ": a"),
        field("A: b\r\n".repeat(101) + "C: d"),
        field("A: b\r\n".repeat(5_000) + "C: d"));
    add(
        cases,
        417,
        "Expect",
        field("Expect: 200-ok"),
        field("Expect:"),
        field("Expect: 100-continue, x"));
  }

  /** The first of each group, and of each status within it. */
  public static List<Case> oneOfEachGroup() {
    Map<String, Case> first = new LinkedHashMap<>();
    for (Case hostile : cases()) {
      first.putIfAbsent(hostile.group() + hostile.status(), hostile);
    }
    return List.copyOf(first.values());
  }
}
