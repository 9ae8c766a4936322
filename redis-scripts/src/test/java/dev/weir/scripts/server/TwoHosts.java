package dev.weir.scripts.server;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Two hosts on one machine, a client's and a server's, with a wire between them that can be cut:
 * network namespaces, whose addresses nobody else can reach. Files and Unix sockets are the
 * machine's.
 */
public final class TwoHosts implements AutoCloseable {
  /** The server's address, which only the client's host reaches. */
  public static final String SERVER_ADDRESS = "10.231.0.2";

  private static final String CLIENT_ADDRESS = "10.231.0.1";
  private static final String PREFIX = "/30";
  private static final String NETWORK = "10.231.0.0/30";
  private static final AtomicInteger COUNT = new AtomicInteger();

  private final String client;
  private final String server;
  private final String clientWire;
  private final String serverWire;

  private TwoHosts() {
    final String name = ProcessHandle.current().pid() + "-" + COUNT.incrementAndGet();
    client = "weir-" + name + "c";
    server = "weir-" + name + "s";
    // A device's name has 15 characters at most.
    clientWire = "wc" + name;
    serverWire = "ws" + name;
  }

  /** Makes them; aborts the calling test where this process may not. */
  public static TwoHosts make() throws IOException {
    final TwoHosts hosts = new TwoHosts();
    String fault;
    try {
      fault = tryRun("ip", "netns", "add", hosts.client);
    } catch (IOException noSuchProgram) {
      fault = noSuchProgram.getMessage();
    }
    assumeTrue(fault == null, "no network namespaces: " + fault);
    Runtime.getRuntime().addShutdownHook(new Thread(hosts::close, "end-hosts"));
    try {
      hosts.connect();
    } catch (IOException | RuntimeException e) {
      hosts.close();
      throw e;
    }
    return hosts;
  }

  private void connect() throws IOException {
    run("ip", "netns", "add", server);
    run("ip", "-n", client, "link", "add", clientWire, "type", "veth", "peer", serverWire);
    run("ip", "-n", client, "link", "set", serverWire, "netns", server);
    run("ip", "-n", client, "addr", "add", CLIENT_ADDRESS + PREFIX, "dev", clientWire);
    run("ip", "-n", server, "addr", "add", SERVER_ADDRESS + PREFIX, "dev", serverWire);
    run("ip", "-n", client, "link", "set", clientWire, "up");
    run("ip", "-n", server, "link", "set", serverWire, "up");
  }

  /** The beginning of a command on the client's host. */
  public List<String> onClient() {
    return List.of("ip", "netns", "exec", client);
  }

  /** The beginning of a command on the server's host. */
  public List<String> onServer() {
    return List.of("ip", "netns", "exec", server);
  }

  /** Whatever either sends is lost, and nobody is told. */
  public void cutWire() throws IOException {
    run("ip", "-n", server, "link", "set", serverWire, "down");
  }

  public void mendWire() throws IOException {
    run("ip", "-n", server, "link", "set", serverWire, "up");
  }

  /** Cuts the way back: the client's bytes arrive, and no answer returns. */
  public void loseAnswers() throws IOException {
    run("ip", "-n", server, "route", "del", NETWORK);
  }

  public void passAnswers() throws IOException {
    run("ip", "-n", server, "route", "add", NETWORK, "dev", serverWire, "src", SERVER_ADDRESS);
  }

  /** The client knows no way to the server: who connects is told at once. */
  public void forgetRoute() throws IOException {
    run("ip", "-n", client, "route", "del", NETWORK);
  }

  public void learnRoute() throws IOException {
    run("ip", "-n", client, "route", "add", NETWORK, "dev", clientWire, "src", CLIENT_ADDRESS);
  }

  private static void run(String... command) throws IOException {
    final String fault = tryRun(command);
    if (fault != null) {
      throw new IOException(String.join(" ", command) + ": " + fault);
    }
  }

  /** The output of a command that fails; null if it does not. */
  private static String tryRun(String... command) throws IOException {
    final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    final String text =
        new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
    return process.onExit().join().exitValue() == 0 ? null : text;
  }

  /** Takes both away, and the wire with them. What runs there must have ended. */
  @Override
  public void close() {
    try {
      tryRun("ip", "netns", "del", client);
      tryRun("ip", "netns", "del", server);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
