package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.manual.ManualPage;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordedRulesTest {
  private static final String BASE =
      "upstream: http://127.0.0.1:8080\nredis: {nodes: 127.0.0.1:6379}\nservice: shop\n";

  /** Faults of rules that a process may have room for, or not. */
  private static final String OF_THE_PROCESS =
      ".*(table.ring-cells|trusted-proxies|jwt.keys|redis.nodes).*";

  private static Settings settings(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    Settings settings = new SettingsFile().read(bytes(yaml), faults);
    assertNotNull(settings, faults.toString());
    return settings;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static RecordSet ofFile(String yaml) {
    Faults faults = Faults.ofFile("weir.yaml");
    RecordSet set = RecordedRules.ofFile(bytes(yaml), faults);
    assertNotNull(set, faults.toString());
    return set;
  }

  private static RecordSet set(StoredRecord... records) {
    return new RecordSet(RecordVersion.NONE, List.of(records));
  }

  private static StoredRecord rule(String id, String json) {
    return new StoredRecord(new RecordName(Kind.RULE, id), RecordVersion.NONE, json);
  }

  private static StoredRecord part(String id, String json) {
    return new StoredRecord(new RecordName(Kind.PART, id), RecordVersion.NONE, json);
  }

  private static RecordedRules.Reading read(RecordSet set) {
    return new RecordedRules(settings(BASE)).read(set, RuleSet.EMPTY);
  }

  @Test
  void warnsOfADeadlineThatIsLongForSlots() {
    String base = BASE.replace("6379}", "6379, deadline: 60ms}");
    RecordedRules.Reading read =
        new RecordedRules(settings(base))
            .read(
                set(rule("a", "{\"id\":\"a\",\"mode\":\"exact\",\"concurrency\":2}")),
                RuleSet.EMPTY);
    assertEquals(
        List.of(
            "warning: redis.deadline: while the store is slow, requests wait so long for a slot of"
                + " concurrency, and pile up: 50ms is enough"),
        read.warnings().stream().map(RecordedFault::toString).toList());
  }

  private static List<String> ids(RuleSource rules) {
    return rules.rules().stream().map(RuleSpec::id).toList();
  }

  private static List<Path> goodFiles() throws IOException {
    List<Path> files = new ArrayList<>();
    try (Stream<Path> all = Files.walk(ManualPage.root().resolve("deploy"))) {
      all.filter(file -> file.toString().endsWith(".yaml") && !file.toString().contains("target"))
          .forEach(files::add);
    }
    return files;
  }

  private static List<String> goodSettings() throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path file : goodFiles()) {
      texts.add(Files.readString(file));
    }
    ManualPage.blocks("yaml").forEach(block -> texts.add(block.text()));
    return texts.stream()
        .map(text -> text.contains("upstream:") ? text : BASE + text)
        .filter(text -> new SettingsFile().read(bytes(text), Faults.ofFile("")) != null)
        .toList();
  }

  @Test
  void readsFromRecordsWhatAFileSays() throws IOException {
    int count = 0;
    for (String text : goodSettings()) {
      Settings settings = settings(text);
      RecordedRules.Reading read =
          new RecordedRules(settings).read(ofFile(text), settings.rules().compile(RuleSet.EMPTY));
      assertEquals(List.of(), read.faults(), text);
      RuleSource source = settings.rules();
      assertEquals(source.rules(), read.rules().rules(), text);
      assertEquals(source.everywhere(), read.rules().everywhere(), text);
      assertEquals(source.ignoreCase(), read.rules().ignoreCase(), text);
      assertEquals(source.lists().block().networks(), read.rules().lists().block().networks());
      count += source.rules().isEmpty() ? 0 : 1;
    }
    assertTrue(count > 20, count + " files have rules");
  }

  @Test
  void tellsTheFaultsThatAFileWouldHave() throws IOException, URISyntaxException {
    Path directory = Path.of(BadFilesTest.class.getResource("bad/empty.yaml").toURI()).getParent();
    int count = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".yaml")).toList()) {
        byte[] content = Files.readAllBytes(file);
        Faults ofFile = Faults.ofFile("");
        new SettingsFile().read(content, ofFile);
        RecordSet set = RecordedRules.ofFile(content, Faults.ofFile(""));
        boolean isOfRules =
            ofFile.all().stream()
                .allMatch(
                    fault ->
                        fault.path().startsWith("rules[")
                            && !fault.problem().matches(OF_THE_PROCESS));
        if (set == null || !isOfRules) {
          continue;
        }
        List<RecordName> names =
            set.records().stream()
                .map(StoredRecord::name)
                .filter(name -> name.kind() == Kind.RULE)
                .toList();
        List<String> expected =
            ofFile.all().stream().map(fault -> shown(RecordedFault.of(fault, names))).toList();
        List<String> found = read(set).faults().stream().map(RecordedRulesTest::shown).toList();
        assertEquals(
            expected.stream().sorted().toList(), found.stream().sorted().toList(), file.toString());
        count++;
      }
    }
    assertTrue(count > 20, count + " files");
  }

  private static String shown(RecordedFault fault) {
    return fault.toString().replaceAll("line [0-9]+", "line N");
  }

  @Test
  void tellsARuleItsPointerAndTheValue() {
    RecordedRules.Reading read =
        read(
            set(
                rule("b", "{\"id\":\"b\",\n\"limits\":[{\"limit\":\"0/1m\"}]}"),
                rule("a", "{\"id\":\"a\",\"limit\":\"1/1s\",\"burts\":2}"),
                part("everywhere", "[{\"name\":\"n\",\"limit\":\"1/1s\",\"x/y.z\":1}]"),
                part("jwt", "{}")));
    assertNull(read.rules());
    assertEquals(
        List.of(
                "RULE b /limits/0/limit /rules/1/limits/0/limit 2 0/1m",
                "RULE a /burts /rules/0/burts 1 unknown key",
                "PART everywhere /0/x~1y.z /everywhere/0/x~1y.z 1 unknown key",
                "PART jwt  /jwt 1 unknown key")
            .stream()
            .sorted()
            .toList(),
        read.faults().stream()
            .map(
                fault ->
                    String.join(
                        " ",
                        fault.record().kind().toString(),
                        fault.record().id(),
                        fault.pointer(),
                        fault.documentPointer(),
                        fault.line() + "",
                        fault.found()))
            .sorted()
            .toList());
  }

  @Test
  void putsRulesInTheirOrderAndOthersBehind() {
    String json = "{\"id\":\"%s\",\"match\":{\"path\":\"/%s\"},\"limit\":\"1/1s\"}";
    RecordedRules.Reading read =
        read(
            set(
                rule("z", json.formatted("z", "z")),
                rule("c", json.formatted("c", "c")),
                rule("b", json.formatted("b", "b")),
                rule("a", json.formatted("a", "a")),
                part("order", "[\"c\",\"gone\",\"b\",\"c\"]")));
    assertEquals(List.of("c", "b", "a", "z"), ids(read.rules()));
    assertEquals(
        List.of("part order: {\"c\":1} (expected: a list of ids of rules)"),
        read(set(part("order", "{\"c\":1}"))).faults().stream().map(Object::toString).toList());
  }

  @Test
  void holdsARuleToItsName() {
    assertEquals(
        List.of("rule a: /id: b (expected: a, as the record's name)"),
        read(set(rule("a", "{\"id\":\"b\",\"limit\":\"1/1s\"}"))).faults().stream()
            .map(Object::toString)
            .toList());
  }

  @Test
  void readsNoFileThatARecordNames(@TempDir Path directory) throws IOException {
    Path secret = Files.writeString(directory.resolve("secret"), "s3cret");
    for (Path file : List.of(secret, directory.resolve("none"))) {
      String json =
          "{\"id\":\"a\",\"limit\":\"1/1s\",\"refusal\":{\"bodies\":{\"text/plain\":\"file:%s\"}}}";
      assertEquals(
          List.of(
              "part lists: /block/0: file:%s (expected: no file, as it is one of the sidecar's"
                      .formatted(file)
                  + " machine)",
              "rule a: /refusal/bodies/text~1plain: file:%s (expected: no file, as it is one of the"
                      .formatted(file)
                  + " sidecar's machine)"),
          read(
                  set(
                      part("lists", "{\"block\":[\"file:" + file + "\"]}"),
                      rule("a", json.formatted(file))))
              .faults()
              .stream()
              .map(Object::toString)
              .map(text -> text.replaceAll("…|[.]{3}", ""))
              .toList());
    }
  }

  @Test
  void takesInTheFilesOfAnswersAndLeavesOutThoseOfLists(@TempDir Path directory)
      throws IOException {
    Path body = Files.writeString(directory.resolve("body"), "wait \"a\" while\n");
    String yaml =
        BASE
            + "lists: {block: ['file:"
            + body
            + "', 10.0.0.1]}\nrules:\n- {id: a, limit: 1/1s, refusal: {bodies: {text/plain: 'file:"
            + body
            + "'}}}\n";
    RecordSet set = ofFile(yaml);
    assertEquals("{\"block\":[\"10.0.0.1\"]}", set.records().get(0).json());
    assertEquals(
        "{\"id\":\"a\",\"limit\":\"1/1s\",\"refusal\":{\"bodies\":{\"text/plain\":"
            + "\"wait \\\"a\\\" while\\n\"}}}",
        set.records().get(1).json());
    assertEquals(settings(yaml).rules().rules(), read(set).rules().rules());
  }

  @Test
  void tellsARecordThatIsNoJson() {
    for (String text : List.of("", "{", "[1,", "\"a", "a: [", "[".repeat(100_000))) {
      List<RecordedFault> faults = read(set(rule("a", text), part("lists", text))).faults();
      assertEquals(2, faults.size(), faults.toString());
    }
    assertEquals(1, read(set(rule("a", "[".repeat(100) + "]".repeat(100)))).faults().size());
  }

  @Test
  void readsEveryTextAsJsonWritesIt() {
    String odd = "\\u0001\\u007f\\u0085\\ud83d\\ude00 : # \\/ ' \\u2028 \\\\";
    RecordedRules.Reading read =
        read(
            set(
                rule(
                    "a",
                    "{\"id\":\"a\",\"limit\":\"1/1s\",\"refusal\":{\"bodies\":{\"text/plain\":\""
                        + odd
                        + "\"}}}")));
    assertEquals(List.of(), read.faults());
    assertTrue(
        read.rules().rules().get(0).refusal().toString().length() > 0
            && ofFile(BASE + "rules: [{id: a, limit: 1/1s}]").isPresent());
  }

  @Test
  void makesARecordOfEachKeyOfADocument() {
    RecordSet set =
        RecordedRules.ofDocument(
            bytes("{\"rules\":[{\"id\":\"b\"},{\"id\":\"a\"}],\"jwt\":{},\"lists\":{}}"),
            Faults.ofFile(""));
    assertEquals(
        List.of(
            "PART jwt {}",
            "PART lists {}",
            "RULE b {\"id\":\"b\"}",
            "RULE a {\"id\":\"a\"}",
            "PART order [\"b\",\"a\"]"),
        set.records().stream()
            .map(each -> each.name().kind() + " " + each.name().id() + " " + each.json())
            .toList());
    Faults faults = Faults.ofFile("f");
    assertNull(RecordedRules.ofDocument(bytes("rules: [{id: a}, {id: a}, {}, 1]"), faults));
    assertEquals(
        """
        f:1: rules[1].id: a (expected: an id of its own)
        f:1: rules[2].id: missing (expected: the id of the rule)
        f:1: rules[3].id: missing (expected: the id of the rule)""",
        faults.toString());
  }
}
