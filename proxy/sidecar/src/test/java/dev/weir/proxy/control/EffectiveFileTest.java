package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.BudgetGroup;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class EffectiveFileTest {
  private static final int RANDOM_FILES = Integer.getInteger("weir.effective.files", 40);
  private static final String UPSTREAM = "upstream: http://127.0.0.1:8080\n";

  private final Random random = new Random(23);

  @Test
  void saysFromWhereEachValueIs() {
    String text =
        effective(
            UPSTREAM
                + """
                redis: {nodes: "127.0.0.1:6379"}
                service: shop
                everywhere:
                  - {name: all, limit: 9/1s, key: all}
                rules:
                  - id: a
                    match: {path: /a, headers: {x-n: 7, "x#n": {prefix: "a # b"}}}
                    key: [header:x-u, ip]
                    limits:
                      - {limit: 0.5/1s, algorithm: token-bucket}
                      - {name: day, limit: 10/1d, algorithm: fixed-window, mode: exact, cost: 2}
                  - {id: b, action: unlimited}
                """);
    assertEquals(
        """
        everywhere: # line 4
          - name: all # line 5
            limit: 9/1s # line 5
            key: all # line 5
            burst: 9 # default
            cost: 1 # default
            algorithm: gcra # default
            mode: local # default
        rules: # line 6
          - id: a # line 7
            match: # line 8
              path: /a # line 8
              headers: # line 8
                x-n: 7 # line 8
                "x#n": # line 8
                  prefix: "a # b" # line 8
            key: # line 9
              - header:x-u # line 9
              - ip # line 9
            limits: # line 10
              - limit: 0.5/1s # line 11
                algorithm: token-bucket # line 11
                key: # the rule's, line 9
                  - header:x-u # line 9
                  - ip # line 9
                burst: 1 # default
                cost: 1 # the rule's default
                mode: local # the rule's default
              - name: day # line 12
                limit: 10/1d # line 12
                algorithm: fixed-window # line 12
                mode: exact # line 12
                cost: 2 # line 12
                key: # the rule's, line 9
                  - header:x-u # line 9
                  - ip # line 9
                align: epoch # default
                on-store-failure: local-share # the rule's default
            cost: 1 # default
            action: limit # default
            dry-run: false # default
            enforce: 100% # default
            on-missing-key: ip # default
            mode: local # default
            share: none # default
            on-store-failure: local-share # default
            idempotency: false # default
            priority: 0 # default
            everywhere: true # default
        """,
        text.substring(text.indexOf("everywhere:"), text.indexOf("  - id: b")));
    assertTrue(text.contains("listen: 127.0.0.1:8000 # default\n"), text);
    assertTrue(text.contains("  - id: b # line 13\n    action: unlimited # line 13\n"), text);
    assertTrue(text.contains("timeouts:\n  head: 10s # default\n"), text);
  }

  @Test
  void namesTheVariableThatSaysWhatTheFileDoesNotAndNotItsValue() {
    byte[] content =
        (UPSTREAM + "redis: {nodes: \"127.0.0.1:6379\"}\n").getBytes(StandardCharsets.UTF_8);
    Map<String, String> environment = Map.of("WEIR_REDIS_PASSWORD", "hidden", "HOME", "/");
    String text = EffectiveFile.of(content, environment, Faults.ofFile("weir.yaml"));
    assertTrue(
        text.startsWith(
            "# redis.password-file: not given, as $WEIR_REDIS_PASSWORD of the environment says it\n"),
        text);
    assertTrue(!text.contains("hidden"), text);
  }

  @Test
  void tellsTheFaultsOfAFile() {
    Faults faults = Faults.ofFile("weir.yaml");
    byte[] content =
        (UPSTREAM + "rules: [{id: a, limit: 0/1s}]\n").getBytes(StandardCharsets.UTF_8);
    assertNull(EffectiveFile.of(content, Map.of(), faults));
    assertEquals(
        "weir.yaml:2: rules[0].limit: 0/1s (expected: 1 or more per window)", faults.toString());
  }

  @Test
  void saysThatAFileWouldBeTooLargeWithEveryDefault() {
    StringBuilder text = new StringBuilder(UPSTREAM);
    text.append("rules:\n  - id: a\n    limit: 1/1s\n    match:\n      headers:\n");
    String value = "a".repeat(1000);
    for (int i = 0; i < 16; i++) {
      text.append("        x-").append(i).append(": [").append(value);
      text.append((", " + value).repeat(63)).append("]\n");
    }
    Faults faults = Faults.ofFile("weir.yaml");
    assertNull(
        EffectiveFile.of(text.toString().getBytes(StandardCharsets.UTF_8), Map.of(), faults));
    assertTrue(
        faults.toString().matches("weir.yaml: [0-9]+ bytes with every default .*"),
        faults.toString());
  }

  @Test
  void isAFixedPointWithTheSameBudgetsForFilesThatTheManualShows() throws Exception {
    int count = 0;
    for (String page : List.of("configuration", "fleet", "tls")) {
      for (ManualPage.Block block : ManualPage.of("docs/" + page + ".md").blocks()) {
        if (block.language().equals("yaml")) {
          boolean isWhole = block.text().startsWith("upstream:");
          check(isWhole ? block.text() : UPSTREAM + block.text());
          count++;
        }
      }
    }
    assertTrue(count > 20, "too few files to prove anything: " + count);
    check(Files.readString(ManualPage.root().resolve("deploy/examples/weir.yaml")));
    check("decision: on\nrules: [{id: a, limit: 1/1s}]\n");
    check("decision: on\nrules: [{id: a, concurrency: 4}]\n");
    check("decision: on\nrules: [{id: a, limits: [{concurrency: 4}, {limit: 1/1s}]}]\n");
    check("decision: on\neverywhere: [{name: a, limit: 1/1s}]\n");
    check(
        """
        decision: on
        trusted-proxies: [127.0.0.1]
        users: {identity: ip, tiers: [free, premium], tier-from: [header:x-plan]}
        everywhere: [{name: a, limit: 1/1s, tiers: {premium: unlimited}}]
        rules:
          - {id: r, limit: 9/1m, tiers: {premium: {limit: 90/1m, burst: 5}}}
          - {id: s, match: {path: /s}, concurrency: 4, tiers: {premium: 20, free: 2}}
        """);
  }

  @Test
  void isAFixedPointWithTheSameBudgetsForRandomFiles() {
    int good = 0;
    for (int i = 0; i < 20 * RANDOM_FILES && good < RANDOM_FILES; i++) {
      String text = randomFile();
      if (read(text) != null) {
        check(text);
        good++;
      }
    }
    assertEquals(RANDOM_FILES, good, "random files without a fault");
  }

  private static Settings read(String text) {
    return new SettingsFile()
        .read(text.getBytes(StandardCharsets.UTF_8), Faults.ofFile("weir.yaml"));
  }

  private static String effective(String text) {
    Faults faults = Faults.ofFile("weir.yaml");
    String effective = EffectiveFile.of(text.getBytes(StandardCharsets.UTF_8), Map.of(), faults);
    assertNotNull(effective, faults + " of " + text);
    return effective;
  }

  private static String values(String text) {
    return text.replaceAll("(?m) # (line \\d+|default|the rule's.*)$", "");
  }

  private static void check(String text) {
    String once = effective(text);
    assertEquals(values(once), values(effective(once)));
    Settings given = read(text);
    Settings filled = read(once);
    assertNotNull(filled, once);
    assertEquals(List.of(), given.differencesUntilRestart(filled), text);
    assertEquals(given.names(), filled.names());
    List<Rule> rules = given.rules().compile(RuleSet.EMPTY).rules();
    List<Rule> others = filled.rules().compile(RuleSet.EMPTY).rules();
    assertEquals(rules.size(), others.size());
    for (int i = 0; i < rules.size(); i++) {
      check(rules.get(i), others.get(i), once);
    }
  }

  private static void check(Rule rule, Rule other, String where) {
    RuleSpec one = rule.spec();
    RuleSpec two = other.spec();
    assertEquals(one.id(), two.id(), where);
    assertEquals(one.match(), two.match(), where);
    assertEquals(one.action(), two.action(), where);
    assertEquals(one.enforcement(), two.enforcement(), where);
    assertEquals(one.onMissingKey(), two.onMissingKey(), where);
    assertEquals(one.priority(), two.priority(), where);
    assertEquals(one.share(), two.share(), where);
    assertEquals(one.everywhere(), two.everywhere(), where);
    assertEquals(one.idempotency(), two.idempotency(), where);
    assertEquals(one.countsMessages(), two.countsMessages(), where);
    assertEquals(rule.groupCount(), other.groupCount(), where);
    for (int group = 0; group < rule.groupCount(); group++) {
      check(rule.group(group), other.group(group), where);
    }
  }

  private static void check(BudgetGroup group, BudgetGroup other, String where) {
    assertEquals(group.size(), other.size(), where);
    assertEquals(group.key(), other.key(), where);
    assertArrayEquals(group.dimension(), other.dimension(), where);
    assertEquals(group.mode(), other.mode(), where);
    assertEquals(group.onStoreFailure(), other.onStoreFailure(), where);
    for (int i = 0; i < group.size(); i++) {
      Budget one = group.budget(i);
      Budget two = other.budget(i);
      assertArrayEquals(one.storeName(), two.storeName(), where);
      assertEquals(one.policy(), two.policy(), where);
      assertEquals(one.cost(), two.cost(), where);
      BudgetSpec spec = one.spec();
      assertEquals(spec.limit().rate(), two.spec().limit().rate(), where);
      assertEquals(spec.limit().capacity(), two.spec().limit().capacity(), where);
      assertEquals(spec.limit().resolved().align(), two.spec().limit().resolved().align(), where);
      assertEquals(
          spec.limit().resolved().subWindowNs(),
          two.spec().limit().resolved().subWindowNs(),
          where);
      assertEquals(
          spec.limit().resolved().maxWaitNs(), two.spec().limit().resolved().maxWaitNs(), where);
      assertEquals(spec.leaseLifeNs(), two.spec().leaseLifeNs(), where);
      assertEquals(spec.cost().kind() == two.spec().cost().kind() ? "" : "1", costs(spec), where);
    }
  }

  /** A cost that was not given is given as 1, but not of requests at a time. */
  private static String costs(BudgetSpec spec) {
    boolean isFilled = spec.cost().toString().equals("0") && !spec.limit().isConcurrency();
    return isFilled ? "1" : "";
  }

  private String randomFile() {
    StringBuilder text = new StringBuilder(UPSTREAM);
    text.append("redis: {nodes: \"127.0.0.1:6379\"}\ntrusted-proxies: [127.0.0.1]\n");
    text.append("identities: {user: {first-of: [cookie:uid, header:x-u]}}\n");
    boolean hasEverywhere = random.nextInt(3) == 0;
    if (hasEverywhere) {
      text.append("everywhere:\n  - {name: ofAll").append(limit(true)).append("}\n");
    }
    text.append("rules:\n");
    int count = 1 + random.nextInt(3);
    for (int i = 0; i < count; i++) {
      text.append("  - id: r").append(i).append('\n');
      text.append("    match: {path: /p").append(i).append("}\n");
      for (String field : fields(hasEverywhere)) {
        text.append("    ").append(field).append('\n');
      }
    }
    return text.toString();
  }

  private List<String> fields(boolean hasEverywhere) {
    List<String> fields = new ArrayList<>();
    some(fields, 6, "action: unlimited", "action: deny", "action: limit");
    if (random.nextInt(3) == 0) {
      fields.add("limits: [{name: x" + limit(true) + "}, {name: y" + limit(true) + "}]");
    } else if (fields.isEmpty() || fields.get(0).endsWith("limit")) {
      fields.addAll(List.of(limit(false).substring(2).split(", (?=[a-z-]+: )")));
    }
    if (fields.stream().noneMatch(field -> field.startsWith("key:"))) {
      some(fields, 2, "key: user", "key: [ip, header:x-u]", "key: all");
    }
    if (fields.stream().noneMatch(field -> field.startsWith("mode:"))) {
      some(fields, 3, "mode: exact", "mode: leased", "share: auto");
    }
    if (fields.stream().noneMatch(field -> field.startsWith("cost:"))) {
      some(fields, 4, "cost: 2", "cost: messages", "cost: 0.5");
    }
    some(fields, 6, "dry-run: true", "enforce: 25%", "warn-at: 80%", "idempotency: true");
    some(fields, 6, "on-missing-key: refuse", "on-missing-key: shared", "priority: 7");
    if (hasEverywhere) {
      some(fields, 3, "everywhere: false", "everywhere: [ofAll]", "everywhere: true");
    }
    return fields;
  }

  private String limit(boolean isInList) {
    List<String> fields = new ArrayList<>();
    String[] algorithms = {
      "gcra",
      "token-bucket",
      "leaky-bucket",
      "fixed-window",
      "sliding-log",
      "sliding-counter",
      "bucket-ring"
    };
    String algorithm = algorithms[random.nextInt(algorithms.length)];
    boolean isMonthly = algorithm.equals("fixed-window") && random.nextInt(4) == 0;
    String[] rates = {"10/1s", "100/1m", "5/1h", "7/5ms"};
    fields.add("limit: " + (isMonthly ? "9/1month" : rates[random.nextInt(rates.length)]));
    if (random.nextInt(4) > 0 || isMonthly) {
      fields.add("algorithm: " + algorithm);
    }
    if (algorithm.equals("leaky-bucket")) {
      some(fields, 2, "overflow: queue", "overflow: reject");
    }
    if (algorithm.equals("fixed-window") && !isMonthly) {
      some(fields, 3, "align: minute", "align: hour", "align: epoch");
    }
    some(fields, 6, "burst: 3", "sub-window: 1s", "time-zone: Europe/Berlin");
    if (isInList) {
      some(fields, 3, "key: user", "key: all");
      some(fields, 3, "mode: exact", "mode: leased", "mode: local");
      some(fields, 5, "on-store-failure: closed", "lease-life: 100ms");
      some(fields, 4, "cost: 2", "cost: {header: x-cost, max: 3}");
    }
    return ", " + String.join(", ", fields);
  }

  private void some(List<String> fields, int rarity, String... all) {
    if (random.nextInt(rarity) == 0) {
      fields.add(all[random.nextInt(all.length)]);
    }
  }
}
