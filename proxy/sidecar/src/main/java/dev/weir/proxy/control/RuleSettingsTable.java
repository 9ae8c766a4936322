package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.AMOUNT;
import static dev.weir.proxy.control.SettingKind.BAN;
import static dev.weir.proxy.control.SettingKind.CONCURRENCY;
import static dev.weir.proxy.control.SettingKind.CONDITIONS;
import static dev.weir.proxy.control.SettingKind.COST;
import static dev.weir.proxy.control.SettingKind.COST_OF_LIMIT;
import static dev.weir.proxy.control.SettingKind.EVERYWHERE;
import static dev.weir.proxy.control.SettingKind.KEY;
import static dev.weir.proxy.control.SettingKind.LIMITS;
import static dev.weir.proxy.control.SettingKind.METHODS;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.NETWORKS;
import static dev.weir.proxy.control.SettingKind.NUMBER;
import static dev.weir.proxy.control.SettingKind.PATTERN;
import static dev.weir.proxy.control.SettingKind.PERCENT;
import static dev.weir.proxy.control.SettingKind.RATE;
import static dev.weir.proxy.control.SettingKind.REFUSAL;
import static dev.weir.proxy.control.SettingKind.SWITCH;
import static dev.weir.proxy.control.SettingKind.TIERS;
import static dev.weir.proxy.control.SettingKind.TIME;
import static dev.weir.proxy.control.SettingKind.UNIT;
import static dev.weir.proxy.control.SettingKind.WHAT;
import static dev.weir.proxy.control.SettingKind.WHO;
import static dev.weir.proxy.control.SettingKind.ZONE;

import dev.weir.proxy.request.Question;
import dev.weir.proxy.rule.spec.Algorithm;
import dev.weir.proxy.rule.spec.Alignment;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.BudgetSpec;
import dev.weir.proxy.rule.spec.CostSpec;
import dev.weir.proxy.rule.spec.DurationText;
import dev.weir.proxy.rule.spec.Enforcement;
import dev.weir.proxy.rule.spec.HostPattern;
import dev.weir.proxy.rule.spec.KeySpec;
import dev.weir.proxy.rule.spec.LimitSpec;
import dev.weir.proxy.rule.spec.Mode;
import dev.weir.proxy.rule.spec.OnMissingKey;
import dev.weir.proxy.rule.spec.OnStoreFailure;
import dev.weir.proxy.rule.spec.Overflow;
import dev.weir.proxy.rule.spec.PathPattern;
import dev.weir.proxy.rule.spec.Rate;
import dev.weir.proxy.rule.spec.RuleAction;
import dev.weir.proxy.rule.spec.RuleSpec;
import dev.weir.proxy.rule.spec.Share;
import dev.weir.proxy.rule.spec.Thousandths;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;

/**
 * Every field of a rule, a row each; files and flags share them. So do a rule's one limit and those
 * in its list.
 */
