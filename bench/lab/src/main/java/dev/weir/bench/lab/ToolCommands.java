package dev.weir.bench.lab;

import java.util.Arrays;
import picocli.CommandLine.Command;

/**
 * JMH and jcstress, which read their own arguments: whatever follows their name is theirs, {@code
 * --help} too, so they are run before anything else looks at it. The commands here only stand in
 * the list of {@code weir bench --help}.
 */
final class ToolCommands {
  private static final String JMH = "jmh";
  private static final String JCSTRESS = "jcstress";

  private ToolCommands() {}

  static boolean isTool(String name) {
    return name.equals(JMH) || name.equals(JCSTRESS);
  }

  static void run(String name, String[] own) throws Exception {
    // In the manifest of this jar, which is only a part of the class path of the JVMs they start.
    final String[] args = Arrays.copyOf(own, own.length + 2);
    args[own.length] = "-jvmArgsPrepend";
    args[own.length + 1] = "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED";
    if (name.equals(JMH)) {
      org.openjdk.jmh.Main.main(args);
    } else {
      org.openjdk.jcstress.Main.main(args);
    }
  }

  @Command(
      name = JMH,
      description = "How long does it take? All arguments are JMH's (-h lists them).")
  static final class Jmh {}

  @Command(
      name = JCSTRESS,
      description = "Does it stay right on many threads? All arguments are jcstress's.")
  static final class Jcstress {}
}
