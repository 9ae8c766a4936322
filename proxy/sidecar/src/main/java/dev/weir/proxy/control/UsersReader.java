package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.UsersSpec;
import java.util.ArrayList;
import java.util.List;

/** Reads who the users are, and what says which tier each of them has. */
final class UsersReader {
  static final String SECTION = "users";
  static final String IDENTITY = "identity";
  static final String TIERS = "tiers";
  static final String TIER_FROM = "tier-from";
  static final String DIRECTORY = "directory";

  private static final String PATH = SECTION + ".";
  private static final String NAME = "[A-Za-z0-9][A-Za-z0-9_-]{0,63}";
  private static final String NAME_GRAMMAR = "1 to 64 letters, digits, dashes and underscores";

  private final YamlTree tree;
  private final Faults faults;
  private KeySpec identity;
  private String directory;

  UsersReader(YamlTree tree, Faults faults) {
    this.tree = tree;
    this.faults = faults;
  }

  /**
   * Reads the section.
   *
   * @param keys reads keys, whose parts may have names.
   * @return null if there is none, or it has a fault.
   */
  UsersSpec read(KeyReader keys) {
    keys.read(PATH + IDENTITY, key -> identity = key);
    if (KeySpec.ALL.equals(identity)) {
      fault(PATH + IDENTITY, "all", "a source that tells users apart, such as jwt:sub");
    }
    List<String> tiers = new ArrayList<>();
    tree.readItems(
        PATH + TIERS,
        name -> {
          if (!name.matches(NAME)) {
            throw new BadValueException(name, NAME_GRAMMAR);
          }
          if (tiers.contains(name)) {
            throw new BadValueException(name, "each tier once");
          }
          tiers.add(name);
        });
    List<KeyPart> sources = new ArrayList<>();
    tree.readItems(PATH + TIER_FROM, text -> sources.add(UsersSpec.parseTierSource(text)));
    if (!sources.isEmpty() && !tree.at(SECTION).keys().containsKey(TIERS)) {
      fault(PATH + TIERS, "missing", "names of tiers, as tier-from names them");
    }
    tree.read(
        PATH + DIRECTORY,
        name -> {
          if (!name.matches(NAME)) {
            throw new BadValueException(name, NAME_GRAMMAR);
          }
          directory = name;
        });
    boolean isOne = identity == null || identity.partCount() == 1 && !KeySpec.IP.equals(identity);
    if (directory != null && !isOne && !faults.isFaulty(PATH + IDENTITY)) {
      String expected = "one source that has a value, as records name users by it";
      fault(PATH + IDENTITY, identity.toString(), expected);
    }
    boolean isWhole = identity != null && !faults.isFaultyWithin(SECTION);
    return isWhole ? new UsersSpec(identity, tiers, sources, directory) : null;
  }

  private void fault(String path, String found, String expected) {
    faults.add(tree.line(path), path, found, expected);
  }
}