final class RuleSettingsTable {
  /** The fields of a limit, which are those of a rule with one limit too. */
  static final List<SettingRow<BudgetSpec.Fields<?>>> OF_LIMIT =
      List.of(
          SettingRow.of(
              "name",
              NAME,
              null,
              "The limit's name in answers and in the store; by default the rule's id.",
              (b, t) -> b.name(t)),
          SettingRow.of(
              "limit",
              RATE,
              null,
              "Requests per time: 100/1s, 10/1m, 20k/1h, 1M/1d.",
              (b, t) -> b.rate(Rate.parse(t))),
          SettingRow.of(
              "concurrency",
              CONCURRENCY,
              null,
              "How many requests at a time, until they end.",
              (b, t) -> b.concurrency(Texts.parseInt(t, 1, BudgetSpec.MAX_CONCURRENCY))),
          SettingRow.inFilesOnly("tiers", TIERS, "each tier has numbers of its own"),
          SettingRow.of(
              "key",
              KEY,
              null,
              "Whose budget, by default the rule's key.",
              (b, t) -> b.key(KeySpec.parse(t))),
          SettingRow.of(
              "burst",
              AMOUNT,
              null,
              "How many of them at once; by default the whole limit.",
              (b, t) -> b.burstThousandths(thousandths(Rate.digits(t), Rate.MAX_COUNT))),
          SettingRow.of(
              "cost",
              COST_OF_LIMIT,
              null,
              "What one request takes of this limit, by default the rule's cost.",
              (b, t) -> b.cost(cost(t))),
          SettingRow.of(
              "algorithm",
              NAME,
              "gcra",
              "%s (default), token-bucket, leaky-bucket, fixed-window, sliding-log,"
                  + " sliding-counter or bucket-ring.",
              (b, t) -> b.algorithm(Texts.parseOneOf(t, Algorithm.values()))),
          SettingRow.of(
              "overflow",
              WHAT,
              "reject",
              "Of a leaky-bucket: %s (default), or queue to hold requests until their turn.",
              (b, t) -> b.overflow(Texts.parseOneOf(t, Overflow.values()))),
          SettingRow.of(
              "max-wait",
              TIME,
              "1s",
              "In a queue, at most (default %s).",
              (b, t) -> b.maxWaitNs(Texts.parseNs(t, 1, LimitSpec.MAX_MAX_WAIT_NS, "at most 1h"))),
          SettingRow.of(
              "align",
              UNIT,
              "epoch",
              "Of a fixed-window: %s (default), minute, hour, day, week or month.",
              (b, t) -> b.align(Texts.parseOneOf(t, Alignment.values()))),
          SettingRow.of(
              "time-zone",
              ZONE,
              "UTC",
              "Whose calendar: Europe/Berlin (default %s).",
              (b, t) -> b.zone(zone(t))),
          SettingRow.of(
              "sub-window",
              TIME,
              null,
              "Of a bucket-ring (default a tenth of the window).",
              (b, t) -> b.subWindowNs(DurationText.parseNs(t))),
          SettingRow.of(
              "mode",
              WHO,
              null,
              "Decides on this limit, by default the rule's mode.",
              (b, t) -> b.mode(Mode.parse(t))),
          SettingRow.of(
              "lease-life",
              TIME,
              null,
              "Of a limit of mode leased, by default the rule's.",
              (b, t) -> b.leaseLifeNs(leaseLifeNs(t))),
          SettingRow.of(
              "on-store-failure",
              WHAT,
              null,
              "Of a limit of mode exact or leased, by default the rule's.",
              (b, t) -> b.onStoreFailure(Texts.parseOneOf(t, OnStoreFailure.values()))));

  /** The fields of a rule, in the order in which files name them. */
  static final List<SettingRow<RuleSpec.Builder>> ALL =
      List.of(
          SettingRow.inFilesOnly("id", NAME, "flags make one rule, whose id is default"),
          SettingRow.of(
              "match.path",
              PATTERN,
              null,
              "Limit these paths only, such as /api/**.",
              (b, t) -> b.match().path(PathPattern.parse(t))),
          SettingRow.of(
              "match.grpc",
              PATTERN,
              null,
              "Limit these gRPC calls only: package.Service/Method, or package.Service.",
              (b, t) -> b.match().grpc(PathPattern.parseGrpc(t))),
          SettingRow.of(
              "match.host",
              NAME,
              null,
              "Limit this host only, or with *.example.com those below one.",
              (b, t) -> b.match().host(HostPattern.parse(t))),
          SettingRow.inFilesOnly(
              "match.methods", METHODS, "one rule for some methods leaves the others unlimited"),
          SettingRow.inFilesOnly(
              "match.headers", CONDITIONS, "one rule for some headers leaves the others unlimited"),
          SettingRow.inFilesOnly(
              "match.query", CONDITIONS, "one rule for some queries leaves the others unlimited"),
          SettingRow.inFilesOnly(
              "match.cidr", NETWORKS, "one rule for some clients leaves the others unlimited"),
          SettingRow.of(
              "key",
              KEY,
              "ip",
              "Who has a budget: %s (the default), api-key, header:NAME, cookie:NAME, query:NAME;"
                  + " several, separated by commas, together; all: one budget of all callers.",
              (b, t) -> b.key(KeySpec.parse(t))),
          ofLimit("name"),
          ofLimit("limit"),
          ofLimit("concurrency"),
          SettingRow.inFilesOnly("tiers", TIERS, "each tier has numbers of its own"),
          ofLimit("burst"),
          SettingRow.of(
              "cost",
              COST,
              "1",
              "What one request takes from the budget (default %s), or messages: 1, and 1 for each"
                  + " further message of a gRPC stream.",
              RuleSettingsTable::setCost),
          ofLimit("algorithm"),
          ofLimit("overflow"),
          ofLimit("max-wait"),
          ofLimit("align"),
          ofLimit("time-zone"),
          ofLimit("sub-window"),
          SettingRow.inFilesOnly("limits", LIMITS, "each has fields of its own"),
          SettingRow.inFilesOnly("everywhere", EVERYWHERE, "names limits of a section of files"),
          SettingRow.of(
              "action",
              NAME,
              "limit",
              "%s (default), unlimited or deny.",
              (b, t) -> b.action(Texts.parseOneOf(t, RuleAction.values()))),
          SettingRow.of(
              "dry-run",
              SWITCH,
              "false",
              "Decide and count, and let everything pass.",
              (b, t) -> b.dryRun(Texts.parseBoolean(t))),
          SettingRow.of(
              "enforce",
              PERCENT,
              "100%",
              "Refuse this part of the identities only (default %s); others as with dry-run.",
              (b, t) -> b.enforce(Texts.parsePermille(t, 0, Enforcement.EVERYBODY))),
          SettingRow.of(
              "warn-at",
              PERCENT,
              null,
              "Tell clients a state, which is WARNING from this part of a limit on.",
              (b, t) -> b.warnAt(Texts.parsePermille(t, 200, 990))),
          SettingRow.of(
              "on-missing-key",
              WHAT,
              "ip",
              "%s (default), shared or refuse.",
              (b, t) -> b.onMissingKey(Texts.parseOneOf(t, OnMissingKey.values()))),
          SettingRow.of(
              "mode",
              WHO,
              "local",
              "Decides: %s (default), this node; exact, the store, for the whole fleet; leased (or"
                  + " auto), the store, which gives a busy sidecar units to use without asking.",
              (b, t) -> b.mode(Mode.parse(t))),
          SettingRow.of(
              "lease-life",
              TIME,
              null,
              "Of mode leased: how long a unit may be kept (default: a tenth of the window, at most"
                  + " 2s).",
              (b, t) -> b.leaseLifeNs(leaseLifeNs(t))),
          SettingRow.of(
              "share",
              WHAT,
              "none",
              "Of mode local: %s (default), or auto to divide the limit by the sidecars that share"
                  + " the store.",
              (b, t) -> b.share(Texts.parseOneOf(t, Share.values()))),
          SettingRow.of(
              "on-store-failure",
              WHAT,
              "local-share",
              "While the store does not decide: %s (default), open or closed.",
              (b, t) -> b.onStoreFailure(Texts.parseOneOf(t, OnStoreFailure.values()))),
          SettingRow.of(
              "idempotency",
              SWITCH,
              "false",
              "Of mode exact: charge no request again whose Idempotency-Key has been granted.",
              (b, t) -> b.idempotency(Texts.parseBoolean(t))),
          SettingRow.inFilesOnly("ban", BAN, "has fields of its own"),
          SettingRow.inFilesOnly("refusal", REFUSAL, "headers and bodies have names of their own"),
          SettingRow.of(
              "priority",
              NUMBER,
              "0",
              "Among rules of one path; of use in files.",
              (b, t) -> b.priority(Texts.parseInt(t, -1_000_000, 1_000_000))));

