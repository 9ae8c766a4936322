package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BanSpec;
import dev.weir.proxy.rule.spec.Rate;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Reads when a rule bans an identity, and for how long. */
final class BanReader {
  static final String AFTER = "after";
  static final String FOR = "for";
  static final String FORGET = "forget";

  private final YamlTree tree;
  private final Faults faults;
  private final List<Long> forNs = new ArrayList<>();
  private Rate after;
  private long forgetNs = BanSpec.FORGET_NS;

  BanReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads the section at a path, if it is there.
   *
   * @param setter is called if it has no faults.
   */
  void read(String path, Consumer<BanSpec> setter) {
    if (!tree.at(path).isSection()) {
      return;
    }
    tree.read(path + "." + AFTER, text -> after = BanSpec.parseAfter(text));
    tree.readItems(path + "." + FOR, text -> forNs.add(BanSpec.parseNs(text)));
    tree.read(path + "." + FORGET, text -> forgetNs = BanSpec.parseNs(text));
    need(path, AFTER, "the refusals after which a ban begins, such as 20/15m");
    need(path, FOR, "how long bans last, such as [15m, 1h]");
    if (!faults.isFaultyWithin(path) && !forNs.isEmpty()) {
      setter.accept(new BanSpec(after, forNs, forgetNs));
    }
  }

  private void need(String path, String key, String expected) {
    if (!tree.at(path).keys().containsKey(key)) {
      faults.add(tree.line(path), path + "." + key, "missing", expected);
    }
  }
}
