package dev.weir.proxy.wiring;

import dev.weir.proxy.admission.AddressLists;
import dev.weir.proxy.admission.Explainer;
import dev.weir.proxy.admission.Explanation;
import dev.weir.proxy.admission.Users;
import dev.weir.proxy.admission.ban.Bans;
import dev.weir.proxy.control.Settings;
import dev.weir.proxy.explain.BadDescriptionException;
import dev.weir.proxy.explain.DescribedRequest;
import dev.weir.proxy.explain.ExplainedRequest;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.request.RequestView;
import dev.weir.proxy.rule.RuleSet;
import dev.weir.proxy.rule.identity.ClaimReader;
import dev.weir.proxy.rule.identity.ClientIpReader;
import dev.weir.proxy.rule.identity.ClientKeyReader;
import dev.weir.proxy.rule.identity.IdentityReader;
import dev.weir.proxy.rule.identity.KeyHasher;
import java.io.IOException;

/**
 * Explains requests by the settings of a sidecar, with readers of its own: what a described request
 * has in it, such as a bad token, counts against no client. One thread.
 */
public final class SidecarExplainer {
  private final Settings settings;
  private final LoopClock clock = new LoopClock();
  private final Explainer explainer;

  /**
   * @param lists that decide before the rules.
   * @param bans of all event loops; null if they are not known.
   * @param users of all event loops, and so is {@code hasher}.
   * @param tokens null if none are read.
   */
  SidecarExplainer(
      Settings settings,
      AddressLists lists,
      Bans bans,
      Users users,
      KeyHasher hasher,
      SidecarTokens tokens) {
    this.settings = settings;
    ClientIpReader clientIp = new ClientIpReader(settings.identity());
    ClientKeyReader clientKey = new ClientKeyReader(settings.identity(), clientIp);
    IdentityReader identities =
        new IdentityReader(
            settings.identity(),
            hasher,
            clientIp,
            tokens == null ? ClaimReader.NONE : tokens.join(clock, hasher, clientKey),
            settings.client().caps().headBytes());
    explainer = new Explainer(identities, lists, bans, users, settings.names().identityText());
  }

  /**
   * Explains by settings that no sidecar runs with: budgets are not known. Keys of tokens are those
   * of a file; nothing is fetched.
   *
   * @throws IOException if a file that the settings name cannot be used.
   */
  public static ExplainedRequest explain(Settings settings, DescribedRequest request)
      throws IOException, BadDescriptionException {
    AddressLists lists = new AddressLists();
    try (SidecarLists networks = new SidecarLists(settings.rules().lists());
        SidecarTokens tokens =
            settings.tokens().isConfigured() ? new SidecarTokens(settings.tokens()) : null) {
      networks.fill(lists);
      SidecarExplainer explainer =
          new SidecarExplainer(settings, lists, null, new Users(), KeyHasher.random(), tokens);
      RuleSet rules = settings.rules().compile(RuleSet.EMPTY);
      Explanation explanation = explainer.explain(rules, explainer.view(request));
      return new ExplainedRequest(request, explanation, null);
    }
  }

  /** The head of a request. */
  RequestView view(DescribedRequest request) throws BadDescriptionException {
    return request.view(settings.identity().trustedProxies(), settings.client().caps());
  }

  /** Explains the decision on a request by some rules. */
  Explanation explain(RuleSet rules, RequestView view) {
    clock.tick();
    return explainer.explain(rules, view);
  }
}
