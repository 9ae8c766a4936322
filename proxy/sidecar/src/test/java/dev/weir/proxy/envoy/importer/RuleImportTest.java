package dev.weir.proxy.envoy.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFile;
import dev.weir.proxy.envoy.file.Configurations;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What becomes of files of envoyproxy/ratelimit as rules. */
class RuleImportTest {
  private static final String FILE =
      """
      domain: edge
      descriptors:
        - key: remote_address
          rate_limit: {unit: second, requests_per_unit: 20}
        - key: user
          rate_limit: {unit: minute, requests_per_unit: 60}
          descriptors:
            - key: remote_address
              rate_limit: {unit: month, requests_per_unit: 900}
        - key: path
          value: /files/*
          share_threshold: true
          descriptors:
            - key: method
              value: POST
              descriptors:
                - key: user
                  shadow_mode: true
                  rate_limit: {unit: hour, requests_per_unit: 5}
        - key: path
          value: /internal
          rate_limit: {unit: hour, requests_per_unit: 0}
        - key: path
          value: /open
          rate_limit: {unlimited: true}
        - key: tier
          value: free
          rate_limit: {unit: hour, requests_per_unit: 5}
      """;

  private static RuleImport turn(String text) {
    return turn(text, Map.of("user", "header:x-user-id"));
  }

  private static RuleImport turn(String text, Map<String, String> sources) {
    RateLimitConfiguration configuration = Configurations.exact(text);
    return RuleImport.of(configuration, configuration.domainNames().get(0), sources);
  }

  @Test
  void turnsWhatRulesCanSay() {
    RuleImport turned = turn(FILE);
    assertEquals(
        """
        rules:
          - id: "edge"
            limits:
              - {limit: 20/1s, key: ["ip"], algorithm: fixed-window}
              - {limit: 60/1m, key: ["header:x-user-id"], algorithm: fixed-window}
              - {limit: 900/30d, key: ["header:x-user-id", "ip"], algorithm: fixed-window}
          - id: "edge-files-post"
            match:
              path: "/files/**"
              methods: ["POST"]
            limits:
              - {limit: 5/1h, key: ["header:x-user-id"], algorithm: fixed-window}
            dry-run: true
          - id: "edge-internal"
            match:
              path: "/internal"
            action: deny
          - id: "edge-open"
            match:
              path: "/open"
            action: unlimited
        """,
        turned.yaml());
    assertEquals(1, turned.unturned().size());
  }

  @Test
  void turnsALimitOfAPathIntoOneBudgetOfAllCallers() {
    RuleImport turned =
        turn(
            "domain: d\ndescriptors:\n  - {key: path, value: /a, "
                + UNIT
                + ", descriptors: [{key: user, rate_limit: {unit: hour, requests_per_unit: 3}}]}\n");
    assertEquals(List.of(), turned.unturned());
    assertEquals(
        """
        rules:
          - id: "d-a"
            match:
              path: "/a"
            limits:
              - {limit: 9/1d, key: all, algorithm: fixed-window}
              - {limit: 3/1h, key: ["header:x-user-id"], algorithm: fixed-window}
        """,
        turned.yaml());
    assertEquals("", read(turned.yaml()).toString());
  }

  @Test
  void writesRulesThatASettingsFileTakes() {
    assertEquals("", read(turn(FILE).yaml()).toString());
  }

  /** A rule of all methods decides for each, so that none behind it would be reached. */
  @Test
  void writesARuleOfAMethodBeforeThatOfAllMethods() {
    String yaml =
        turn("""
                domain: d
                descriptors:
                  - key: user
                    rate_limit: {unit: day, requests_per_unit: 9}
                  - key: method
                    value: PUT
                    descriptors:
                      - key: user
                        rate_limit: {unit: day, requests_per_unit: 5}
                """)
            .yaml();
    assertTrue(yaml.indexOf("\"d-put\"") < yaml.indexOf("\"d\""), yaml);
    assertEquals(List.of(), read(yaml).warnings());
  }

  @Test
  void givesEachRuleAnIdOfItsOwn() {
    StringBuilder file = new StringBuilder("domain: d\ndescriptors:\n");
    for (String path : List.of("/x-2", "/x", "/x_")) {
      file.append("  - {key: path, value: ").append(path);
      file.append(", rate_limit: {unlimited: true}}\n");
    }
    assertEquals("", read(turn(file.toString()).yaml()).toString());
  }

