package dev.weir.proxy.rule.identity;

import dev.weir.proxy.rule.Budget;
import org.agrona.DirectBuffer;

/**
 * Whose budget a request charges. Two identities of one key never have the same bytes; what the
 * bytes mean, {@link IdentityText} knows.
 */
public interface Identity {
  /**
   * The hash under this process' secret key, the same for every rule with that key. The key of one
   * of its local budgets is this XOR the {@link Budget#seed()}.
   */
  long hash();

  /** The bytes, from 0 to {@link #length()}. */
  DirectBuffer bytes();

  int length();
}
