package dev.weir.proxy.rule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.request.TextRequest;
import dev.weir.proxy.rule.MatchModel.Said;
import dev.weir.proxy.rule.MatchModel.Sent;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * The rule that is found is the one that {@link MatchModel} finds, on random rules and requests;
 * {@code -Dweir.model.requests=1000000} tries so many.
 */
class RuleMatcherModelTest {
  private static final int REQUESTS = Integer.getInteger("weir.model.requests", 20_000);
  private static final int REQUESTS_OF_A_SET = 60;

  private static final String[] WORDS = {"a", "b", "c", "long-literal"};
  private static final String[] METHODS = {"GET", "PUT", "POST"};
  private static final String[] HOSTS = {
    "a.test", "b.a.test", "c.b.a.test", "*.test", "*.a.test", "*.b.a.test", "xn--mnchen-3ya.de"
  };
  private static final String[] SENT_HOSTS = {
    "a.test",
    "A.Test",
    "b.a.test:8080",
    "c.b.a.test.",
    "D.c.b.a.test.:80",
    "test",
    "z.test",
    "xn--mnchen-3ya.de",
    "XN--MNCHEN-3YA.DE",
    "ba.test",
    "*.test"
  };
  private static final String[] VALUES = {"", "p", "pq", "pqr", "q", "rq", "a b", "50%", "x+y"};
  private static final String[] NETWORKS = {
    "10.0.0.0/8", "10.1.0.0/16", "10.1.2.3/32", "0.0.0.0/0", "2001:db8::/32", "2001:db8::7/128"
  };
  private static final String[] ADDRESSES = {
    "10.0.0.1", "10.1.0.1", "10.1.2.3", "11.0.0.1", "2001:db8::7", "2001:db8::8", "2001:db9::"
  };

  private final MatchedRequest matched =
      new MatchedRequest(new ClientIpReader(IdentitySettings.DEFAULT));

  @Test
  void findsWhatALookAtEveryRuleFinds() {
    Random random = new Random(7);
    int found = 0;
    Set<Integer> places = new HashSet<>();
    for (int sent = 0; sent < REQUESTS; sent += REQUESTS_OF_A_SET) {
      // Sets with plain rules only, with few words, and with so many values that they are indexed.
      List<Said> said = rules(random, 1 + random.nextInt(25), random.nextInt(4));
      RuleSet set = compile(said);
      for (int i = 0; i < REQUESTS_OF_A_SET; i++) {
        Sent request = request(random);
        Said expected = MatchModel.find(said, request);
        Rule actual = random.nextInt(4) == 0 ? byCheck(set, request) : byRequest(set, request);
        assertEquals(
            expected == null ? -1 : expected.index(),
            actual == null ? -1 : actual.index(),
            () -> request + " of " + said);
        found += actual == null ? 0 : 1;
        places.add(actual == null ? -1 : actual.index());
      }
    }
    assertTrue(found > REQUESTS / 4, "too few matches to prove anything: " + found);
    assertTrue(places.size() > 20, "too few rules to prove anything: " + places);
  }

  @Test
  void reportsARuleAsUnreachableIfAndOnlyIfNoRequestReachesIt() {
    Random random = new Random(11);
    int unreachable = 0;
    for (int round = 0; round < REQUESTS / 600; round++) {
      List<Said> said = narrowRules(random);
      Set<Integer> reached = new HashSet<>();
      for (Sent request : allNarrowRequests()) {
        Said rule = MatchModel.find(said, request);
        reached.add(rule == null ? -1 : rule.index());
      }
      Set<Integer> expected = new HashSet<>();
      for (Said rule : said) {
        if (!reached.contains(rule.index())) {
          expected.add(rule.index());
        }
      }
      Set<Integer> actual = new HashSet<>();
      compile(said).unreachable().forEach(rule -> actual.add(rule.rule().index()));
      assertEquals(expected, actual, () -> said.toString());
      unreachable += expected.size();
    }
    assertTrue(unreachable > REQUESTS / 4000, "too few to prove anything: " + unreachable);
  }

