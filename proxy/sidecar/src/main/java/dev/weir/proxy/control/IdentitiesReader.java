package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Reads the names that a file has for identities. A name may stand for others, in any order. */
final class IdentitiesReader {
  private static final String SECTION = "identities";
  private static final String FIRST_OF = ".first-of";

  private final YamlTree tree;
  private final Faults faults;
  private final IdentityNames names = new IdentityNames();

  /** The names that were read, with or without a fault. */
  private final Set<String> known = new HashSet<>();

  /** The names that are being read, as one stands for the next. */
  private final Set<String> open = new HashSet<>();

  IdentitiesReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /** The names that could be read. */
  IdentityNames read() {
    tree.at(SECTION).keys().keySet().forEach(this::read);
    return names;
  }

  private void read(String name) {
    if (!known.add(name)) {
      return;
    }
    String path = YamlTree.inner(SECTION, name);
    if (!IdentityNames.isName(name)) {
      boolean isTaken = IdentityNames.isTaken(name);
      String expected = isTaken ? "another name, as keys have this one" : IdentityNames.GRAMMAR;
      faults.add(tree.line(path), path, new BadValueException(name, expected));
      names.addFaulty(name);
      return;
    }
    open.add(name);
    YamlValue value = tree.at(path);
    String items = value.isSection() ? path + FIRST_OF : path;
    List<KeyPart> sources = new ArrayList<>();
    tree.read(items, text -> sources.addAll(sources(text, value.isSection())));
    tree.readItems(items, text -> sources.addAll(sources(text, value.isSection())));
    open.remove(name);
    try {
      if (sources.isEmpty() || faults.isFaultyWithin(path)) {
        names.addFaulty(name);
      } else if (value.isSection()) {
        names.addFirstOf(name, sources);
        warnOfMixed(items, names.sources(name).get(0));
      } else {
        names.add(name, sources);
      }
    } catch (BadValueException bad) {
      faults.add(tree.line(path), path, bad);
      names.addFaulty(name);
    }
  }

  /** A value that anybody can send is the same identity as one that was verified. */
  private void warnOfMixed(String path, KeyPart firstOf) {
    KeyPart verified = firstOf.find(KeyPart::isVerified);
    KeyPart chosen = firstOf.find(KeyPart::isChosen);
    if (verified != null && chosen != null) {
      String problem = "a client that sends another one's %s as %s spends its budget";
      faults.warn(tree.line(path), path, problem.formatted(verified, chosen));
    }
  }

  private List<KeyPart> sources(String text, boolean isAlternative) {
    if (open.contains(text)) {
      throw new BadValueException(text, "a source, or a name that does not lead back to this one");
    }
    if (tree.at(SECTION).keys().containsKey(text)) {
      read(text);
    }
    List<KeyPart> sources = names.sources(text);
    if (isAlternative && sources.size() > 1) {
      throw new BadValueException(text, "one source, not several that count together");
    }
    return sources;
  }
}
