package dev.weir.bench.decision;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A class of ours as a server in a JVM of its own, with the flags that a sidecar has. */
final class JavaServer {
  private JavaServer() {}

  static List<String> command(Class<?> main, Object... arguments) {
    final List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    // In the manifest of the jar of this JVM, which does not count on a class path.
    command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
    command.add("--enable-native-access=ALL-UNNAMED");
    // Those of the launcher, which has started this JVM.
    for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
      if (option.startsWith("--sun-misc-unsafe-memory-access") || option.startsWith("-Dagrona.")) {
        command.add(option);
      }
    }
    command.addAll(List.of("-XX:+UseSerialGC", "-Xms64m", "-Xmx256m"));
    command.addAll(List.of("-cp", ManagementFactory.getRuntimeMXBean().getClassPath()));
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }
}
