package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir audit}. */
@Command(
    name = "audit",
    description = "Who changed what, when and why.",
    subcommands = {AuditList.class, AuditExport.class, AuditVerify.class},
    synopsisSubcommandLabel = "COMMAND")
public final class AuditCommand extends GroupCommand {}
