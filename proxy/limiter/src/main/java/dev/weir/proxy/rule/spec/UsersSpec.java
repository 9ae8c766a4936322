package dev.weir.proxy.rule.spec;

import java.util.List;

/**
 * Who the users are, and what says which tier each of them has.
 *
 * @param identity the key that tells users apart.
 * @param tiers the names of all tiers; a user of whom nothing is known has the first.
 * @param tierFrom the claims and headers that name a request's tier: the first claim that names one
 *     counts, else the first header. A header counts only from a trusted peer.
 * @param directory the name under which users are kept in the record store; null if not given.
 */
public record UsersSpec(
    KeySpec identity, List<String> tiers, List<KeyPart> tierFrom, String directory) {
  /** The most tiers. */
  public static final int MAX_TIERS = 64;

  public UsersSpec {
    tiers = List.copyOf(tiers);
    tierFrom = List.copyOf(tierFrom);
  }

  /** Whether users may have other numbers of a limit: by a tier, or by their records. */
  public boolean mayChange(BudgetSpec limit) {
    return isIn(limit.key()) && (!limit.tiers().isEmpty() || directory != null);
  }

  /** Whether a key tells users apart, whatever else it tells apart. */
  public boolean isIn(KeySpec key) {
    return key.parts().containsAll(identity.parts());
  }

  /**
   * Reads what may name a tier.
   *
   * @throws BadValueException if it is neither a claim of a token nor a header.
   */
  public static KeyPart parseTierSource(String text) {
    String expected = "jwt:CLAIM or header:NAME";
    KeyPart part = KeyPart.parse(text, expected);
    if (part.source() != KeyPart.Source.JWT && part.source() != KeyPart.Source.HEADER) {
      throw new BadValueException(text, expected);
    }
    return part;
  }
}
