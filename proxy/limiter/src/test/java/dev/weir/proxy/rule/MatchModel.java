package dev.weir.proxy.rule;

import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * Which rule is for a request, as the manual says it: slow, obvious, and without the code that
 * decides. Everything is text, as in a file and on the wire.
 */
final class MatchModel {
  private MatchModel() {}

  /**
   * A rule as it is written.
   *
   * @param host null for all.
   * @param headers tests by name: {@code =text}, {@code ^prefix}, {@code $suffix}, {@code +} for
   *     present, {@code -} for absent.
   */
  record Said(
      int index,
      String host,
      String path,
      List<String> methods,
      Map<String, List<String>> headers,
      Map<String, List<String>> query,
      List<String> networks,
      int priority) {}

  /**
   * A request as it is sent.
   *
   * @param path segments, decoded; null for the target {@code *}.
   * @param headers names and values in turn; so are the parameters of the query, decoded.
   * @param address null if nothing says it.
   */
  record Sent(
      String method,
      String host,
      List<String> path,
      List<String> headers,
      List<String> query,
      String address) {}

  /** The rule for a request; null if there is none. */
  static Said find(List<Said> rules, Sent request) {
    return rules.stream()
        .filter(rule -> matches(rule, request))
        .min(
            Comparator.comparingInt((Said rule) -> -hostRank(rule.host))
                .thenComparing(rule -> pathRank(rule.path))
                .thenComparingInt(rule -> -rule.priority)
                .thenComparingInt(rule -> -conditions(rule))
                .thenComparingInt(Said::index))
        .orElse(null);
  }

  private static int hostRank(String host) {
    if (host == null) {
      return 0;
    }
    return host.startsWith("*.") ? host.length() : 1_000_000;
  }

  /** Sorts as paths win: a literal (0) before * (1) before the end (2) before ** (3). */
  private static String pathRank(String path) {
    StringBuilder rank = new StringBuilder();
    for (String part : parts(path)) {
      rank.append(part.equals("**") ? '3' : part.equals("*") ? '1' : '0');
    }
    return rank.append('2').toString();
  }

  private static int conditions(Said rule) {
    return (rule.methods.isEmpty() ? 0 : 1)
        + (rule.networks.isEmpty() ? 0 : 1)
        + rule.headers.size()
        + rule.query.size();
  }

  static boolean matches(Said rule, Sent request) {
    return matchesHost(rule.host, request.host)
        && matchesPath(parts(rule.path), request.path)
        && (rule.methods.isEmpty() || rule.methods.contains(request.method))
        && rule.headers.entrySet().stream()
            .allMatch(asked -> matchesValues(asked, request.headers, true))
        && rule.query.entrySet().stream()
            .allMatch(asked -> matchesValues(asked, request.query, false))
        && (rule.networks.isEmpty()
            || request.address != null
                && rule.networks.stream().anyMatch(net -> isWithin(net, request.address)));
  }

  private static boolean matchesHost(String pattern, String sent) {
    if (pattern == null) {
      return true;
    }
    String host = sent.toLowerCase().replaceFirst(":[0-9]+$", "").replaceFirst("\\.$", "");
    return pattern.startsWith("*.")
        ? host.endsWith(pattern.substring(1)) && host.length() >= pattern.length()
        : host.equals(pattern);
  }

  private static List<String> parts(String path) {
    return Arrays.stream(path.split("/")).filter(part -> !part.isEmpty()).toList();
  }

  private static boolean matchesPath(List<String> parts, List<String> segments) {
    if (segments == null) {
      return parts.equals(List.of("**"));
    }
    for (int i = 0; i < parts.size(); i++) {
      String part = parts.get(i);
      if (part.equals("**")) {
        return true;
      }
      if (i >= segments.size() || !part.equals("*") && !part.equals(segments.get(i))) {
        return false;
      }
    }
    return parts.size() == segments.size();
  }

  private static boolean matchesValues(
      Map.Entry<String, List<String>> asked, List<String> pairs, boolean ignoreCase) {
    List<String> values = new ArrayList<>();
    for (int i = 0; i < pairs.size(); i += 2) {
      String name = pairs.get(i);
      if (ignoreCase ? name.equalsIgnoreCase(asked.getKey()) : name.equals(asked.getKey())) {
        values.add(pairs.get(i + 1));
      }
    }
    for (String test : asked.getValue()) {
      String text = test.substring(1);
      boolean passes =
          switch (test.charAt(0)) {
            case '=' -> values.contains(text);
            case '^' -> values.stream().anyMatch(value -> value.startsWith(text));
            case '$' -> values.stream().anyMatch(value -> value.endsWith(text));
            case '+' -> !values.isEmpty();
            default -> values.isEmpty();
          };
      if (passes) {
        return true;
      }
    }
    return false;
  }

  private static boolean isWithin(String network, String address) {
    String[] halves = network.split("/");
    byte[] net = bytes(halves[0]);
    byte[] of = bytes(address);
    int beyond = net.length * 8 - Integer.parseInt(halves[1]);
    return net.length == of.length
        && new BigInteger(1, net)
            .shiftRight(beyond)
            .equals(new BigInteger(1, of).shiftRight(beyond));
  }

  private static byte[] bytes(String address) {
    try {
      return InetAddress.getByName(address).getAddress();
    } catch (UnknownHostException noLiteral) {
      throw new AssertionError(noLiteral);
    }
  }
}
