package dev.weir.proxy;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How tests start a process of what they test: by the JVM that they run in, with its class path.
 * Such a process lives too short for the second compiler to be worth its time.
 */
public final class JavaCommand {
  private JavaCommand() {}

  /**
   * The command, to which the arguments of {@code main} may be added.
   *
   * @param jvmFlags beside those that every JVM needs.
   */
  public static List<String> of(Class<?> main, String... jvmFlags) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-XX:TieredStopAtLevel=1");
    command.addAll(List.of(jvmFlags));
    command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    return command;
  }
}
