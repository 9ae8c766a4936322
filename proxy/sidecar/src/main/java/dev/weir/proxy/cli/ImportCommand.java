package dev.weir.proxy.cli;

import dev.weir.algorithms.Limit;
import dev.weir.proxy.control.Faults;
import dev.weir.proxy.envoy.file.ConfigurationFolder;
import dev.weir.proxy.envoy.file.RateLimitConfiguration;
import dev.weir.proxy.envoy.importer.RuleImport;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.rule.spec.KeyPart;
import dev.weir.proxy.wiring.Program;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir import}. */
@Command(
    name = "import",
    description = "Turns the files of another limiter into rules, and says what it could not turn.",
    subcommands = ImportCommand.Ratelimit.class,
    mixinStandardHelpOptions = true,
    versionProvider = WeirCommand.Version.class,
    synopsisSubcommandLabel = "LIMITER")
public final class ImportCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(
        spec.commandLine(), "Missing limiter (expected: ratelimit, of envoyproxy)");
  }

  /** {@code weir import ratelimit}. */
  @Command(
      name = "ratelimit",
      description = {
        "Reads the files of envoyproxy/ratelimit in a folder, and writes rules for a settings file.",
        "What could not be turned is told on standard error, each with its reason."
      },
      mixinStandardHelpOptions = true,
      versionProvider = WeirCommand.Version.class)
  static final class Ratelimit implements Callable<Integer> {
    /** Names of domains that are told where one is expected. */
    private static final int MAX_SHOWN = 20;

    @Spec private CommandSpec spec;

    @Parameters(paramLabel = "FOLDER", description = "With its files, *.yaml and *.yml.")
    private Path folder;

    @Option(
        names = "--entry",
        paramLabel = "KEY=SOURCE",
        description = {
          "What Envoy takes an entry from: ip, header:NAME, cookie:NAME, query:NAME, path or method.",
          "Known without it: remote_address, path and method."
        })
    private List<String> entries = List.of();

    @Option(
        names = "--domain",
        paramLabel = "NAME",
        description = "The domain to turn; not needed where the files have one.")
    private String domain;

    @Option(names = "--merge-domains", description = "Several files may have one domain.")
    private boolean mergesDomains;

    @Override
    public Integer call() {
      PrintWriter err = spec.commandLine().getErr();
      Map<String, String> sources = sources();
      List<Faults> faults = new ArrayList<>();
      RateLimitConfiguration read =
          new ConfigurationFolder(folder, mergesDomains, true, Limit.MAX_CELL_COUNT, 0)
              .read(faults);
      if (read == null) {
        faults.forEach(of -> of.all().forEach(err::println));
        return Program.WRONG;
      }
      RuleImport turned = RuleImport.of(read, domain(read.domainNames()), sources);
      turned.unturned().forEach(one -> err.println("not turned: " + one));
      if (!turned.faults().isEmpty()) {
        turned.faults().forEach(err::println);
        err.println("nothing written, as no settings file can have these rules");
        return Program.WRONG;
      }
      spec.commandLine().getOut().print(turned.yaml());
      spec.commandLine().getOut().flush();
      turned.notes().forEach(one -> err.println("note: " + one));
      err.println(
          turned.ruleCount()
              + (turned.ruleCount() == 1 ? " rule, " : " rules, ")
              + turned.unturned().size()
              + " not turned. A refused hit takes nothing of a rule; of such a file it does. Of the"
              + " rules that match a request one decides; of such a file all do that it asks for.");
      return Program.OK;
    }

    /** The domain that is to be turned, one of those that the files have. */
    private String domain(List<String> names) {
      String name = domain == null && names.size() == 1 ? names.get(0) : domain;
      if (name == null || !names.contains(name)) {
        String wanted = names.size() <= MAX_SHOWN ? "one of " : "one of " + names.size() + ": ";
        String shown = String.join(", ", names.subList(0, Math.min(names.size(), MAX_SHOWN)));
        String given = name == null ? "missing" : Faults.printable(name);
        String expected = wanted + Faults.printable(shown);
        throw new ParameterException(
            spec.commandLine(), "--domain " + given + " (expected: " + expected + ")");
      }
      return name;
    }

    private Map<String, String> sources() {
      Map<String, String> sources = new LinkedHashMap<>();
      for (String entry : entries) {
        int equals = entry.indexOf('=');
        if (equals <= 0) {
          throw bad(entry, "KEY=SOURCE");
        }
        String source = entry.substring(equals + 1);
        checkSource(entry, source);
        if (sources.putIfAbsent(entry.substring(0, equals), source) != null) {
          throw bad(entry, "one source of each key");
        }
      }
      return sources;
    }

    private void checkSource(String entry, String source) {
      if (source.equals("path") || source.equals("method")) {
        return;
      }
      try {
        KeyPart.parse(source);
      } catch (BadValueException bad) {
        throw bad(entry, "path, method, " + bad.expected());
      }
    }

    private ParameterException bad(String entry, String expected) {
      return new ParameterException(
          spec.commandLine(), "--entry " + entry + " (expected: " + expected + ")");
    }
  }
}
