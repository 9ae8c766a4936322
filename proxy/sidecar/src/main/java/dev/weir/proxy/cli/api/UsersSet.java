package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.BadRecordException;
import dev.weir.proxy.records.JsonText;
import dev.weir.proxy.records.UserOverride;
import dev.weir.proxy.records.UserRecord;
import dev.weir.proxy.rule.spec.Amount;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.DurationText;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir users set}. */
@Command(
    name = "set",
    description = {
      "Changes what the directory keeps of a user; what is not named stays.",
      "With --until it is an override: it ends by itself, and what was before holds again."
    },
    sortOptions = false,
    footer = {
      "",
      "  weir users set ann --tier premium",
      "  weir users set ann --limit rpm=600/1m --limit running=20",
      "  weir users set ann --factor 2 --until 24h --reason 'launch day'"
    })
final class UsersSet extends UserCommand {
  @Option(names = "--tier", paramLabel = "NAME", description = "The user's tier.")
  private String tier;

  @Option(names = "--no-tier", description = "No tier: that of the token, header or rules.")
  private boolean isWithoutTier;

  @Option(
      names = "--limit",
      paramLabel = "NAME=AMOUNT",
      description = "A limit of the user's own, such as rpm=600/1m, running=20, daily=unlimited.")
  private Map<String, String> limits = Map.of();

  @Option(names = "--burst", paramLabel = "NAME=N", description = "The burst of such a limit.")
  private Map<String, String> bursts = Map.of();

  @Option(names = "--no-limit", paramLabel = "NAME", description = "No own limit of that name.")
  private List<String> noLimits = List.of();

  @Option(names = "--factor", paramLabel = "N", description = "N times all limits; with --until.")
  private BigDecimal factor;

  @Option(
      names = "--until",
      paramLabel = "TIME",
      description = "2026-11-24T18:00:00Z, or how long from now: 24h; a year at most.")
  private String until;

  @Option(names = "--no-override", description = "Ends the override.")
  private boolean isWithoutOverride;

  @Option(
      names = "--reason",
      paramLabel = "TEXT",
      description = "For the audit; and why there is an override.")
  private String reason;

  @Override
  int run(Api api) throws ApiFault {
    check();
    Api.Reply present = api.get(path()).sendForAny();
    UserRecord record = present == null ? UserRecord.EMPTY : record(present);
    UserRecord changed = until == null ? changed(record) : record.withOverride(override());
    if (isWithoutOverride) {
      changed = changed.withOverride(null);
    }
    Api.Reply written =
        api.put(path())
            .expecting(present == null ? null : present.etag())
            .because(reason)
            .json(changed.toJson())
            .send();
    printUser(written);
    return ExitCode.OK;
  }

  private void check() throws ApiFault {
    boolean isAny =
        tier != null
            || isWithoutTier
            || !limits.isEmpty()
            || !noLimits.isEmpty()
            || until != null
            || isWithoutOverride;
    if (!isAny) {
      throw usage("nothing to set (expected: --tier, --limit, --until, --no-...)");
    }
    if (factor != null && until == null) {
      throw usage("--factor: without --until (expected: both; a factor ends by itself)");
    }
    if (until != null && (isWithoutTier || isWithoutOverride || !noLimits.isEmpty())) {
      throw usage("--until: beside --no-... (expected: --tier, --limit or --factor)");
    }
    for (String name : bursts.keySet()) {
      if (!limits.containsKey(name)) {
        throw usage("--burst: " + name + " (expected: a name of --limit)");
      }
    }
  }

  private static ApiFault usage(String message) {
    return new ApiFault(ExitCode.USAGE, message);
  }

  private UserRecord changed(UserRecord record) throws ApiFault {
    UserRecord changed = record;
    if (tier != null || isWithoutTier) {
      changed = changed.withTier(tier);
    }
    for (Map.Entry<String, Amount> limit : amounts().entrySet()) {
      changed = changed.withLimit(limit.getKey(), limit.getValue());
    }
    for (String name : noLimits) {
      changed = changed.withLimit(name, null);
    }
    return changed;
  }

  private Map<String, Amount> amounts() throws ApiFault {
    Map<String, Amount> amounts = new LinkedHashMap<>();
    for (Map.Entry<String, String> limit : limits.entrySet()) {
      String burst = bursts.get(limit.getKey());
      try {
        Amount amount = Amount.parse(limit.getValue());
        amounts.put(limit.getKey(), burst == null ? amount : amount.withBurst(burst));
      } catch (BadValueException bad) {
        throw usage(
            "--limit "
                + limit.getKey()
                + ": "
                + bad.value()
                + " (expected: "
                + bad.expected()
                + ")");
      }
    }
    return amounts;
  }

  private UserOverride override() throws ApiFault {
    Instant now = Instant.now();
    Map<String, Object> json = new LinkedHashMap<>();
    json.put("until", time(now).toString());
    json.put("reason", reason);
    json.put("tier", tier);
    json.put("factor", factor);
    Map<String, Object> own = new LinkedHashMap<>();
    amounts().forEach((name, amount) -> own.put(name, UserRecord.json(amount)));
    json.put("limits", own.isEmpty() ? null : own);
    json.values().removeIf(value -> value == null);
    try {
      return UserRecord.parse(JsonText.write(Map.of("override", json)), now).override();
    } catch (BadRecordException bad) {
      throw usage(
          bad.faults().stream()
              .map(fault -> fault.toString().replaceFirst("^/override(/|: )", "--"))
              .collect(Collectors.joining("\n")));
    }
  }

  private Instant time(Instant now) throws ApiFault {
    try {
      return until.contains("T")
          ? OffsetDateTime.parse(until).toInstant()
          : now.truncatedTo(ChronoUnit.SECONDS).plusNanos(DurationText.parseNs(until));
    } catch (DateTimeException | BadValueException none) {
      throw usage("--until: " + until + " (expected: 2026-11-24T18:00:00Z, or 24h)");
    }
  }
}
