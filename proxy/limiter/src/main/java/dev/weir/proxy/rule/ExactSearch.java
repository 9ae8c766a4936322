package dev.weir.proxy.rule;

import dev.weir.proxy.rule.spec.ValueSink;
import org.agrona.DirectBuffer;

/** Finds rules by the values of a request's header or parameter. One per matched request. */
final class ExactSearch implements ValueSink {
  private final MatchedRequest request;
  private ExactIndex index;
  private PlacedRule best;

  ExactSearch(MatchedRequest request) {
    this.request = request;
  }

  /**
   * The first rule of an index that the request fulfils, if it stands before another one.
   *
   * @param other which is returned if there is none before it; may be null.
   */
  PlacedRule first(ExactIndex in, PlacedRule other) {
    index = in;
    best = other;
    request.pass(in.part(), this);
    return best;
  }

  @Override
  public boolean value(DirectBuffer bytes, int offset, int length) {
    best = PlacedRule.first(index.of(bytes, offset, length), request, best);
    return false;
  }
}
