package dev.weir.proxy.admission;

import dev.weir.proxy.rule.identity.IdentityText;
import dev.weir.proxy.rule.spec.KeyPart;
import java.util.Set;

/**
 * How budgets are named in the store; the same for every sidecar of a fleet, or they do not share
 * budgets.
 *
 * @param service of the rules; empty if not set.
 * @param hashesAll whether every identity is hashed, not only secret ones.
 * @param hashed further secret sources, besides {@link KeyPart#isSecret}.
 * @param hashKey the key of the hash; empty if none is given.
 */
public record StoreNames(String service, boolean hashesAll, Set<KeyPart> hashed, String hashKey) {
  /** The names without settings. */
  public static final StoreNames DEFAULT = new StoreNames("", false, Set.of(), "");

  public StoreNames {
    hashed = Set.copyOf(hashed);
  }

  /**
   * Whether the key of the hash is derived from the service's name. A reader of the store can then
   * try guesses: that does not find random keys, but finds short or known values.
   */
  public boolean isKeyDerived() {
    return hashKey.isEmpty();
  }

  /** The key in use. */
  public String hashKeyInUse() {
    return isKeyDerived() ? "weir:" + service : hashKey;
  }

  /** How identities are written in names. */
  public IdentityText identityText() {
    return new IdentityText(hashesAll, hashed, hashKeyInUse());
  }

  /**
   * Names of other budgets of the same identities, which are written alike.
   *
   * @param suffix behind the service's name.
   */
  public StoreNames besides(String suffix) {
    return new StoreNames(service + suffix, hashesAll, hashed, hashKeyInUse());
  }

  /** The settings without the secret. */
  @Override
  public String toString() {
    return "service " + service + ", hashed: " + (hashesAll ? "all" : "secrets, " + hashed);
  }
}
