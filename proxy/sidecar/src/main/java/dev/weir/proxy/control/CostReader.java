package dev.weir.proxy.control;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.Map;
import java.util.function.Consumer;

/** Reads a cost that is a section: what a header of the request says, or its content's length. */
final class CostReader {
  static final String HEADER = "header";
  static final String MAX = "max";
  static final String DEFAULT = "default";
  static final String REQUEST_BYTES = "request-bytes";

  /** A smaller unit would not count the largest bodies. */
  private static final int LEAST_BYTES = 1 << 10;

  private static final int MOST_BYTES = 1 << 30;

  private final YamlTree tree;
  private final Faults faults;

  private KeyPart header;
  private long max;
  private long standard;
  private int bytesPerUnit;

  CostReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads the cost at a path, if it is a section.
   *
   * @param setter is called if it has no faults.
   */
  void read(String path, Consumer<CostSpec> setter) {
    Map<String, YamlValue> keys = tree.at(path).keys();
    if (!tree.at(path).isSection()) {
      return;
    }
    boolean isHeader = keys.containsKey(HEADER);
    if (isHeader == keys.containsKey(REQUEST_BYTES)) {
      fault(path, isHeader ? "both" : "neither", "one of header and request-bytes");
      return;
    }
    tree.read(path + "." + HEADER, name -> header = header(name));
    tree.read(path + "." + MAX, text -> max = Texts.parseLong(text, 1, Question.MAX_COST));
    tree.read(path + "." + DEFAULT, text -> standard = Texts.parseLong(text, 1, Question.MAX_COST));
    tree.read(
        path + "." + REQUEST_BYTES,
        text -> bytesPerUnit = Texts.parseBytes(text, LEAST_BYTES, MOST_BYTES));
    if (isHeader && !keys.containsKey(MAX)) {
      fault(path + "." + MAX, "missing", "the most that the header may say");
    }
    if (!isHeader && keys.containsKey(MAX)) {
      fault(path + "." + MAX, max + "", "nothing, as the cost is by request-bytes");
    }
    if (!isHeader && !keys.containsKey(DEFAULT)) {
      fault(path + "." + DEFAULT, "missing", "the cost of requests that do not tell their length");
    }
    if (!faults.isFaultyWithin(path)) {
      long otherwise = standard == 0 ? 1 : standard;
      setter.accept(
          isHeader
              ? CostSpec.ofHeader(header, max, otherwise)
              : CostSpec.ofRequestBytes(bytesPerUnit, otherwise));
    }
  }

  private void fault(String path, String found, String expected) {
    faults.add(tree.line(path), path, found, expected);
  }

  private static KeyPart header(String name) {
    try {
      KeyPart part = KeyPart.parse("header:" + name);
      if (part.source() == KeyPart.Source.HEADER) {
        return part;
      }
    } catch (BadValueException bad) {
      throw new BadValueException(name, "a header that trusted proxies set, such as x-cost");
    }
    throw new BadValueException(name, "a header that trusted proxies set, such as x-cost");
  }
}
