package dev.weir.proxy.envoy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.SettingsFile;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

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

  private static RuleImport turn(String... texts) {
    return RuleImport.of(Configurations.local(texts), Map.of("user", "header:x-user-id"));
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
        "key: path, value: /a | one budget of all callers",
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