  /** The fields that can be flags too, by name. */
  static final Map<String, SettingRow<RuleSpec.Builder>> ROWS = SettingRow.byName(ALL);

  private RuleSettingsTable() {}

  private static SettingRow<RuleSpec.Builder> ofLimit(String name) {
    for (SettingRow<BudgetSpec.Fields<?>> row : OF_LIMIT) {
      if (row.name().equals(name)) {
        return row.within(rule -> rule);
      }
    }
    throw new IllegalArgumentException(name);
  }

  private static void setCost(RuleSpec.Builder rule, String text) {
    if (text.equals("messages")) {
      rule.cost(CostSpec.MESSAGES);
      return;
    }
    try {
      rule.cost(cost(text));
    } catch (BadValueException neither) {
      if (Thousandths.isDecimal(text)) {
        throw neither;
      }
      throw new BadValueException(text, neither.expected() + ", or messages");
    }
  }

  private static CostSpec cost(String text) {
    return CostSpec.ofThousandths(thousandths(text, Question.MAX_COST));
  }

  /** The thousandths of a number, which may have decimals. */
  private static long thousandths(String text, long most) {
    return Thousandths.isDecimal(text)
        ? Thousandths.parse(text)
        : Texts.parseLong(text, 1, most) * Thousandths.ONE;
  }

  private static long leaseLifeNs(String text) {
    return Texts.parseNs(text, 1, BudgetSpec.MAX_LEASE_LIFE_NS, "at most 10s");
  }

  private static ZoneId zone(String text) {
    try {
      return ZoneId.of(text);
    } catch (DateTimeException unknown) {
      throw new BadValueException(text, "a time zone such as Europe/Berlin or UTC");
    }
  }

  /** Whether a rule says it of those limits in its list that do not say it themselves. */
  static boolean isInherited(String field) {
    return switch (field) {
      case "key", "cost", "mode", "on-store-failure", "lease-life" -> true;
      default -> false;
    };
  }
}
