package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.JavaCommand;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A process that cannot go on ends, with one line that says why: none is alive and deaf. */
@Timeout(60)
class LoopGuardIT {
  /** What fails. */
  public static final class Failing {
    private Failing() {}

    /** Fails in the way that the argument names, and waits for the end. */
    public static void main(String[] args) throws InterruptedException {
      switch (args[0]) {
        case "loop" -> new LoopGuard(dyingLoop()).hashCode();
        case "memory" -> InternalErrors.caught("a request", new OutOfMemoryError("none is left"));
        default -> {
          EventLoopGroup group = dyingLoop();
          new LoopGuard(group).leave();
          group.terminationFuture().await();
          System.exit(0);
        }
      }
      TimeUnit.SECONDS.sleep(30);
    }

    /** An event loop whose first turn throws an error. */
    private static EventLoopGroup dyingLoop() {
      EventLoopGroup group =
          new MultiThreadIoEventLoopGroup(
              1,
              new IoHandlerFactory() {
                @Override
                public IoHandler newHandler(ThreadAwareExecutor executor) {
                  return (IoHandler)
                      Proxy.newProxyInstance(
                          Failing.class.getClassLoader(),
                          new Class<?>[] {IoHandler.class},
                          (proxy, method, arguments) -> {
                            if (method.getName().equals("run")) {
                              throw new StackOverflowError("of it");
                            }
                            return method.getReturnType() == boolean.class ? false : null;
                          });
                }
              });
      group.next().execute(() -> {});
      return group;
    }
  }

  @ParameterizedTest
  @CsvSource({
    "loop, 3, 'the process ends: an event loop has ended: java.lang.StackOverflowError: of it'",
    "memory, 3, the process ends: no memory is left: java.lang.OutOfMemoryError: none is left",
    "stop, 0,",
  })
  void endsTheProcess(String how, int exitCode, String line) throws Exception {
    List<String> command = JavaCommand.of(Failing.class);
    command.add(how);
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    try {
      List<String> lines = lines(process);
      assertEquals(exitCode, process.waitFor());
      List<String> told = lines.stream().filter(l -> l.contains("process ends")).toList();
      assertEquals(line == null ? 0 : 1, told.size(), () -> String.join("\n", lines));
      if (line != null) {
        assertEquals(line, told.get(0).substring(told.get(0).indexOf("the process")));
      }
    } finally {
      process.destroyForcibly();
    }
  }

  private static List<String> lines(Process process) throws IOException {
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8)
        .lines()
        .toList();
  }
}