  /** Rules of few words, so that {@link #allNarrowRequests} are all that can matter. */
  private static List<Said> narrowRules(Random random) {
    String[] paths = {"/**", "/*/**", "/", "/*", "/a"};
    String[] ofQuery = {"=p", "+", "-"};
    String[][] tests = {
      {"=p"}, {"^p"}, {"$q"}, {"+"}, {"-"}, {"=p", "-"}, {"=pq"}, {"^pq", "=p"}, {"+", "-"}
    };
    List<Said> said = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      if (random.nextInt(3) > 0) {
        headers.put("x-k", List.of(tests[random.nextInt(tests.length)]));
      }
      Map<String, List<String>> query = new LinkedHashMap<>();
      if (random.nextInt(4) == 0) {
        query.put("s", List.of(ofQuery[random.nextInt(ofQuery.length)]));
      }
      List<String> networks = new ArrayList<>();
      for (String network : List.of("10.0.0.0/9", "10.128.0.0/9", "10.0.0.0/8")) {
        if (random.nextInt(8) == 0) {
          networks.add(network);
        }
      }
      said.add(
          new Said(
              i,
              random.nextInt(4) == 0 ? "*.test" : null,
              paths[random.nextInt(paths.length)],
              random.nextInt(3) > 0 ? List.of() : List.of(random.nextBoolean() ? "GET" : "PUT"),
              headers,
              query,
              networks,
              random.nextInt(2)));
    }
    return said;
  }

  private static List<Sent> allNarrowRequests() {
    List<List<String>> values = new ArrayList<>();
    for (String value : new String[] {"p", "pq", "pz", "zq", "z", "pqz"}) {
      values.add(List.of(value));
    }
    values.add(List.of());
    List<Sent> all = new ArrayList<>();
    for (String method : List.of("GET", "PUT", "POST")) {
      for (String host : List.of("z.test", "z")) {
        for (String path : List.of("", "a", "z", "a/z", "z/z")) {
          for (List<String> header : values) {
            for (List<String> parameter : List.of(List.of("p"), List.of("z"), List.<String>of())) {
              for (String address : new String[] {"10.0.0.1", "10.200.0.1", "11.0.0.1"}) {
                all.add(
                    new Sent(
                        method,
                        host,
                        path.isEmpty() ? List.of() : List.of(path.split("/")),
                        named("x-k", header),
                        named("s", parameter),
                        address));
              }
            }
          }
        }
      }
    }
    for (Sent request : List.copyOf(all)) {
      if (request.path().isEmpty() && request.method().equals("POST")) {
        all.add(
            new Sent(
                "OPTIONS",
                request.host(),
                null,
                request.headers(),
                request.query(),
                request.address()));
      }
    }
    return all;
  }

  private static List<String> named(String name, List<String> values) {
    List<String> pairs = new ArrayList<>();
    values.forEach(value -> Collections.addAll(pairs, name, value));
    return pairs;
  }

  /**
   * @param richness 0 for plain rules; 3 for many exact values of one header.
   */
  static List<Said> rules(Random random, int count, int richness) {
    List<Said> said = new ArrayList<>();
    for (int i = 0; i < (richness == 3 ? 2 * count : count); i++) {
      Map<String, List<String>> headers = new LinkedHashMap<>();
      Map<String, List<String>> query = new LinkedHashMap<>();
      List<String> networks = new ArrayList<>();
      for (int j = 0; j < richness; j++) {
        switch (random.nextInt(4)) {
          case 0 -> headers.put(random.nextBoolean() ? "x-k" : "X-Env", tests(random));
          case 1 -> query.put(random.nextBoolean() ? "s" : "a b", tests(random));
          case 2 -> networks.add(NETWORKS[random.nextInt(NETWORKS.length)]);
          default -> {}
        }
      }
      if (richness == 3) {
        (random.nextInt(5) == 0 ? query : headers).put("x-k", List.of("=" + value(random)));
      }
      said.add(
          new Said(
              i,
              richness == 0 || random.nextInt(3) > 0 ? null : HOSTS[random.nextInt(HOSTS.length)],
              richness == 3 ? "/**" : pattern(random),
              methods(random),
              headers,
              query,
              networks,
              random.nextInt(3)));
    }
    return said;
  }

  private static List<String> methods(Random random) {
    List<String> methods = new ArrayList<>();
    for (String method : METHODS) {
      if (random.nextInt(4) == 0) {
        methods.add(method);
      }
    }
    return methods;
  }

  private static String pattern(Random random) {
    StringBuilder pattern = new StringBuilder();
    int depth = random.nextInt(5);
    for (int i = 0; i < depth; i++) {
      pattern.append('/').append(random.nextInt(3) == 0 ? "*" : word(random));
    }
    return pattern.append(random.nextInt(3) == 0 ? "/**" : pattern.isEmpty() ? "/" : "").toString();
  }

  private static List<String> tests(Random random) {
    List<String> tests = new ArrayList<>();
    do {
      String value = value(random);
      tests.add(
          switch (random.nextInt(value.isEmpty() ? 3 : 5)) {
            case 0 -> "=" + value;
            case 1 -> "+";
            case 2 -> "-";
            case 3 -> "^" + value;
            default -> "$" + value;
          });
    } while (random.nextInt(3) == 0);
    return tests;
  }

  static Sent request(Random random) {
    List<String> path = new ArrayList<>();
    int depth = random.nextInt(6);
    for (int i = 0; i < depth; i++) {
      path.add(word(random));
    }
    return new Sent(
        METHODS[random.nextInt(METHODS.length)],
        SENT_HOSTS[random.nextInt(SENT_HOSTS.length)],
        path,
        pairs(random, "x-k", "X-K", "x-env"),
        pairs(random, "s", "a b", "x-k"),
        ADDRESSES[random.nextInt(ADDRESSES.length)]);
  }

  private static List<String> pairs(Random random, String... names) {
    List<String> pairs = new ArrayList<>();
    int count = random.nextInt(4);
    for (int i = 0; i < count; i++) {
      Collections.addAll(pairs, names[random.nextInt(names.length)], value(random));
    }
    return pairs;
  }

  private static String value(Random random) {
    return VALUES[random.nextInt(VALUES.length)];
  }

  private static String word(Random random) {
    return WORDS[random.nextInt(WORDS.length)];
  }

  static RuleSet compile(List<Said> said) {
    List<RuleSpec> specs = new ArrayList<>();
    for (Said rule : said) {
      RuleSpec.Builder spec = RuleSpec.builder("r" + rule.index()).priority(rule.priority());
      spec.match()
          .host(rule.host() == null ? null : HostPattern.parse(rule.host()))
          .path(PathPattern.parse(rule.path()))
          .methods(rule.methods())
          .cidr(rule.networks().stream().map(Cidr::parse).toList());
      rule.headers().forEach((name, tests) -> spec.match().field(field("header:" + name, tests)));
      rule.query().forEach((name, tests) -> spec.match().field(field("query:" + name, tests)));
      specs.add(spec.action(RuleAction.DENY).build());
    }
    return RuleSet.compile(specs, false, RuleSet.EMPTY, 0);
  }

  private static FieldCondition field(String part, List<String> tests) {
    List<ValueCondition> made = new ArrayList<>();
    for (String test : tests) {
      made.add(
          switch (test.charAt(0)) {
            case '=' -> ValueCondition.of(ValueCondition.Kind.EXACT, test.substring(1));
            case '^' -> ValueCondition.of(ValueCondition.Kind.PREFIX, test.substring(1));
            case '$' -> ValueCondition.of(ValueCondition.Kind.SUFFIX, test.substring(1));
            case '+' -> ValueCondition.PRESENT;
            default -> ValueCondition.ABSENT;
          });
    }
    return new FieldCondition(KeyPart.parse(part), made);
  }

  private Rule byRequest(RuleSet set, Sent sent) {
    return set.match(matched.of(view(sent)));
  }

  static RequestView view(Sent sent) {
    return view(sent, sent.headers(), sent.query(), sent.host());
  }

  /** Finds the rule of a check that gives what is asked as identities, where it can. */
  private Rule byCheck(RuleSet set, Sent sent) {
    Question check = new Question().start(Operation.CHECK, Purpose.DECISION);
    RequestView endpoint = view(sent, List.of(), List.of(), "");
    give(check, "header:host", sent.host());
    give(check, "ip", sent.address());
    Set<String> names = new HashSet<>();
    for (int i = 0; i < sent.headers().size(); i += 2) {
      String name = "header:" + sent.headers().get(i).toLowerCase();
      if (!names.add(name)) {
        return byRequest(set, sent); // a check has one value of a name
      }
      give(check, name, sent.headers().get(i + 1));
    }
    for (int i = 0; i < sent.query().size(); i += 2) {
      String name = "query:" + sent.query().get(i);
      if (!names.add(name)) {
        return byRequest(set, sent);
      }
      give(check, name, sent.query().get(i + 1));
    }
    return set.match(matched.of(check.request(endpoint)));
  }

  private static void give(Question check, String name, String value) {
    byte[] bytes = value.getBytes(StandardCharsets.UTF_8);
    check.identity(name, new UnsafeBuffer(bytes), 0, bytes.length);
  }

  private static RequestView view(
      Sent sent, List<String> headers, List<String> query, String host) {
    StringBuilder target = new StringBuilder("/").append(String.join("/", sent.path()));
    for (int i = 0; i < query.size(); i += 2) {
      target.append(i == 0 ? '?' : '&').append(encoded(query.get(i))).append('=');
      target.append(encoded(query.get(i + 1)));
    }
    List<String> fields = new ArrayList<>(headers);
    Collections.addAll(fields, ":authority", host);
    return TextRequest.from(
        sent.address(), sent.method(), target.toString(), fields.toArray(String[]::new));
  }

  private static String encoded(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
