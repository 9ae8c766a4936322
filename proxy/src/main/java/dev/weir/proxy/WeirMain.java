package dev.weir.proxy;

import io.netty.util.ResourceLeakDetector;
import java.io.PrintWriter;

/**
 * Where the process begins and ends. What a command answers goes to standard output, everything
 * else to standard error.
 *
 * <p>Exit codes: {@link #OK}, {@link #FAILED} for what should not have happened, {@link #WRONG} for
 * what was asked in a wrong way and can be put right.
 */
public final class WeirMain {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int WRONG = 2;

  private WeirMain() {}

  /** Starts a command and, when it is done, ends the process. */
  public static void main(String[] args) {
    if (System.getProperty("io.netty.leakDetection.level") == null) {
      // It watches one buffer in 128, and allocates for it; the tests watch every one.
      ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }
    int exitCode = FAILED;
    try {
      // Of what a start of a sidecar takes, the library that reads all command lines is a tenth.
      RunArguments plain = PlainArguments.read(args);
      exitCode =
          plain == null
              ? WeirCommand.commandLine().execute(args)
              : new Run(new PrintWriter(System.out), new PrintWriter(System.err, true)).run(plain);
    } catch (Throwable unexpected) {
      // The JVM would print it too, but not end the process: event loops may still run.
      unexpected.printStackTrace();
    }
    System.exit(exitCode);
  }

  /** This version of Weir, and the Java that runs it. */
  static String version() {
    String version = WeirMain.class.getPackage().getImplementationVersion();
    return "weir " + (version == null ? "(not packaged)" : version) + ", Java " + Runtime.version();
  }

  /** Says where the flags are listed: the whole list would push the faults off the screen. */
  static void pointToHelp(PrintWriter err, String command) {
    err.println("See: " + command + " --help for what there is.");
  }
}
