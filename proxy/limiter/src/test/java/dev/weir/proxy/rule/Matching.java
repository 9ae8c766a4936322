package dev.weir.proxy.rule;

import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.IdentitySettings;

/** Finds rules for requests without trusted proxies. */
final class Matching {
  private static final MatchedRequest REQUEST =
      new MatchedRequest(new ClientIpReader(IdentitySettings.DEFAULT));

  private Matching() {}

  /** The rule for a request; null if there is none. */
  static Rule find(RuleSet set, RequestView request) {
    return set.match(REQUEST.of(request));
  }
}
