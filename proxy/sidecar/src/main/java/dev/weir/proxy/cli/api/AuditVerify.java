package dev.weir.proxy.cli.api;

import dev.weir.proxy.records.AuditVerification;
import dev.weir.proxy.records.file.AuditFolder;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir audit verify}: asks no sidecar. */
@Command(
    name = "verify",
    description = {
      "Checks that no entry of an audit was removed, changed or moved, and names the line.",
      "Prints the newest entry's NUMBER:HASH. Noted elsewhere, it also finds that the end was cut,"
          + " or all was written anew: --head."
    },
    footer = {"", "Exit codes: 0 whole, 1 fault, 2 wrong command line."},
    sortOptions = false)
final class AuditVerify implements Callable<Integer> {
  private static final Pattern HEAD = Pattern.compile("[1-9][0-9]{0,15}:[0-9a-f]{64}");

  @Parameters(
      paramLabel = "PATH",
      description = "A file of weir audit export without conditions, or the folder of records.")
  private Path path;

  @Option(
      names = "--head",
      paramLabel = "NUMBER:HASH",
      description = "An entry that must be there, as an earlier run printed it.")
  private String head;

  @Option(
      names = {"-h", "--help"},
      usageHelp = true,
      description = "Show this help and exit.")
  private boolean isHelp;

  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    AuditVerification verification = new AuditVerification();
    if (head != null) {
      if (!HEAD.matcher(head).matches()) {
        throw new ParameterException(
            spec.commandLine(), "--head: " + head + " (expected: NUMBER:HASH)");
      }
      int colon = head.indexOf(':');
      verification.expect(Long.parseLong(head.substring(0, colon)), head.substring(colon + 1));
    }
    PrintWriter err = spec.commandLine().getErr();
    try {
      read(verification);
    } catch (IOException e) {
      err.println(path + " cannot be read: " + e);
      return ExitCode.FAULT;
    }
    if (!verification.faults().isEmpty()) {
      verification.faults().forEach(err::println);
      return ExitCode.FAULT;
    }
    if (verification.entries() == 0) {
      err.println(path + ": no entries");
      return ExitCode.FAULT;
    }
    spec.commandLine()
        .getOut()
        .println(verification.entries() + " entries are whole; newest " + verification.head());
    return ExitCode.OK;
  }

  private void read(AuditVerification verification) throws IOException {
    if (Files.isDirectory(path)) {
      AuditFolder.verify(path, verification);
      return;
    }
    try (BufferedReader lines = Files.newBufferedReader(path)) {
      long number = 1;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        verification.next(path.getFileName() + ":" + number++, line);
      }
    }
  }
}
