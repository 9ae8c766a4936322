package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.IdentityNames;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads keys, whose sources may have names of the file. */
final class KeyReader {
  private final YamlTree tree;
  private final Faults faults;
  private final IdentityNames names;

  KeyReader(YamlTree tree, Faults faults, IdentityNames names) {
    this.tree = tree;
    this.faults = faults;
    this.names = names;
  }

  /** Reads a key that is one text, of sources with commas between them, or a list of sources. */
  void read(String path, Consumer<KeySpec> setter) {
    List<KeyPart> parts = new ArrayList<>();
    tree.read(
        path,
        text ->
            List.of(text.split(",", -1)).forEach(part -> parts.addAll(names.parts(part.strip()))));
    tree.readItems(path, part -> parts.addAll(names.parts(part)));
    if (parts.isEmpty() || faults.isFaultyWithin(path)) {
      return;
    }
    try {
      setter.accept(KeySpec.ofParts(parts));
    } catch (BadValueException bad) {
      faults.add(tree.line(path), path, bad);
    }
  }
}
