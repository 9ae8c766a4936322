package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.Cidr;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A list of addresses as it is written: networks, and files that have more of them.
 *
 * @param files followed while the list is in use.
 */
public record AddressListSettings(List<Cidr> networks, List<Path> files) {
  private static final String FILE = "file:";

  public AddressListSettings {
    networks = List.copyOf(networks);
    files = List.copyOf(files);
  }

  /** Whether an item of a list names a file. */
  static boolean isFile(String text) {
    return text.startsWith(FILE);
  }

  /** An item of a list: a {@link Cidr}, or with {@code file:} the {@link Path} of a file. */
  static Object item(String text) {
    if (isFile(text)) {
      try {
        return Texts.parseFile(text.substring(FILE.length()));
      } catch (BadValueException bad) {
        throw new BadValueException(text, "file:/path");
      }
    }
    try {
      return Cidr.parse(text);
    } catch (BadValueException bad) {
      throw new BadValueException(text, bad.expected() + "; or file:/path");
    }
  }

  /** A list of items. */
  static AddressListSettings of(List<Object> items) {
    List<Cidr> networks = new ArrayList<>();
    List<Path> files = new ArrayList<>();
    for (Object item : items) {
      if (item instanceof Path file) {
        files.add(file);
      } else {
        networks.add((Cidr) item);
      }
    }
    return new AddressListSettings(networks, files);
  }
}
