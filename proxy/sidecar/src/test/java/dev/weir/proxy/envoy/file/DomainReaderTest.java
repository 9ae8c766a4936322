package dev.weir.proxy.envoy.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.control.Faults;
import dev.weir.proxy.control.YamlBudget;
import dev.weir.proxy.watch.SmallFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What files of envoyproxy/ratelimit say, and how a fault in one is told. */
class DomainReaderTest {
  private static DescriptorSpec only(RateLimitConfiguration configuration) {
    return configuration.domains().get(0).descriptors().get(0);
  }

  private static DescriptorLimit limit(String of) {
    return only(Configurations.local(
            "domain: d\ndescriptors:\n  - key: k\n    rate_limit: {" + of + "}\n"))
        .limit();
  }

  private static DescriptorSpec node(String of) {
    return only(Configurations.local("domain: d\ndescriptors:\n  - {key: k, " + of + "}\n"));
  }

  @Test
  void readsATreeWithAllThatANodeMayHave() {
    RateLimitConfiguration read =
        Configurations.local(
            """
            domain: edge
            descriptors:
              - key: tier
                value: free
                metadata: {team: payments, pager: [one, two]}
                descriptors:
                  - key: user
                    value_to_metric: true
                    rate_limit: {unit: minute, requests_per_unit: 60, name: free_user}
              - key: path
                value: /files/*
                share_threshold: true
                detailed_metric: true
                shadow_mode: true
                rate_limit:
                  unit: second
                  requests_per_unit: 20
                  replaces:
                    - name: free_user
              - key: internal
                quota_mode: true
                rate_limit:
                  unlimited: true
            """);
    List<DescriptorSpec> nodes = read.domains().get(0).descriptors();
    assertEquals("edge", read.domains().get(0).name());
    assertEquals(3, nodes.size());
    assertNull(nodes.get(0).limit());
    DescriptorSpec user = nodes.get(0).children().get(0);
    assertTrue(user.isValueToMetric());
    assertEquals(LimitUnit.MINUTE, user.limit().unit());
    assertEquals(60, user.limit().requestsPerUnit());
    assertEquals("free_user", user.limit().name());
    DescriptorSpec files = nodes.get(1);
    assertTrue(files.sharesThreshold() && files.isWildcard());
    assertTrue(files.limit().isShadow() && files.limit().hasDetailedMetric());
    assertEquals(List.of("free_user"), files.limit().replaces());
    assertTrue(nodes.get(2).limit().isUnlimited() && nodes.get(2).limit().isQuota());
  }

  @ParameterizedTest
  @CsvSource({
    "second, SECOND",
    "Minute, MINUTE",
    "HOUR, HOUR",
    "dAy, DAY",
    "week, WEEK",
    "month, MONTH",
    "year, YEAR"
  })
  void takesUnitsInAnyCase(String text, LimitUnit unit) {
    assertEquals(unit, limit("unit: " + text + ", requests_per_unit: 1").unit());
  }

  @ParameterizedTest
  @ValueSource(strings = {"yes", "Yes", "YES", "on", "On", "y", "true", "TRUE", "\"yes\""})
  void takesWhatYaml11CallsTrue(String text) {
    assertTrue(node("shadow_mode: " + text + ", rate_limit: {unlimited: on}").limit().isShadow());
  }

