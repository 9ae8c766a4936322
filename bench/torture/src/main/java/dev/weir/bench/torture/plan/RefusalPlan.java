package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.List;

/**
 * What a rule does about those whom it refuses.
 *
 * @param banAfter refusals within ten seconds that ban an identity, for a second and then for two;
 *     0 if it bans nobody.
 * @param ownAnswer whether its answer has a field and bodies of its own, with status 429 as ever.
 */
public record RefusalPlan(int banAfter, boolean ownAnswer) {
  static final RefusalPlan NONE = new RefusalPlan(0, false);

  /**
   * Draws what it does.
   *
   * @param mayBan whether anybody is refused by a limit that knows whom.
   */
  static RefusalPlan draw(Draw draw, boolean mayBan) {
    final boolean bans = draw.chance(25);
    return new RefusalPlan(bans && mayBan ? 1 + draw.below(40) : 0, draw.chance(20));
  }

  /** Lines of a rule, without their indentation. */
  List<String> yaml() {
    final List<String> lines = new ArrayList<>();
    if (banAfter > 0) {
      lines.add("ban: {after: %d/10s, for: [1s, 2s], forget: 20s}".formatted(banAfter));
    }
    if (ownAnswer) {
      lines.add(
          "refusal: {headers: {x-docs: '${rule}'}, bodies: {application/json:"
              + " '{\"wait\": ${retry-after}, \"id\": \"${request-id}\"}', text/html: 'Wait'}}");
    }
    return lines;
  }
}
