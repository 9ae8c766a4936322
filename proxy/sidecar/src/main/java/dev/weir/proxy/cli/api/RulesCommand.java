package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir rules}. */
@Command(
    name = "rules",
    description = "The set of rules that a fleet shares, in the store of records.",
    subcommands = {
      RulesDiff.class,
      RulesPush.class,
      RulesPull.class,
      RulesLog.class,
      RulesRevert.class
    },
    synopsisSubcommandLabel = "COMMAND")
public final class RulesCommand extends GroupCommand {}
