package dev.weir.bench.decision;

import dev.weir.bench.process.Cores;
import dev.weir.bench.process.ServerProcess;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A server of gRPC that answers calls, on one thread. */
interface CallServer {
  String name();

  Set<Ask> asks();

  /**
   * Name and version, one line.
   *
   * @throws IOException with the reason, if it cannot be had on this machine.
   */
  String version() throws IOException;

  /**
   * Writes the files that it needs, and says what is to be started.
   *
   * @param folder of its own, there and empty.
   * @param port of 127.0.0.1 on which it shall listen.
   */
  List<String> command(Path folder, int port) throws IOException;

  default ServerProcess start(Path folder, int port, Cores cores) throws IOException {
    return ServerProcess.start(
        name(), cores.onServerCore(command(folder, port)), folder.resolve("log"), port);
  }

  /** A class of ours as a server in a JVM of its own, with the flags that a sidecar has. */
  static final class JavaServer {
    private JavaServer() {}

    static List<String> command(Class<?> main, Object... arguments) {
      final List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      // In the manifest of the jar of this JVM, which does not count on a class path.
      command.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
      command.add("--enable-native-access=ALL-UNNAMED");
      // The launcher started this JVM with the options that the server needs too.
      for (String option : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
        if (option.startsWith("--sun-misc-unsafe-memory-access")
            || option.startsWith("-Dagrona.")) {
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
}