  @ParameterizedTest
  @ValueSource(strings = {"no", "No", "off", "n", "False", "~", "null", ""})
  void takesWhatYaml11CallsFalse(String text) {
    assertFalse(node("value_to_metric: " + text).isValueToMetric());
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "4294967295, 4294967295",
    "1_000, 1000",
    "0x10, 16",
    "010, 8",
    "0o10, 8",
    "0b11, 3",
    "1e3, 1000",
    "5.0, 5",
    "'\"7\"', 7"
  })
  void takesNumbersAsYaml11HasThem(String text, long number) {
    assertEquals(number, limit("unit: day, requests_per_unit: " + text).requestsPerUnit());
  }

  @Test
  void letsNothingPassWhereNoNumberIsSaid() {
    assertEquals(0, limit("unit: day").requestsPerUnit());
  }

  @ParameterizedTest
  @CsvSource({"404, 404", "yes, yes", "1.50, 1.50", "2026-01-01, 2026-01-01", "' \"\"', ''"})
  void takesAnyScalarAsAValue(String text, String value) {
    assertEquals(value == null ? "" : value, node("value: " + text).value());
  }

  @Test
  void followsAnchorsAndMergedKeys() {
    RateLimitConfiguration read =
        Configurations.local(
            """
            domain: d
            descriptors:
              - key: one
                rate_limit: &slow
                  unit: hour
                  requests_per_unit: 5
              - key: two
                rate_limit: *slow
              - key: three
                rate_limit:
                  <<: *slow
                  requests_per_unit: 6
            """);
    List<DescriptorSpec> nodes = read.domains().get(0).descriptors();
    assertEquals(nodes.get(0).limit(), nodes.get(1).limit());
    assertEquals(LimitUnit.HOUR, nodes.get(2).limit().unit());
    assertEquals(6, nodes.get(2).limit().requestsPerUnit());
  }

  @Test
  void leasesOnlyWhatSparesRefusedHits() {
    String limit = " rate_limit: {unit: day, requests_per_unit: 9000}}\n";
    String told =
        Configurations.faultsExact(
            "domain: d\ndescriptors:\n"
                + ("  - {key: a, weir: {mode: leased}," + limit)
                + ("  - {key: b, weir: {mode: leased, refused-hits: spare}," + limit)
                + ("  - {key: c, weir: {mode: leased, algorithm: gcra}," + limit));
    assertEquals(
        "a.yaml:3: descriptors[0].weir: leased (expected: mode: exact or local, as refused hits"
            + " count; with refused-hits: spare leased)",
        told);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{key: k, vlaue: x} | a.yaml:3: descriptors[0].vlaue: unknown key",
        "{value: x} | a.yaml:3: descriptors[0]: no key",
        "{key: ''} | a.yaml:3: descriptors[0]: no key",
        "{key: k, rate_limit: {unit: fortnight}} | descriptors[0].rate_limit.unit: fortnight"
            + " (expected: second, minute, hour, day, week, month or year)",
        "{key: k, rate_limit: {requests_per_unit: 5}} | no unit (expected: second,",
        "{key: k, rate_limit: {unit: day, requests_per_unit: -1}}"
            + " | requests_per_unit: -1 (expected: a whole number from 0 to 4294967295)",
        "{key: k, rate_limit: {unit: day, requests_per_unit: 4294967296}} | 4294967296 (expected",
        "{key: k, rate_limit: {unit: day, requests_per_unit: 1.5}} | 1.5 (expected",
        "{key: k, rate_limit: {unit: day, requests_per_unit: many}} | many (expected",
        "{key: k, rate_limit: {unit: day, requests_per_unit: [1]}} | a list or a section",
        "{key: k, rate_limit: {unit: day, unlimited: yes}}"
            + " | unit: day (expected: nothing, as it is unlimited)",
        "{key: k, rate_limit: {unlimited: maybe}} | unlimited: maybe (expected: true or false)",
        "{key: k, rate_limit: {unlimited: yes, burst: 5}} | rate_limit.burst: unknown key",
        "{key: k, rate_limit: 5} | rate_limit: no section",
        "{key: k, rate_limit: {unlimited: yes, name: n, replaces: [{name: n}]}}"
            + " | replaces[0].name: n (expected: the name of another limit)",
        "{key: k, rate_limit: {unlimited: yes, replaces: [{}]}} | replaces[0]: no name",
        "{key: k, rate_limit: {unlimited: yes, replaces: n}} | replaces: no list",
        "{key: k, value: v, share_threshold: true}"
            + " | share_threshold: v (expected: a value with a *)",
        "{key: k, key: l} | key: already on line 3 (expected: each key once)",
        "{key: k, descriptors: [5]} | descriptors[0].descriptors[0]: no section",
        "{key: k, descriptors: {key: l}} | descriptors[0].descriptors: no list",
        "{key: k, [a, b]: c} | a key that is a list or a section",
        "{key: k, weir: {mode: exact}, rate_limit: {unit: day, requests_per_unit: 1}}"
            + " | mode: local, as there is no store",
        "{key: k, weir: {mode: fast}, rate_limit: {unlimited: yes}} | weir.mode: fast (expected",
        "{key: k, weir: {mode: local}} | weir: without rate_limit",
        "{key: k, weir: {burst: 5}, rate_limit: {unit: day, requests_per_unit: 1}}"
            + " | burst: nothing, as there is no algorithm that paces",
        "{key: k, weir: {algorithm: sliding-log}, rate_limit: {unit: day, requests_per_unit: 9}}"
            + " | algorithm: table.ring-cells of 16 or more",
        "{key: k, weir: {algorithm: gcra, refused-hits: count},"
            + " rate_limit: {unit: day, requests_per_unit: 9}}"
            + " | refused-hits: count (expected: nothing or spare",
      })
  void tellsAFaultWithItsLine(String node, String fault) {
    String told = Configurations.faults("domain: d\ndescriptors:\n  - " + node + "\n");
    assertTrue(told.contains(fault), told);
    assertTrue(told.startsWith("a.yaml:3: "), told);
  }

  @ParameterizedTest
  @CsvSource({
    "{k: a}, {k: a}, k_a",
    "{k: ''}, {k: ''}, k",
  })
  void refusesOneKeyAndValueTwice(String one, String two, String shown) {
    String first = one.replace("{k: ", "{key: k, value: ");
    String second = two.replace("{k: ", "{key: k, value: ");
    assertEquals(
        "a.yaml:4: descriptors[1]: "
            + shown
            + ": already on line 3 (expected: each key and value once)",
        Configurations.faults("domain: d\ndescriptors:\n  - " + first + "\n  - " + second + "\n"));
  }

  @ParameterizedTest
  @CsvSource({
    "'', empty (expected: a domain and its descriptors)",
    "'# nothing', empty (expected: a domain and its descriptors)",
    "'- a', no section (expected: keys and values)",
    "'descriptors: []', domain: missing (expected: a name)",
    "'domain:', domain: missing (expected: a name)",
    "'domain: d\ndescriptor: []', a.yaml:2: descriptor: unknown key",
    "'domain: \"d', a.yaml:1: ",
    "'domain: d\n\tdescriptors: []', a.yaml:2: ",
    "'domain: d\n---\ndomain: e', a.yaml:2: ",
    "'domain: d\nweir: {headers: some}', weir.headers: some (expected: one of off",
    "'domain: d\nweir: {limit: 5}', weir.limit: unknown key",
  })
  void tellsWhatIsWrongWithAFile(String content, String fault) {
    String told = Configurations.faults(content);
    assertTrue(told.contains(fault), told);
  }

  @Test
  void refusesAFileThatMeansBillionsOfValues() {
    StringBuilder nested = new StringBuilder("descriptors:\n");
    nested.append("  - {key: n0, descriptors: &n0 [{key: a}, {key: b}]}\n");
    for (int i = 1; i < 25; i++) {
      String twice = "[{key: a, descriptors: *n%1$d}, {key: b, descriptors: *n%1$d}]";
      nested.append("  - {key: n").append(i).append(", descriptors: &n").append(i).append(' ');
      nested.append(String.format(twice, i - 1)).append("}\n");
    }
    String told = Configurations.faults("domain: d\n" + nested);
    assertTrue(told.contains("too large once its aliases are followed"), told);
  }

  @Test
  void refusesMergedListsThatMeanBillionsOfThemselves() {
    StringBuilder lists = new StringBuilder("domain: d\nn0: &n0 []\n");
    for (int i = 1; i < 30; i++) {
      lists.append(String.format("n%d: &n%d [*n%d, *n%d]%n", i, i, i - 1, i - 1));
    }
    String told = Configurations.faults(lists + "<<: *n29\n");
    assertTrue(told.contains("too large once its aliases are followed"), told);
  }

  @Test
  void boundsWhatAllFilesMeanTogether() {
    String nodes = distinctNodes(YamlBudget.MAX_VALUES / 4);
    String one = "domain: one\ndescriptors:\n" + nodes;
    String two = "domain: two\ndescriptors:\n" + nodes;
    assertEquals(2, Configurations.local(one, "domain: two\n").domains().size());
    String told = Configurations.faults(one, two);
    assertTrue(told.startsWith("b.yaml:"), told);
    assertTrue(told.contains("too large together with the files before it"), told);
  }

  private static String distinctNodes(int count) {
    StringBuilder nodes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      nodes.append("- key: ").append(i).append('\n');
    }
    return nodes.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "&a {key: k, <<: *a}",
        "&a {key: k, <<: [*a, *a]}",
        "{key: k, descriptors: &a [{key: l, descriptors: *a}]}"
      })
  void refusesWhatNamesItself(String node) {
    String told = Configurations.faults("domain: d\ndescriptors:\n  - " + node + "\n");
    assertTrue(told.contains("too deep") || told.contains("too large"), told);
  }

  @Test
  void refusesATreeThatIsTooDeep() {
    String deep = "[{key: k, descriptors: ".repeat(40) + "[]" + "}]".repeat(40);
    String told = Configurations.faults("domain: d\ndescriptors: " + deep + "\n");
    assertTrue(told.contains("too deep"), told);
  }

  @Test
  void refusesOneDomainInTwoFilesUnlessTheyAreMerged() {
    String one = "domain: d\ndescriptors:\n  - {key: a}\n";
    String two = "domain: d\ndescriptors:\n  - {key: b}\n";
    assertEquals(
        "b.yaml: domain: d: already in a.yaml (expected: each domain once)",
        Configurations.faults(one, two));
    assertEquals(2, Configurations.merged(one, two).domains().get(0).descriptors().size());
    assertEquals(
        "b.yaml:3: descriptors: a: already in another file of the domain"
            + " (expected: each key and value once)",
        Configurations.faultsMerged(one, one));
  }

  /** Each of them reads each byte of a value, which may have 64 KiB. */
  @Test
  void boundsWhatIsSearchedForAtOneLevel() {
    String most = nodes("a", DescriptorSpec.MAX_SEARCHING);
    String cheap = "  - {key: k, value: '*x'}\n  - {key: k, value: x*y}\n";
    assertEquals("", Configurations.faults("domain: d\ndescriptors:\n" + most + cheap));
    String fault = " one too many with text between two * (expected: at most 16 at one level)";
    assertEquals(
        "a.yaml:19: descriptors: k_*z0*:" + fault,
        Configurations.faults("domain: d\ndescriptors:\n" + most + nodes("z", 1)));
    assertEquals(
        "b.yaml:3: descriptors: k_*z0*:" + fault,
        Configurations.faultsMerged(
            "domain: d\ndescriptors:\n" + most, "domain: d\ndescriptors:\n" + nodes("z", 1)));
  }

  private static String nodes(String name, int count) {
    StringBuilder nodes = new StringBuilder();
    for (int i = 0; i < count; i++) {
      nodes.append("  - {key: k, value: '*").append(name).append(i).append("*'}\n");
    }
    return nodes.toString();
  }

  @Test
  void oneBadFileRefusesAll() {
    String good = "domain: d\n";
    assertEquals(
        "b.yaml:2: owner: unknown key (expected: descriptors, domain, weir)",
        Configurations.faults(good, "domain: e\nowner: us\n"));
  }

  @Test
  void readsEveryYamlFileOfAFolderThatIsNotHidden(@TempDir Path folder) throws Exception {
    ConfigurationFolder files = new ConfigurationFolder(folder, false, false, 0, 0);
    List<Faults> faults = new ArrayList<>();
    assertNull(files.read(faults));
    assertTrue(faults.get(0).toString().contains("0 files (expected: 1 to"), faults.toString());
    write(folder.resolve("one.yaml"), "domain: one");
    write(folder.resolve("two.yml"), "domain: two");
    write(folder.resolve(".hidden.yaml"), "not: read");
    write(folder.resolve("notes.txt"), "not: read");
    RateLimitConfiguration read = files.read(new ArrayList<>());
    assertEquals(List.of("one", "two"), read.domains().stream().map(DomainSpec::name).toList());
  }

  @Test
  void readsNoMoreOfAFolderThanFitsInMemory(@TempDir Path folder) throws Exception {
    String filler = "#".repeat(SmallFile.MAX_BYTES - 100);
    for (int i = 0; i < 9; i++) {
      write(folder.resolve(i + ".yaml"), "domain: d" + i + " " + filler);
    }
    ConfigurationFolder files = new ConfigurationFolder(folder, false, false, 0, 0);
    List<Faults> faults = new ArrayList<>();
    assertTrue(files.content(faults).isEmpty());
    assertEquals(
        folder + ": more than 8MiB in all files (expected: at most 8MiB)",
        faults.get(0).all().get(0).toString());
    Files.delete(folder.resolve("8.yaml"));
    assertEquals(8, files.read(new ArrayList<>()).domains().size());
  }

  @Test
  void tellsOfAFolderThatIsNone(@TempDir Path folder) {
    List<Faults> faults = new ArrayList<>();
    Path none = folder.resolve("none");
    assertNull(new ConfigurationFolder(none, false, false, 0, 0).read(faults));
    assertEquals(none + ": not found (expected: a folder)", faults.get(0).all().get(0).toString());
  }

  private static void write(Path file, String text) throws Exception {
    Files.write(file, text.getBytes(StandardCharsets.UTF_8));
  }
}
