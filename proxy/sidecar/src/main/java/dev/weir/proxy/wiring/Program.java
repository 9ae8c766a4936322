package dev.weir.proxy.wiring;

import java.io.PrintWriter;

/**
 * The process as its caller sees it: exit codes and version. A process that cannot answer any more
 * ends with {@link dev.weir.proxy.loop.InternalErrors#EXIT_CODE}.
 */
public final class Program {
  /** The exit code of a successful command. */
  public static final int OK = 0;

  /** Exit code for what should not have happened. */
  public static final int FAILED = 1;

  /** Exit code for wrong flags, files or addresses, which the caller can put right. */
  public static final int WRONG = 2;

  private Program() {}

  /** This version of Weir, and the Java that runs it. */
  public static String version() {
    String version = Program.class.getPackage().getImplementationVersion();
    String java = System.getProperty("java.runtime.version");
    return "weir " + (version == null ? "(not packaged)" : version) + ", Java " + java;
  }

  /** Says where the flags are listed: the whole list would push the faults off the screen. */
  public static void pointToHelp(PrintWriter err, String command) {
    err.println("See: " + command + " --help for what there is.");
  }
}
