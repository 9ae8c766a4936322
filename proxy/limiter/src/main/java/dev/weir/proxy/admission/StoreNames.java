package dev.weir.proxy.admission;

import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.Set;

/**
 * How budgets are named in the store; the same for every sidecar of a fleet, or they have budgets
 * of their own.
 *
 * @param service whose rules these are; empty if it is not said.
 * @param hashesAll whether every identity is hashed, not only what is secret.
 * @param hashed what else is secret, beside what {@link KeyPart#isSecret} says.
 * @param hashKey the key of the hash; empty if none is given.
 */
public record StoreNames(String service, boolean hashesAll, Set<KeyPart> hashed, String hashKey) {
  /** The names where no setting says otherwise. */
  public static final StoreNames DEFAULT = new StoreNames("", false, Set.of(), "");

  public StoreNames {
    hashed = Set.copyOf(hashed);
  }

  /**
   * Whether the key of the hash follows from what is no secret. Then whoever reads the store can
   * try guesses: that is no use against random keys, but finds short or known values.
   */
  public boolean isKeyDerived() {
    return hashKey.isEmpty();
  }

  /** The key that is used. */
  String hashKeyInUse() {
    return isKeyDerived() ? "weir:" + service : hashKey;
  }

  /** How identities are written in names. */
  public IdentityText identityText() {
    return new IdentityText(hashesAll, hashed, hashKeyInUse());
  }

  /** Without the secret. */
  @Override
  public String toString() {
    return "service " + service + ", hashed: " + (hashesAll ? "all" : "secrets, " + hashed);
  }
}
