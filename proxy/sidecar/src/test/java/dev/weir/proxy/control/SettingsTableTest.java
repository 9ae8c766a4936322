package dev.weir.proxy.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rule.Budget;
import dev.weir.proxy.rule.Rule;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.IdentitySettings;
import dev.weir.proxy.store.map.StoreSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;

class SettingsTableTest {
  private static final Path EXAMPLE = Path.of("../../deploy/examples/weir.yaml");

  /** What a field of a rule cannot be without, so that its default may be said. */
  private static final Map<String, Map<String, String>> NEEDS =
      Map.of(
          "overflow", Map.of("--algorithm", "leaky-bucket"),
          "max-wait", Map.of("--algorithm", "leaky-bucket", "--overflow", "queue"),
          "align", Map.of("--algorithm", "fixed-window"),
          "time-zone", Map.of("--algorithm", "fixed-window", "--align", "day"),
          "on-store-failure", Map.of("--mode", "exact", "--redis.nodes", "127.0.0.1:6379"));

  private static List<SettingRow<?>> rows() {
    List<SettingRow<?>> rows = new ArrayList<>(SettingsTable.ALL);
    rows.addAll(RuleSettingsTable.ALL);
    return rows;
  }

  static List<SettingRow<?>> withDefaults() {
    return rows().stream().filter(row -> row.standard() != null).toList();
  }

  private static Settings read(Map<String, String> flags) {
    Faults faults = Faults.ofFlags();
    Settings settings = SettingsFlags.read(flags, faults);
    assertNotNull(settings, faults.toString());
    return settings;
  }

  @Test
  void nameEachSettingOnceWithAReaderOrTheReasonForNone() {
    Set<String> names = new LinkedHashSet<>();
    for (SettingRow<?> row : rows()) {
      assertTrue(names.add(row.name()), row.name());
      assertEquals(row.fileOnly() == null, row.reader() != null, row.name());
      assertFalse(row.fileOnly() == null ? row.text().isBlank() : row.fileOnly().isBlank());
      assertFalse(row.help().contains("%s"), row.help());
    }
  }

  @ParameterizedTest
  @MethodSource("withDefaults")
  void sayTheDefaultThatHolds(SettingRow<?> row) {
    Map<String, String> flags =
        new HashMap<>(Map.of("--upstream", "http://127.0.0.1:8080", "--limit", "7/1d"));
    flags.putAll(NEEDS.getOrDefault(row.name(), Map.of()));
    Settings unsaid = read(flags);
    flags.put(row.flag(), row.standard());
    Settings said = read(flags);
    assertEquals(unsaid.upstream(), said.upstream());
    assertEquals(unsaid.client(), said.client());
    assertEquals(unsaid.admission(), said.admission());
    assertEquals(unsaid.store(), said.store());
    assertEquals(unsaid.names(), said.names());
    assertEquals(unsaid.identity(), said.identity());
    assertEquals(unsaid.process(), said.process());
    assertEquals(unsaid.rules().ignoreCase(), said.rules().ignoreCase());
    RuleSet before = unsaid.rules().compile(RuleSet.EMPTY);
    assertSameRule(before.rules().get(0), said.rules().compile(before).rules().get(0));
  }

  /** A limit that is the same as before stays the same object, but for other names of a zone. */
  private static void assertSameRule(Rule before, Rule after) {
    Budget unsaid = before.budgets().get(0);
    Budget said = after.budgets().get(0);
    if (after.spec().budgets().get(0).limit().zone() == null) {
      assertSame(unsaid.limit(), said.limit());
    } else {
      assertEquals(ZoneOffset.UTC, after.spec().budgets().get(0).limit().zone().normalized());
    }
    assertEquals(before.spec().budgets().get(0).key(), after.spec().budgets().get(0).key());
    assertEquals(before.cost(), after.cost());
    assertEquals(before.action(), after.action());
    assertEquals(before.dryRun(), after.dryRun());
    assertEquals(before.spec().onMissingKey(), after.spec().onMissingKey());
    assertEquals(before.group(0).onStoreFailure(), after.group(0).onStoreFailure());
    assertEquals(before.spec().priority(), after.spec().priority());
    assertEquals(before.spec().mode(), after.spec().mode());
    assertEquals(before.spec().share(), after.spec().share());
  }

  @Test
  void sayTheDefaultsOfPartsThatAreMadeWithoutThem() {
    Settings settings = read(Map.of("--upstream", "http://127.0.0.1:8080"));
    assertEquals(IdentitySettings.DEFAULT, settings.identity());
    assertEquals(StoreSettings.NONE, settings.store());
  }

  @Test
  void areTheKeysOfTheSchema() {
    SettingsSchema file = SettingsSchema.ofFile();
    Set<String> names = leaves(file, "", Set.of("refusal"));
    names.removeIf(name -> name.startsWith("users."));
    names.removeAll(Set.of("rules", "identities", "everywhere", "refusal"));
    assertEquals(namesOf(SettingsTable.ALL), names);
    SettingsSchema rule = file.keys().get("rules").item();
    assertEquals(
        namesOf(RuleSettingsTable.ALL),
        leaves(rule, "", Set.of("cost", "concurrency", "ban", "refusal")));
    SettingsSchema limit = rule.keys().get("limits").item();
    assertEquals(
        namesOf(RuleSettingsTable.OF_LIMIT), leaves(limit, "", Set.of("cost", "concurrency")));
  }

  private static <T> Set<String> namesOf(List<SettingRow<T>> rows) {
    return rows.stream().map(SettingRow::name).collect(Collectors.toSet());
  }

  /**
   * The names of settings.
   *
   * @param alsoSections settings that may be a section instead of one value.
   */
  private static Set<String> leaves(
      SettingsSchema section, String prefix, Set<String> alsoSections) {
    Set<String> leaves = new LinkedHashSet<>();
    section
        .keys()
        .forEach(
            (key, schema) -> {
              if (schema.keys().isEmpty() || alsoSections.contains(prefix + key)) {
                leaves.add(prefix + key);
              } else {
                leaves.addAll(leaves(schema, prefix + key + ".", alsoSections));
              }
            });
    return leaves;
  }

  /** Also those of settings that stand there as a comment. */
  @Test
  void sayTheDefaultsOfTheExample() throws IOException {
    String text = Files.readString(EXAMPLE);
    Map<String, String> example = new TreeMap<>();
    String uncommented = text.replaceAll("(?m)^( *)# ( *[a-z-]+:(?: \\S.*)?)$", "$1$2");
    put(example, "", new Load(LoadSettings.builder().build()).loadFromString(uncommented));
    for (SettingRow<?> row : SettingsTable.ALL) {
      String shown = example.get(row.name());
      assertNotNull(shown, row.name() + " (expected: in the example)");
      if (row.standard() != null) {
        assertEquals(row.standard(), shown, row.name());
      }
    }
  }

  private static void put(Map<String, String> texts, String prefix, Object value) {
    if (value instanceof Map<?, ?> section) {
      section.forEach(
          (key, inner) -> put(texts, prefix.isEmpty() ? "" + key : prefix + "." + key, inner));
    } else {
      texts.put(prefix, String.valueOf(value));
    }
  }

  @Test
  void areAllShownInTheRulesOfTheExample() throws IOException {
    String example = Files.readString(EXAMPLE);
    for (SettingRow<?> row : RuleSettingsTable.ALL) {
      for (String key : row.name().split("\\.")) {
        assertTrue(example.matches("(?s).*\\b" + key + ": ?.*"), row.name());
      }
    }
  }
}
