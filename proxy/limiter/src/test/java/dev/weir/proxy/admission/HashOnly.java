package dev.weir.proxy.admission;

import dev.weir.proxy.rule.identity.Identity;
import org.agrona.DirectBuffer;

/** An identity of which a gate of this node sees all that it looks at. */
record HashOnly(long hash) implements Identity {
  @Override
  public DirectBuffer bytes() {
    throw new AssertionError("not looked at");
  }

  @Override
  public int length() {
    throw new AssertionError("not looked at");
  }
}
