package dev.weir.bench.rule;

import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import dev.weir.proxy.request.RequestView;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Rules that differ in one part of a request, and the request that each of them takes. Texts are
 * short: a file of 10,000 rules must not be longer than 1 MiB.
 */
public enum RuleKind {
  /** A path each, and no conditions. */
  PATH("path: /%s", "/%s"),

  /** A host each; a header and a network beside it. */
  HOST("path: /path, host: %s.a, headers: {e: p}, cidr: [9.0.0.0/8]", "/path"),

  /** A value of a header each; a query parameter beside it. */
  VALUE("path: /path, headers: {tenant: %s}, query: {s: t}", "/path"),

  /** A host each, and all other kinds of conditions: too long for 10,000 rules. */
  ALL(
      "path: /path, host: %s.a, headers: {e: p, k: {prefix: a}}, query: {s: t}, cidr: [9.0.0.0/8]",
      "/path");

  private static final Peer PEER = new Peer(IpAddress.v4(0x0901_0203), false);
  private static final int FIELDS = 16;

  private final String match;
  private final String path;

  RuleKind(String match, String path) {
    this.match = match;
    this.path = path;
  }

  /** The id of a rule, by which its path, host or value is called too. */
  static String name(int number) {
    return String.format(Locale.ROOT, "r%04d", number);
  }

  /** A settings file with so many rules; none refuses in a benchmark. */
  String file(int count) {
    final StringBuilder file = new StringBuilder("upstream: http://127.0.0.1:1\nrules:\n");
    for (int i = 0; i < count; i++) {
      file.append("- {id: ").append(name(i)).append(", limit: 9999/1ms, match: {");
      file.append(String.format(Locale.ROOT, match, name(i))).append("}}\n");
    }
    return file.toString();
  }

  /** A request that the rule of a number takes, in memory of its own; alike for all kinds. */
  RequestView request(int number) {
    final String name = name(number);
    final String target = String.format(Locale.ROOT, path, name);
    final StringBuilder head = new StringBuilder("GET ").append(target).append("?s=t HTTP/1.1\r\n");
    final int authority = head.append("host: ").length();
    head.append(name).append(".a\r\n");
    final RequestView view = new RequestView(FIELDS);
    final int[][] fields = {
      field(head, "accept", "*/*"),
      field(head, "user-agent", "weir-bench/1.0"),
      field(head, "e", "p"),
      field(head, "k", "abcdef"),
      field(head, "tenant", name),
      field(head, "x-user-id", "user-12345")
    };
    final byte[] bytes = head.append("\r\n").toString().getBytes(StandardCharsets.US_ASCII);
    view.reset(new UnsafeBuffer(bytes), 0, bytes.length, PEER);
    view.method(0, 3);
    view.path(4, target.length());
    view.query(4 + target.length() + 1, 3);
    view.authority(authority, name.length() + 2);
    for (int[] field : fields) {
      view.addField(field[0], field[1], field[2], field[3]);
    }
    return view;
  }

  private static int[] field(StringBuilder head, String name, String value) {
    final int at = head.length();
    head.append(name).append(": ").append(value).append("\r\n");
    return new int[] {at, name.length(), at + name.length() + 2, value.length()};
  }
}
