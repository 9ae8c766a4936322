package dev.weir.proxy.cli.api;

import picocli.CommandLine.Command;

/** {@code weir users}. */
@Command(
    name = "users",
    description = "Plans, limits and overrides of users, in the store of records.",
    subcommands = {
      UsersGet.class,
      UsersSet.class,
      UsersDelete.class,
      UsersLimits.class,
      UsersList.class,
      UsersImport.class,
      UsersExport.class,
      UsersBan.class,
      UsersUnban.class,
      UsersReset.class
    },
    synopsisSubcommandLabel = "COMMAND")
public final class UsersCommand extends GroupCommand {}
