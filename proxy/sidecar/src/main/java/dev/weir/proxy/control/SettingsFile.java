package dev.weir.proxy.control;

import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.watch.SmallFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.snakeyaml.engine.v2.nodes.Node;

/**
 * Reads settings and rules from a YAML file. Every fault is noted, not only the first; what YAML
 * itself cannot read ends the reading, as nothing behind it can be trusted.
 */
public final class SettingsFile {
  private static final String EXPECTED = "keys such as upstream: and rules:";

  /** Nothing runs yet: all is as the file says. */
  private static final Settings AT_START = null;

  /** No rules are in use yet, and what is read may be any. */
  private static final RuleSet NONE_IN_USE = RuleSet.EMPTY;

  private final SettingsSchema schema = SettingsSchema.ofFile();

  /** The content of a file; null, and a fault, if it cannot be read or is no regular file. */
  public static byte[] content(Path path, Faults faults) {
    try {
      return SmallFile.read(path, "a YAML file");
    } catch (IOException unreadable) {
      faults.add(0, "", unreadable.getMessage());
      return null;
    }
  }

  /** The files of which a content has parts, beside those that their own settings name. */
  static List<Path> parts(byte[] content) {
    Faults unheard = Faults.ofFile("");
    Node root = YamlDocument.compose(content, EXPECTED, unheard);
    return root == null ? List.of() : RefusalReader.files(new YamlTree(root, unheard));
  }

  /** Reads a file; null if there was a fault. */
  public Settings read(Path path, Faults faults) {
    byte[] content = content(path, faults);
    return content == null ? null : read(content, faults);
  }

  /** Reads the content of a file; null if there was a fault. */
  public Settings read(byte[] content, Faults faults) {
    return readAgain(content, faults, AT_START, NONE_IN_USE);
  }

  /**
   * Reads the content of a file for a process that runs.
   *
   * @param running what it was started with: rules can have no more until a restart.
   * @param inUse its rules.
   */
  Settings readAgain(byte[] content, Faults faults, Settings running, RuleSet inUse) {
    Node root = YamlDocument.compose(content, EXPECTED, faults);
    if (root == null) {
      return null;
    }
    YamlTree tree = new YamlTree(root, faults);
    if (tree.isTooLarge()) {
      return null;
    }
    if (!tree.root().isSection()) {
      faults.add(tree.line(""), "", "no settings (expected: " + EXPECTED + ")");
      return null;
    }
    return read(tree, faults, running, inUse);
  }