  private static final String UNIT = "rate_limit: {unit: day, requests_per_unit: 9}";

  /** Each has been written as a rule that {@code weir check} refuses. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "[{key: path, value: /a/../b, descriptors: [{key: user, LIMIT}]}]",
        "[{key: path, value: /., descriptors: [{key: user, LIMIT}]}]",
        "[{key: path, value: /1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8/9/0/1/2/3/4/5/6/7/8/9/0/1/2/3,"
            + " descriptors: [{key: user, LIMIT}]}]",
        "[{key: path, value: /a, descriptors: [{key: user, LIMIT}]},"
            + " {key: user, descriptors: [{key: path, value: /a, LIMIT}]}]",
        "[{key: path, value: /a, descriptors: [{key: user, LIMIT}]},"
            + " {key: path, value: /a/, descriptors: [{key: user, LIMIT}]}]",
        "[{key: quoted, LIMIT}]",
      })
  void writesNoRuleThatASettingsFileRefuses(String nodes) {
    String file = "domain: d\ndescriptors: " + nodes.replace("LIMIT", UNIT) + "\n";
    String query = "query:a\"b\\c";
    RuleImport turned = turn(file, Map.of("user", "header:x-user-id", "quoted", query));
    assertEquals("", read(turned.yaml()).toString(), turned.yaml());
    assertEquals(List.of(), turned.faults());
    int limits = file.split("rate_limit", -1).length - 1;
    assertEquals(
        limits, turned.yaml().split("- \\{limit", -1).length - 1 + turned.unturned().size());
  }

  @Test
  void saysThatExactRulesNeedAStore() {
    RuleImport turned =
        turn("domain: d\ndescriptors: [{key: user, weir: {mode: exact}, " + UNIT + "}]\n");
    assertEquals(List.of(), turned.faults());
    assertTrue(turned.yaml().contains("mode: exact"), turned.yaml());
    assertTrue(turned.notes().get(0).startsWith("redis.nodes has to be set"), turned + "");
  }

  @Test
  void takesNoNetworkForAnAddressUntold() {
    String file = "domain: d\ndescriptors: [{key: masked_remote_address, " + UNIT + "}]\n";
    RuleImport turned = turn(file);
    assertEquals(0, turned.ruleCount());
    assertTrue(
        turned
            .unturned()
            .get(0)
            .endsWith(
                ": masked_remote_address is a network of clients, of a"
                    + " length that Envoy's routes say (expected: --entry masked_remote_address=ip for a"
                    + " budget of each IPv4 address and of each IPv6 network of ipv6-prefix)"),
        turned.unturned().toString());
    assertEquals(1, turn(file, Map.of("masked_remote_address", "ip")).ruleCount());
  }

  @Test
  void saysThatAddressesOfIpv6CountByNetwork() {
    String note = "key ip counts IPv6 addresses by network (ipv6-prefix, 64 unless set)";
    assertEquals(
        List.of(note),
        turn("domain: d\ndescriptors: [{key: remote_address, " + UNIT + "}]\n").notes());
  }

  @Test
  void turnsOneDomainAndNoOther() {
    RateLimitConfiguration two =
        Configurations.local(
            "domain: one\ndescriptors: [{key: user, " + UNIT + "}]\n",
            "domain: two\ndescriptors: [{key: remote_address, " + UNIT + "}]\n");
    assertEquals(List.of("one", "two"), two.domainNames());
    String yaml = RuleImport.of(two, "two", Map.of("user", "header:x-user-id")).yaml();
    assertTrue(yaml.contains("\"ip\"") && !yaml.contains("x-user-id"), yaml);
  }

  private static Faults read(String rules) {
    Faults faults = Faults.ofFile("weir.yaml");
    byte[] file = ("upstream: http://127.0.0.1:1\n" + rules).getBytes(StandardCharsets.UTF_8);
    new SettingsFile().read(file, faults);
    return faults;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "key: tier, value: free | what tier is taken from is not known here"
            + " (expected: --entry tier=SOURCE",
        "key: user, value: ann | a value of header:x-user-id: rules are found by path",
        "key: path | a budget of each path: a rule's budgets are of all",
        "key: path, value: /a/* | a budget of each path: share_threshold",
        "key: path, value: a* | a path that no rule matches",
        "key: method | a budget of each method",
        "key: user, quota_mode: true | quota_mode: each limit of a rule refuses by itself",
      })
  void saysWhatItCouldNotTurn(String node, String reason) {
    List<String> unturned =
        turn("domain: d\ndescriptors:\n  - {"
                + node
                + ", rate_limit: {unit: day, requests_per_unit: 9}}\n")
            .unturned();
    assertEquals(1, unturned.size());
    assertTrue(unturned.get(0).contains(" (line 3): " + reason), unturned.toString());
  }

  private static final String SHARED =
      "{key: path, value: %s, share_threshold: true, descriptors: [{key: user, " + UNIT + "}]}";

  /** To Envoy the first wildcard that stands for a value is the only one. */
  @ParameterizedTest
  @CsvSource({"/a/*, /a/b/*", "/*, /a/*", "/a/*, /a/b*c", "'*', /a/*"})
  void turnsNoWildcardBehindAWiderOne(String wider, String narrower) {
    List<String> unturned = turn(shared(wider, narrower)).unturned();
    assertEquals(
        "d > path_"
            + narrower
            + " (line 4): never reached, as path_"
            + wider
            + " before it (line 3) stands for all that it does",
        unturned.get(unturned.size() - 1));
  }

