package dev.weir.proxy.wiring;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirMain;
import dev.weir.proxy.rig.JavaCommand;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process that is asked to stop ends, whatever is stuck in it. */
@Timeout(60)
@DisabledOnOs(OS.WINDOWS)
class StopDeadlineIT {
  private static final String LOOPS = "event loops";
  private static final Pattern PORT = Pattern.compile("http://127\\.0\\.0\\.1:([0-9]+) ->");

  /** A sidecar in which threads wait without end as soon as they write to the log. */
  public static final class Stuck {
    private Stuck() {}

    /** The first argument says which threads; the others are those of the sidecar. */
    public static void main(String[] args) {
      boolean isOfLoops = args[0].equals(LOOPS);
      System.setErr(
          new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8) {
            private volatile boolean isStuck;

            @Override
            public void write(byte[] bytes, int offset, int length) {
              String line = new String(bytes, offset, length, StandardCharsets.UTF_8);
              isStuck |= line.contains("SIGTERM");
              if (isOfLoops ? Thread.currentThread().getName().startsWith("weir-loop") : isStuck) {
                sleep();
              }
              super.write(bytes, offset, length);
            }
          });
      WeirMain.main(Arrays.copyOfRange(args, 1, args.length));
    }

    private static void sleep() {
      try {
        TimeUnit.HOURS.sleep(1);
      } catch (InterruptedException stop) {
        Thread.currentThread().interrupt();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {LOOPS, "the log"})
  void endsThoughSomethingIsStuck(String stuck) throws Exception {
    List<String> command = JavaCommand.of(Stuck.class);
    command.addAll(List.of(stuck, "run", "--upstream=http://127.0.0.1:1", "--listen=127.0.0.1:0"));
    command.addAll(List.of("--timeouts.drain=100ms", "--event-loops=1", "--table.keys=1000"));
    Process process = new ProcessBuilder(command).start();
    try (BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
        BufferedReader err = process.errorReader(StandardCharsets.UTF_8)) {
      Matcher port = PORT.matcher(out.readLine());
      assertTrue(port.find());
      try (Socket client =
          new Socket(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)))) {
        if (stuck.equals(LOOPS)) {
          // The event loop tells that the service is away.
          byte[] request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
          client.getOutputStream().write(request);
          String told = err.readLine();
          while (!told.contains("has not turned")) {
            told = err.readLine();
          }
        }
        process.toHandle().destroy(); // and not its streams
        assertTrue(process.waitFor(30, TimeUnit.SECONDS), "it has not ended");
        List<String> lines = err.lines().toList();
        assertEquals(3, process.exitValue(), () -> String.join("\n", lines));
        List<String> errors = lines.stream().filter(line -> line.contains("ERROR")).toList();
        assertEquals(stuck.equals(LOOPS) ? 1 : 0, errors.size(), errors::toString);
        if (!errors.isEmpty()) {
          String line = errors.get(0);
          assertTrue(line.endsWith("the process ends: it has not stopped in 3100 ms"), line);
        }
      }
    } finally {
      process.destroyForcibly();
    }
  }
}
