package dev.weir.proxy.rule.spec;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The identities that a file has names for. A name stands for one source, for several that count
 * together, or for the first of several that a request has. What a name of the first two kinds
 * stands for has the budgets that it has without a name; the first of several has budgets by its
 * name.
 */
public final class IdentityNames {
  /** The form of a name; no source and no kind of identity of the store looks like one. */
  public static final String GRAMMAR =
      "1 to 64 letters, digits, dashes and underscores, the first a letter";

  private static final String OR_A_NAME = "; or a name of identities";

  private static final Set<String> TAKEN = Set.of("all", "api-key", "descriptor", "ip");

  private final Map<String, List<KeyPart>> byName = new LinkedHashMap<>();

  /** The names that stand for one source each. */
  private final Map<KeyPart, List<String>> ofSource = new HashMap<>();

  /** Whether a text may be a name. */
  public static boolean isName(String text) {
    return text.matches("[A-Za-z][A-Za-z0-9_-]{0,63}") && !isTaken(text);
  }

  /**
   * The text by which a program's name of an identity or of a source is known to keys.
   *
   * @throws BadValueException if it can be neither.
   */
  public static String canonical(String text) {
    return isName(text) ? text : KeyPart.parse(text, KeyPart.EXPECTED + OR_A_NAME).toString();
  }

  /** Whether a text already means something else where names stand. */
  public static boolean isTaken(String text) {
    return TAKEN.contains(text);
  }

  /**
   * Names sources that count together.
   *
   * @throws BadValueException if no key can have them.
   */
  public void add(String name, List<KeyPart> sources) {
    KeySpec.ofParts(sources);
    byName.put(name, sources);
    if (sources.size() == 1) {
      ofSource.computeIfAbsent(sources.get(0), source -> new ArrayList<>()).add(name);
    }
  }

  /**
   * Names the first of several sources that a request has.
   *
   * @param sources each of one source, or the first of several itself.
   * @throws BadValueException if there are too many, or one twice.
   */
  public void addFirstOf(String name, List<KeyPart> sources) {
    List<KeyPart> all = new ArrayList<>();
    for (KeyPart source : sources) {
      if (source.sourceCount() == 0) {
        all.add(source);
      }
      for (int i = 0; i < source.sourceCount(); i++) {
        all.add(source.source(i));
      }
    }
    KeySpec.ofParts(all);
    byName.put(name, List.of(KeyPart.firstOf(name, all)));
  }

  /** Takes note of a name of which it is not known what it stands for. */
  public void addFaulty(String name) {
    byName.put(name, List.of());
  }

  /**
   * The sources of a text of a key: those of a name, or the one that it is.
   *
   * @return none for a faulty name.
   * @throws BadValueException if it is none.
   */
  public List<KeyPart> parts(String text) {
    return text.equals("all") ? KeySpec.ALL.parts() : sources(text, "all, ");
  }

  /** The sources of a text of an identity: as {@link #parts}, without all callers. */
  public List<KeyPart> sources(String text) {
    return sources(text, "");
  }

  private List<KeyPart> sources(String text, String before) {
    List<KeyPart> named = byName.get(text);
    String names = byName.isEmpty() ? "" : OR_A_NAME;
    List<KeyPart> sources =
        named == null ? List.of(KeyPart.parse(text, before + KeyPart.EXPECTED + names)) : named;
    return sources.stream().map(source -> source.as(ofSource)).toList();
  }
}
