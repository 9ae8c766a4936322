package dev.weir.proxy.control;

import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordSet;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.StoredRecord;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.spec.RuleSpec;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.snakeyaml.engine.v2.common.FlowStyle;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Rules that are kept in records, read by the reader of settings files: JSON is YAML, so the
 * records are put together to one document. Rules stand in the order of the part {@link #ORDER},
 * and those that it does not name behind them, by their ids.
 */
public final class RecordedRules {
  /** The part that lists the ids of the rules in their order. */
  public static final String ORDER = "order";

  static final String RULES = "rules";

  /** The sections of a settings file that belong to a set of rules, beside the rules. */
  static final Set<String> PARTS =
      new LinkedHashSet<>(
          List.of("paths", "identities", "users", "lists", RuleSpec.EVERYWHERE, "refusal"));

  private static final String NO_FILE = "no file, as it is one of the sidecar's machine";

  private final SettingsSchema schema = SettingsSchema.ofRules();
  private final Settings running;

  /**
   * A set as it was read.
   *
   * @param rules null if there was a fault.
   */
  public record Reading(
      RuleSource rules, List<RecordedFault> faults, List<RecordedFault> warnings) {}

  /**
   * @param running what the process was started with: rules can have no more until a restart.
   */
  public RecordedRules(Settings running) {
    this.running = running;
  }

  /**
   * Reads a set. Any thread.
   *
   * @param inUse the rules that the set is to follow.
   */
  public Reading read(RecordSet set, RuleSet inUse) {
    Faults faults = Faults.ofFile("");
    List<RecordedFault> told = new ArrayList<>();
    for (RecordName damaged : set.damaged()) {
      String at = damaged.kind() == Kind.PART ? "/" + damaged.id() : "";
      told.add(new RecordedFault(damaged, "", at, 1, "damaged", "a version, a blank and JSON"));
    }
    List<StoredRecord> rules = inOrder(set, told);
    List<RecordName> names = rules.stream().map(StoredRecord::name).toList();
    Node document = told.isEmpty() ? document(set, rules, told) : null;
    RuleSource read = document == null ? null : read(document, names, faults, inUse);
    faults.all().forEach(fault -> told.add(RecordedFault.of(fault, names)));
    List<RecordedFault> warnings =
        faults.warnings().stream().map(fault -> RecordedFault.of(fault, names)).toList();
    return new Reading(told.isEmpty() ? read : null, told, warnings);
  }

  /**
   * Reads a document that is a whole set of rules, as {@link #ofDocument} takes it. Faults have the
   * document's lines, and are of no record. Any thread.
   *
   * @param inUse the rules that the set is to follow.
   */
  public Reading readDocument(byte[] content, RuleSet inUse) {
    Faults faults = Faults.ofFile("");
    YamlTree tree = tree(content, faults);
    RuleSource read = tree == null ? null : read(tree, List.of(), faults, inUse);
    return new Reading(read, ofDocument(faults.all()), ofDocument(faults.warnings()));
  }

  private static List<RecordedFault> ofDocument(List<Faults.Fault> faults) {
    return faults.stream().map(RecordedFault::ofDocument).toList();
  }

  /** The rules of a set, in the order in which it has them. */
  static List<StoredRecord> rulesOf(RecordSet set) {
    return inOrder(set, new ArrayList<>());
  }

  private static List<StoredRecord> inOrder(RecordSet set, List<RecordedFault> faults) {
    Map<String, StoredRecord> rules = new LinkedHashMap<>();
    set.records().stream()
        .filter(record -> record.name().kind() == Kind.RULE)
        .sorted(Comparator.comparing(record -> record.name().id()))
        .forEach(record -> rules.put(record.name().id(), record));
    List<StoredRecord> ordered = new ArrayList<>();
    for (String id : order(set, faults)) {
      StoredRecord rule = rules.remove(id);
      if (rule != null) {
        ordered.add(rule);
      }
    }
    ordered.addAll(rules.values());
    return ordered;
  }

  private static List<String> order(RecordSet set, List<RecordedFault> faults) {
    List<String> ids = new ArrayList<>();
    for (StoredRecord part : set.records()) {
      if (part.name().kind() == Kind.PART && part.name().id().equals(ORDER)) {
        Node node = compose(part, faults);
        if (node instanceof SequenceNode list) {
          list.getValue().stream()
              .filter(ScalarNode.class::isInstance)
              .forEach(id -> ids.add(((ScalarNode) id).getValue()));
        }
        boolean isOfTexts =
            node instanceof SequenceNode list && ids.size() == list.getValue().size();
        if (node != null && !isOfTexts) {
          faults.add(
              new RecordedFault(
                  part.name(),
                  "",
                  "/" + ORDER,
                  1,
                  Faults.printable(part.json()),
                  "a list of ids of rules"));
        }
      }
    }
    return ids;
  }

  /** One document of all records; null, and a fault, if one of them cannot be read. */
  private static Node document(
      RecordSet set, List<StoredRecord> rules, List<RecordedFault> faults) {
    List<NodeTuple> sections = new ArrayList<>();
    for (StoredRecord part : set.records()) {
      String id = part.name().id();
      if (part.name().kind() == Kind.PART && !id.equals(ORDER)) {
        sections.add(new NodeTuple(text(id), compose(part, faults)));
      }
    }
    List<Node> items = new ArrayList<>();
    rules.forEach(rule -> items.add(compose(rule, faults)));
    sections.add(new NodeTuple(text(RULES), new SequenceNode(Tag.SEQ, items, FlowStyle.BLOCK)));
    return faults.isEmpty() ? new MappingNode(Tag.MAP, sections, FlowStyle.BLOCK) : null;
  }

  private static Node text(String key) {
    return new ScalarNode(Tag.STR, key, ScalarStyle.PLAIN);
  }

  /** The JSON of a record; an empty text and a fault if it is none. */
  private static Node compose(StoredRecord record, List<RecordedFault> faults) {
    Faults own = Faults.ofFile("");
    byte[] json = record.json().getBytes(StandardCharsets.UTF_8);
    Node node = YamlDocument.compose(json, "JSON", own);
    for (Faults.Fault fault : own.all()) {
      String at = record.name().kind() == Kind.PART ? "/" + record.name().id() : "";
      faults.add(new RecordedFault(record.name(), "", at, fault.line(), fault.problem(), "JSON"));
    }
    return node == null ? text("") : node;
  }

  private RuleSource read(Node document, List<RecordName> names, Faults faults, RuleSet inUse) {
    YamlTree tree = new YamlTree(document, faults);
    return tree.isTooLarge() ? null : read(tree, names, faults, inUse);
  }

  private RuleSource read(YamlTree tree, List<RecordName> names, Faults faults, RuleSet inUse) {
    refuseFiles(tree, faults);
    if (!faults.isEmpty()) {
      return null; // what is in the files, and whether they are there, is nobody's business
    }
    RuleSource read = new SettingsFile().readRules(tree, schema, faults, running, inUse);
    for (int rule = 0; rule < names.size(); rule++) {
      String path = RULES + "[" + rule + "].id";
      String id = tree.texts().get(path);
      if (id != null && !id.equals(names.get(rule).id()) && !faults.isFaulty(path)) {
        faults.add(tree.line(path), path, id, names.get(rule).id() + ", as the record's name");
      }
    }
    return faults.isEmpty() ? read : null;
  }

  private static void refuseFiles(YamlTree tree, Faults faults) {
    tree.texts()
        .forEach(
            (path, text) -> {
              if (RefusalReader.isFile(path, text) || isListFile(path, text)) {
                faults.add(tree.line(path), path, text, NO_FILE);
              }
            });
  }

  /**
   * The records of a document that is a whole set of rules, in YAML or JSON: of each rule, of each
   * other key, and of the order of the rules.
   *
   * @return null if it is no such document; what the records say is checked when they are read.
   */
  public static RecordSet ofDocument(byte[] content, Faults faults) {
    YamlTree tree = tree(content, faults);
    return tree == null ? null : records(tree, tree.root().keys().keySet(), Map.of(), faults);
  }

  /**
   * The records of the rules in a settings file. Files with answers to refusals are taken in; files
   * of lists are left out, as each sidecar's own settings name those.
   *
   * @return null if it is no such file; what the records say is checked when they are read.
   */
  public static RecordSet ofFile(byte[] content, Faults faults) {
    YamlTree tree = tree(content, faults);
    return tree == null ? null : records(tree, PARTS, filesIn(tree, faults), faults);
  }

  private static Map<String, String> filesIn(YamlTree tree, Faults faults) {
    Map<String, String> contents = new RefusalReader(tree, faults).contents();
    tree.texts()
        .forEach(
            (path, text) -> {
              if (isListFile(path, text)) {
                contents.put(path, null);
              }
            });
    return contents;
  }

  private static boolean isListFile(String path, String text) {
    return path.startsWith("lists.") && AddressListSettings.isFile(text);
  }

  private static YamlTree tree(byte[] content, Faults faults) {
    Node root = YamlDocument.compose(content, "rules:", faults);
    if (root == null) {
      return null;
    }
    YamlTree tree = new YamlTree(root, faults);
    if (!tree.root().isSection() && faults.isEmpty()) {
      faults.add(tree.line(""), "", "no section", "keys such as rules:");
    }
    return faults.isEmpty() ? tree : null;
  }

  /**
   * @param contents texts that stand for those at some paths.
   */
  private static RecordSet records(
      YamlTree tree, Set<String> parts, Map<String, String> contents, Faults faults) {
    TreeJson json = new TreeJson(tree, contents);
    List<StoredRecord> records = new ArrayList<>();
    for (String part : parts) {
      if (tree.root().keys().containsKey(part) && !part.equals(RULES)) {
        records.add(record(Kind.PART, part, json.of(YamlTree.inner("", part))));
      }
    }
    Set<String> ids = new LinkedHashSet<>();
    int count = tree.at(RULES).items().size();
    for (int rule = 0; rule < count; rule++) {
      String path = RULES + "[" + rule + "]";
      String id = tree.texts().get(path + ".id");
      if (id == null) {
        faults.add(tree.line(path), path + ".id", "missing", "the id of the rule");
      } else if (!ids.add(id)) {
        faults.add(tree.line(path + ".id"), path + ".id", id, "an id of its own");
      } else {
        records.add(record(Kind.RULE, id, json.of(path)));
      }
    }
    records.add(record(Kind.PART, ORDER, TreeJson.list(ids)));
    return faults.isEmpty() ? new RecordSet(RecordVersion.NONE, records) : null;
  }

  private static StoredRecord record(Kind kind, String id, String json) {
    return new StoredRecord(new RecordName(kind, id), RecordVersion.NONE, json);
  }
}