  private Settings read(YamlTree tree, Faults faults, Settings running, RuleSet inUse) {
    SettingsBuilder builder = new SettingsBuilder();
    for (SettingRow<SettingValues> row : SettingsTable.ALL) {
      if (row.kind().areListeners()) {
        ListenerTable.read(row.name(), tree, builder.values);
      } else {
        row.read(tree, "", builder.values);
      }
    }
    if (!tree.root().keys().containsKey("upstream")
        && !tree.root().keys().containsKey("decision")) {
      String expected = AddressText.EXPECTED_UPSTREAM + ", the service behind; or decision";
      faults.add(tree.line("upstream"), "upstream", "missing", expected);
    }
    RulesReader reader = new RulesReader(tree, faults);
    List<RuleSpec> rules = reader.read();
    RuleSpec everywhere = reader.everywhere();
    UsersSpec users = reader.users();
    schema.check(tree, faults);
    Misfits misfits = Misfits.ofFile(faults, tree);
    SettingsCheck.check(builder, misfits);
    boolean trusts = !tree.at("trusted-proxies").items().isEmpty();
    reader.check(rules, everywhere, users, builder.values.isOn("paths.ignore-case"), trusts);
    StoreSettings store = StoreSettingsTable.build(builder.values);
    if (faults.isEmpty()) {
      RuleNeeds needs = needs(rules, everywhere, misfits);
      UsersCheck ofUsers = new UsersCheck(users, tree, misfits);
      if (running == AT_START) {
        needs.checkRingsAtStart(builder.admission());
        needs.checkTrust(builder.values.isGiven("trusted-proxies"));
        needs.checkTokens(TokenTable.build(builder.values));
        ofUsers.checkNeeds(
            builder.values.isGiven("trusted-proxies"), TokenTable.build(builder.values));
      } else {
        needs.checkAtReload(running);
        ofUsers.checkAtReload(running);
      }
      needs.checkStore(store);
      if (running != AT_START && store.isConfigured()) {
        needs.checkStoreAtReload(running.store());
      }
      if (running != AT_START) {
        inUse.checkChange(rules, everywhere, LoopClock.timeNs(), misfits::add);
      }
    }
    if (!faults.isEmpty()) {
      return null;
    }
    boolean asksStore =
        rules.stream().anyMatch(RuleSpec::asksStore)
            || everywhere != null && everywhere.asksStore();
    if (asksStore && !builder.values.isGiven("service")) {
      String shared = "none: rules of the same id of other services on this store share budgets";
      faults.warn(tree.line("redis"), "service", shared);
    }
    HeldLint.checkDeadline(
        rules, everywhere, store, (field, text) -> faults.warn(tree.line(field), field, text));
    if (users != null && users.directory() != null && !builder.values.isGiven("records.store")) {
      String path = "users.directory";
      faults.warn(tree.line(path), path, "of no use without records.store: users have no records");
    }
    if (tree.at("rules").items().isEmpty() && everywhere == null) {
      faults.warn(tree.line("rules"), "rules", "none: every request passes");
    }
    return builder.build(rules, everywhere, users);
  }

  private static RuleNeeds needs(List<RuleSpec> rules, RuleSpec everywhere, Misfits misfits) {
    return new RuleNeeds(rules, rule -> "rules[" + rule + "].", misfits).withEverywhere(everywhere);
  }

  /**
   * Reads a document of rules alone, for a process that runs.
   *
   * @param schema of the document.
   * @param running what the process was started with.
   * @param inUse its rules.
   * @return null if there was a fault.
   */
  RuleSource readRules(
      YamlTree tree, SettingsSchema schema, Faults faults, Settings running, RuleSet inUse) {
    SettingsBuilder builder = new SettingsBuilder();
    for (SettingRow<SettingValues> row : SettingsTable.ALL) {
      if (RecordedRules.PARTS.contains(row.name().replaceFirst("\\..*", ""))) {
        row.read(tree, "", builder.values);
      }
    }
    RulesReader reader = new RulesReader(tree, faults);
    List<RuleSpec> rules = reader.read();
    RuleSpec everywhere = reader.everywhere();
    UsersSpec users = reader.users();
    schema.check(tree, faults);
    boolean trusts = !running.identity().trustedProxies().isEmpty();
    reader.check(rules, everywhere, users, builder.values.isOn("paths.ignore-case"), trusts);
    if (faults.isEmpty()) {
      Misfits misfits = Misfits.ofFile(faults, tree);
      new UsersCheck(users, tree, misfits).checkAtReload(running);
      checkDirectory(users, misfits, running);
      RuleNeeds needs = needs(rules, everywhere, misfits);
      needs.checkAtReload(running);
      needs.checkStoreAtReload(running.store());
      inUse.checkChange(rules, everywhere, LoopClock.timeNs(), misfits::add);
      HeldLint.checkDeadline(
          rules,
          everywhere,
          running.store(),
          (field, text) -> faults.warn(tree.line(""), "", field + ": " + text));
    }
    return faults.isEmpty() ? builder.rules(rules, everywhere, users) : null;
  }

  /** Users are where they were when the process was started. */
  private static void checkDirectory(UsersSpec users, Misfits misfits, Settings running) {
    String directory = users == null ? null : users.directory();
    if (directory != null && !directory.equals(running.directory())) {
      String expected = running.directory() + ", as the settings file says until a restart";
      misfits.add("users.directory", directory, expected);
    }
  }
}
