package dev.weir.proxy.rig;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirMain;
import dev.weir.proxy.manual.ManualPage;
import dev.weir.scripts.server.Await;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** {@code weir} in a process of its own: its start line, its ports, its log and its end. */
public final class WeirProcess implements AutoCloseable {
  /** What stands where nothing else is said; a file says it itself. */
  private static final List<String> USUAL =
      List.of(
          "--listen=127.0.0.1:0", "--admin=127.0.0.1:0", "--event-loops=1", "--table.keys=1000");

  private static final Pattern SHIPPED_MEMORY =
      Pattern.compile("-Xm[sx]\\d+m|-XX:MaxDirectMemorySize=\\w+|-XX:\\+\\w+OutOfMemoryError");

  private final Path errors;
  private final Process process;
  private final String startLine;

  private WeirProcess(Path folder, List<String> command) throws IOException {
    errors = folder.resolve("err.txt");
    process =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectError(errors.toFile())
            .start();
    startLine = process.inputReader(StandardCharsets.UTF_8).readLine();
    assertNotNull(startLine, this::log);
  }

  /**
   * Starts {@code weir run}, and returns once it listens.
   *
   * @param folder where it runs, and where its log goes.
   * @param arguments a flag and its value each, with a blank or {@code =} between.
   */
  public static WeirProcess run(Path folder, String... arguments) throws IOException {
    return run(folder, List.of(), List.of(), arguments);
  }

  /**
   * Starts {@code weir run} in a way of its own.
   *
   * @param before what the command begins with, such as another network.
   * @param jvmFlags of its JVM.
   */
  public static WeirProcess run(
      Path folder, List<String> before, List<String> jvmFlags, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(before);
    command.addAll(JavaCommand.of(WeirMain.class, jvmFlags.toArray(String[]::new)));
    command.add("run");
    command.addAll(List.of(arguments));
    if (!command.contains("-c")) {
      USUAL.stream()
          .filter(flag -> Stream.of(arguments).noneMatch(flag.split("=")[0]::equals))
          .filter(
              flag -> Stream.of(arguments).noneMatch(a -> a.startsWith(flag.split("=")[0] + '=')))
          .forEach(command::add);
    }
    return new WeirProcess(folder, command);
  }

  /** What the launcher tells its JVM about memory. */
  public static List<String> shippedMemory() throws IOException {
    String launcher = Files.readString(ManualPage.root().resolve("weir"));
    return SHIPPED_MEMORY.matcher(launcher).results().map(found -> found.group()).toList();
  }

  /** What it said when it was ready. */
  public String startLine() {
    return startLine;
  }

  /** Where it proxies. */
  public InetSocketAddress listenAddress() {
    return address("proxying");
  }

  public InetSocketAddress decisionAddress() {
    return address("deciding at");
  }

  public InetSocketAddress adminAddress() {
    return address("admin");
  }

  private InetSocketAddress address(String what) {
    Matcher port = Pattern.compile(what + " http://127\\.0\\.0\\.1:(\\d+)").matcher(startLine);
    assertTrue(port.find(), startLine);
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(port.group(1)));
  }

  public RawClient connect() throws IOException {
    return new RawClient(listenAddress());
  }

  /** All figures, from its admin port. */
  public String metrics() throws IOException {
    URL page = new URL("http://127.0.0.1:" + adminAddress().getPort() + "/metrics");
    try (InputStream in = page.openStream()) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  public String log() {
    try {
      return Files.readString(errors);
    } catch (IOException unreadable) {
      return unreadable.toString();
    }
  }

  /** Waits until its log has a text. */
  public void awaitLog(String text) {
    Await.until(
        text,
        this::log,
        () -> {
          assertTrue(process.isAlive(), this::log);
          return log().contains(text);
        });
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /**
   * @param name without {@code SIG}.
   */
  public void signal(String name) throws IOException, InterruptedException {
    String pid = Long.toString(process.pid());
    assertEquals(0, new ProcessBuilder("kill", "-" + name, pid).start().waitFor());
  }

  /** Waits for its end, which must have this status. */
  public void assertEnds(int status) throws InterruptedException {
    assertTrue(process.waitFor(60, TimeUnit.SECONDS), "does not end");
    assertEquals(status, process.exitValue(), this::log);
  }

  /** Kills it. */
  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