  @ParameterizedTest
  @CsvSource({"/a/b/*, /a/*", "/a/*, /b/*", "/a/*, /a/b"})
  void turnsAWildcardThatIsReached(String first, String second) {
    String share = second.endsWith("*") ? "" : ", share_threshold: true";
    RuleImport turned = turn(shared(first, second).replaceFirst("(value: /a/b)" + share, "$1"));
    assertEquals(List.of(), turned.unturned());
    assertEquals(2, turned.ruleCount());
  }

  private static String shared(String first, String second) {
    return "domain: d\ndescriptors:\n  - %s\n  - %s\n"
        .formatted(
            SHARED.formatted("'" + first + "'"),
            second.contains("*")
                ? SHARED.formatted("'" + second + "'")
                : SHARED.formatted(second).replace("share_threshold: true, ", ""));
  }

  @Test
  void saysWhatAPathWithAStarMatchesBeside() {
    assertEquals(
        List.of("path /a/* is /a/** in rules, which also matches /a"),
        turn(shared("/a/*", "/b")).notes());
    assertEquals(List.of(), turn(shared("/*", "/b")).notes());
  }

  @Test
  void saysOfEachRuleOfAMethodWhoseLimitsItTakesRequestsFrom() {
    String user = "descriptors: [{key: user, " + UNIT + "}]";
    String post = "descriptors: [{key: method, value: POST, " + user + "}]";
    RuleImport turned =
        turn(
            "domain: d\ndescriptors:\n  - {key: user, "
                + UNIT
                + "}\n  - {key: path, value: /a, "
                + user
                + "}\n  - {key: path, value: /a/b, "
                + post
                + "}\n  - {key: path, value: /c, "
                + post
                + "}\n");
    assertEquals(
        List.of(
            "rule d-a-b-post takes POST of /a/b from rule d, whose limits do not count it",
            "rule d-c-post takes POST of /c from rule d, whose limits do not count it"),
        turned.notes());
  }

  @Test
  void namesTheRulesOfTheSamePathAndOfWiderOnes() {
    String user = "descriptors: [{key: user, " + UNIT + "}]";
    RuleImport turned =
        turn(
            "domain: d\ndescriptors:\n  - {key: user, "
                + UNIT
                + "}\n  - {key: method, value: PUT, "
                + user
                + "}\n  - {key: path, value: /a, descriptors: [{key: user, "
                + UNIT
                + "}, {key: method, value: PUT, "
                + user
                + "}]}\n");
    assertEquals(
        List.of(
            "rule d-put takes PUT of every path from rule d, whose limits do not count it",
            "rule d-a-put takes PUT of /a from rules d-put, d, d-a, whose limits do not count it"),
        turned.notes());
  }

  @Test
  void saysThatOnlyOneRuleOfAPathDecides() {
    RuleImport turned =
        turn(
            """
            domain: d
            descriptors:
              - key: user
                rate_limit: {unit: day, requests_per_unit: 9}
              - key: remote_address
                shadow_mode: true
                rate_limit: {unit: day, requests_per_unit: 9}
            """);
    assertEquals(1, turned.ruleCount());
    assertTrue(turned.unturned().get(0).endsWith("the first rule decides: d"));
  }
}
