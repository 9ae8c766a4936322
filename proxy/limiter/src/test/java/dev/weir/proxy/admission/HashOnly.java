package dev.weir.proxy.admission;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Purpose;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.identity.Identity;

/** An identity of which a gate of this node sees all that it looks at. */
record HashOnly(long hash) implements Identity {
  /** Asks whether a request may pass, at the cost that its rule says. */
  static final Question PLAIN = new Question().start(Operation.CHECK, Purpose.TRAFFIC);
}
