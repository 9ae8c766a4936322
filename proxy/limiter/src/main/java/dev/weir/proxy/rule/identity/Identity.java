package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.Budget;
import org.agrona.DirectBuffer;

/**
 * An identity: whose budget a request charges. Two identities of one key never have the same bytes;
 * {@link IdentityText} knows their meaning.
 */
public interface Identity {
  /**
   * The hash under the secret key of this process, the same for every rule with that key. The key
   * of a local budget is this XOR {@link Budget#seed()}.
   */
  long hash();

  /** The bytes, from 0 to {@link #length()}. */
  default DirectBuffer bytes() {
    throw new IllegalStateException("only its hash is kept");
  }

  default int length() {
    throw new IllegalStateException("only its hash is kept");
  }
}
