package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import dev.weir.proxy.rule.spec.FieldCondition;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.MatchSpec;
import dev.weir.proxy.rule.spec.ValueCondition;
import dev.weir.proxy.rule.spec.ValueCondition.Kind;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads the lists and sections of a rule's {@code match}: methods, networks, headers, parameters.
 */
final class MatchReader {
  /** The fields of a test that is a section. */
  static final String PREFIX = "prefix";

  static final String SUFFIX = "suffix";
  static final String PRESENT = "present";

  private static final String ONE_TEST = "one of prefix, suffix and present";

  private final YamlTree tree;
  private final Faults faults;

  MatchReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads what flags do not have.
   *
   * @param at the path of the section.
   */
  void read(String at, MatchSpec.Builder match) {
    List<String> methods = new ArrayList<>();
    tree.readItems(at + ".methods", methods::add);
    match.methods(methods);
    List<Cidr> networks = new ArrayList<>();
    tree.read(at + ".cidr", network -> networks.add(Cidr.parse(network)));
    tree.readItems(at + ".cidr", network -> networks.add(Cidr.parse(network)));
    match.cidr(networks);
    readFields(at + ".headers", "header:", match);
    readFields(at + ".query", "query:", match);
  }

  private void readFields(String at, String source, MatchSpec.Builder match) {
    List<KeyPart> seen = new ArrayList<>();
    for (String name : tree.at(at).keys().keySet()) {
      String path = YamlTree.inner(at, name);
      KeyPart part = part(path, source, name);
      List<ValueCondition> tests = readTests(path);
      if (part != null && seen.contains(part)) {
        faults.add(tree.line(path), path, name, "each name once, whatever the case of its letters");
      } else if (part != null && !tests.isEmpty()) {
        match.field(new FieldCondition(part, tests));
      }
      seen.add(part);
    }
  }

  /** The header or parameter of a name; null, and a fault, if it cannot be asked for. */
  private KeyPart part(String path, String source, String name) {
    try {
      KeyPart part = KeyPart.parse(source + name);
      if (part.source() != KeyPart.Source.HOST) {
        return part;
      }
      faults.add(tree.line(path), path, name, "match.host");
    } catch (BadValueException bad) {
      String expected = bad.expected().replaceFirst("^ip,", "match.cidr,");
      String ofMatch = expected.replaceFirst("^header:host,", "match.host,");
      faults.add(tree.line(path), path, name, ofMatch);
    }
    return null;
  }

  private List<ValueCondition> readTests(String path) {
    List<ValueCondition> tests = new ArrayList<>();
    readTest(path, tests);
    for (int i = 0; i < tree.at(path).items().size(); i++) {
      readTest(path + "[" + i + "]", tests);
    }
    return tests;
  }

  private void readTest(String path, List<ValueCondition> tests) {
    tree.read(path, text -> tests.add(ValueCondition.of(Kind.EXACT, text)));
    if (!tree.at(path).isSection()) {
      return;
    }
    tree.read(path + "." + PREFIX, text -> tests.add(ValueCondition.of(Kind.PREFIX, text)));
    tree.read(path + "." + SUFFIX, text -> tests.add(ValueCondition.of(Kind.SUFFIX, text)));
    tree.read(
        path + "." + PRESENT,
        text ->
            tests.add(Texts.parseBoolean(text) ? ValueCondition.PRESENT : ValueCondition.ABSENT));
    int count = tree.at(path).keys().size();
    if (count != 1) {
      faults.add(tree.line(path), path, count + " keys", ONE_TEST);
    }
  }
}
