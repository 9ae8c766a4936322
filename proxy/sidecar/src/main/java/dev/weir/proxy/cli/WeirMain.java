package dev.weir.proxy.cli;

import dev.weir.proxy.demo.Demo;
import dev.weir.proxy.log.LogProvider;
import dev.weir.proxy.wiring.Program;
import dev.weir.proxy.wiring.Run;
import dev.weir.proxy.wiring.RunArguments;
import io.netty.util.ResourceLeakDetector;
import java.io.PrintWriter;

/**
 * The beginning and end of the process. The answer of a command goes to standard output, everything
 * else to standard error.
 */
public final class WeirMain {
  private WeirMain() {}

  /** Starts a command and, when it is done, ends the process. */
  public static void main(String[] args) {
    // Found by name, without a look into every jar and module for others.
    System.setProperty("slf4j.provider", LogProvider.class.getName());
    System.setProperty("slf4j.internal.verbosity", "WARN"); // it would tell of the name
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // It watches one buffer in 128, and allocates for it; the tests watch every one.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    int exitCode = Program.FAILED;
    try {
      exitCode = execute(args);
    } catch (Throwable unexpected) {
      // The JVM would print it too, but not end the process: event loops may still run.
      unexpected.printStackTrace();
    }
    System.exit(exitCode);
  }

  /** Runs a command; a plain {@code run} does so without picocli, which is a tenth of a start. */
  private static int execute(String[] args) throws Exception {
    PrintWriter out = new PrintWriter(System.out);
    PrintWriter err = new PrintWriter(System.err, true);
    if (args.length == 1 && args[0].equals("demo")) {
      return Demo.run(out, err, false);
    }
    if (args.length == 1 && args[0].equals("train")) {
      return new Train(out, err).run();
    }
    RunArguments plain = PlainArguments.read(args);
    return plain != null ? new Run(out, err).run(plain) : WeirCommand.commandLine().execute(args);
  }
}
