import com.sun.jdi.Bootstrap;
import com.sun.jdi.StackFrame;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.AttachingConnector;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which classes of ours one request touches, and how deep our frames lie on the stack: the figures
 * of "What one request touches" in bench/results/seams.md.
 *
 * <pre>java --add-modules jdk.jdi bench/scripts/RequestPath.java proxy/sidecar/target/weir.jar</pre>
 *
 * <p>A sidecar is started with one event loop on epoll and a debugger's agent. After five requests
 * over one connection the sixth is recorded: the debugger stops at the entry of every method of
 * {@code dev.weir} and looks at the stack. Stacks that begin at a timer, a deadline or a start are
 * no request's and are left out. A verdict is acted on where the connection to the service is
 * asked to send, or the refusal is written. With {@code -v} classes, packages and the deepest stack
 * are listed.
 *
 * <p>The way changes package wherever a method is entered in another package than the one before. A
 * package is returned to if it was entered before and left. Both are told of the whole request, and
 * of the answer of the store apart: what is entered below {@code store.BatchCall}.
 */
public final class RequestPath {
  private static final String OURS = "dev.weir.";
  private static final String READY = "EpollInterest$Handler.run";
  private static final Pattern ACTED_ON =
      Pattern.compile("\\.upstream\\.UpstreamConnection\\.|\\.downstream\\.answer\\.RefusalWriter\\.");
  private static final Pattern PORT = Pattern.compile("proxying http://127\\.0\\.0\\.1:([0-9]+)");
  private static final Pattern LENGTH = Pattern.compile("(?i)content-length: ([0-9]+)");

  private final Set<String> classes = new TreeSet<>();
  private final List<String> packages = new ArrayList<>();
  private final List<String> answerPackages = new ArrayList<>();
  private List<String> deepest = List.of();
  private int verdictFrames;

  /** Takes the jar and, if wanted, {@code -v}. */
  public static void main(String[] args) throws Exception {
    boolean verbose = args.length > 1 && args[1].equals("-v");
    Process redis =
        new ProcessBuilder("redis-server", "--port", "7459", "--save", "", "--bind", "127.0.0.1")
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      List<String> exact = List.of("--mode", "exact", "--redis.nodes", "127.0.0.1:7459");
      String[] names = {"local, passed", "local, refused", "exact, passed"};
      String[] limits = {"1000/1s", "3/1h", "1000/1s"};
      for (int i = 0; i < names.length; i++) {
        List<String> flags = new ArrayList<>(List.of("--limit", limits[i]));
        flags.addAll(i < 2 ? List.of() : exact);
        RequestPath path = new RequestPath();
        String status = path.record(args[0], flags);
        System.out.printf(
            "%-15s %-32s frames %2d, where the verdict is acted on %2d, classes %2d,"
                + " changes of package %2d, returns %2d, in a store's answer %2d and %2d%n",
            names[i],
            status,
            path.deepest.size(),
            path.verdictFrames,
            path.classes.size(),
            path.packages.size() - 1,
            returns(path.packages),
            Math.max(0, path.answerPackages.size() - 1),
            returns(path.answerPackages));
        if (verbose) {
          path.deepest.forEach(frame -> System.out.println("    " + frame));
          System.out.println("    " + String.join(" ", path.classes));
          System.out.println("    " + String.join(" ", path.packages));
          System.out.println("    " + String.join(" ", path.answerPackages));
        }
      }
    } finally {
      redis.destroy();
    }
    System.exit(0);
  }

  private String record(String jar, List<String> flags) throws Exception {
    int debugPort;
    try (ServerSocket free = new ServerSocket(0)) {
      debugPort = free.getLocalPort();
    }
    try (ServerSocket service = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      daemon(() -> serve(service.accept()));
      List<String> command = new ArrayList<>();
      command.add(System.getProperty("java.home") + "/bin/java");
      command.add(
          "-agentlib:jdwp=transport=dt_socket,server=y,suspend=n,quiet=y,address=127.0.0.1:"
              + debugPort);
      command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
      command.addAll(List.of("-jar", jar, "run", "--key", "header:x-user-id"));
      command.addAll(List.of("--upstream", "http://127.0.0.1:" + service.getLocalPort()));
      command.addAll(List.of("--listen", "127.0.0.1:0", "--admin", "off", "--transport", "epoll"));
      command.addAll(List.of("--event-loops", "1", "--timeouts.upstream-idle", "1h"));
      command.addAll(flags);
      if (flags.contains("exact")) {
        command.addAll(List.of("--redis.deadline", "1s"));
      }
      Process weir =
          new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.DISCARD).start();
      try {
        Matcher started = PORT.matcher(weir.inputReader().readLine());
        started.find();
        return recordRequest(Integer.parseInt(started.group(1)), debugPort);
      } finally {
        weir.destroyForcibly().waitFor();
      }
    }
  }

  private String recordRequest(int port, int debugPort) throws Exception {
    try (Socket client = new Socket("127.0.0.1", port)) {
      for (int i = 0; i < 5; i++) {
        ask(client);
      }
      VirtualMachine sidecar = attach(debugPort);
      MethodEntryRequest entries = sidecar.eventRequestManager().createMethodEntryRequest();
      entries.addClassFilter(OURS + "*");
      entries.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
      entries.enable();
      daemon(() -> follow(sidecar));
      String status = ask(client);
      // What the event loop still does once the answer is sent.
      client.setSoTimeout(1000);
      try {
        client.getInputStream().read();
      } catch (SocketTimeoutException quiet) {
        // The connection stays open.
      }
      synchronized (this) {
        return status;
      }
    }
  }

  private static VirtualMachine attach(int port) throws Exception {
    AttachingConnector connector =
        Bootstrap.virtualMachineManager().attachingConnectors().stream()
            .filter(candidate -> candidate.name().equals("com.sun.jdi.SocketAttach"))
            .findFirst()
            .orElseThrow();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("hostname").setValue("127.0.0.1");
    arguments.get("port").setValue(Integer.toString(port));
    return connector.attach(arguments);
  }

  private void follow(VirtualMachine sidecar) throws Exception {
    EventSet events = sidecar.eventQueue().remove();
    for (Event event : events) {
      if (event instanceof MethodEntryEvent entry) {
        look(entry.thread());
      }
    }
    events.resume();
  }

  private synchronized void look(ThreadReference thread) throws Exception {
    List<String> frames = new ArrayList<>();
    for (StackFrame frame : thread.frames()) {
      String type = frame.location().declaringType().name();
      if (type.startsWith(OURS)) {
        frames.add(type.substring(OURS.length()) + "." + frame.location().method().name());
      }
    }
    if (frames.get(frames.size() - 1).endsWith(READY)) {
      frames.forEach(frame -> classes.add(frame.substring(0, frame.lastIndexOf('.'))));
      deepest = frames.size() > deepest.size() ? frames : deepest;
      enter(packages, frames.get(0));
      if (frames.stream().anyMatch(frame -> frame.contains(".store.BatchCall."))) {
        enter(answerPackages, frames.get(0));
      }
      if (ACTED_ON.matcher(frames.get(0)).find()) {
        verdictFrames = Math.max(verdictFrames, frames.size());
      }
    }
  }

  private static void enter(List<String> way, String frame) {
    String type = frame.substring(0, frame.lastIndexOf('.'));
    String name = type.substring(0, type.lastIndexOf('.'));
    if (way.isEmpty() || !way.get(way.size() - 1).equals(name)) {
      way.add(name);
    }
  }

  /** How often a package is entered again that had been left. */
  private static int returns(List<String> way) {
    return way.size() - (int) way.stream().distinct().count();
  }

  private static String ask(Socket client) throws IOException {
    client
        .getOutputStream()
        .write(ascii("GET /a HTTP/1.1\r\nHost: a\r\nX-User-Id: 7\r\n\r\n"));
    StringBuilder answer = new StringBuilder();
    while (true) {
      answer.append((char) read(client.getInputStream()));
      int end = answer.indexOf("\r\n\r\n");
      Matcher length = LENGTH.matcher(answer);
      if (end >= 0 && length.find() && answer.length() == end + 4 + number(length)) {
        return answer.substring(0, answer.indexOf("\r\n"));
      }
    }
  }

  private static int number(Matcher matcher) {
    return Integer.parseInt(matcher.group(1));
  }

  private static void serve(Socket sidecar) {
    daemon(
        () -> {
          StringBuilder head = new StringBuilder();
          while (!head.toString().endsWith("\r\n\r\n")) {
            head.append((char) read(sidecar.getInputStream()));
          }
          sidecar
              .getOutputStream()
              .write(ascii("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
        });
  }

  private static int read(InputStream in) throws IOException {
    int next = in.read();
    if (next < 0) {
      throw new EOFException();
    }
    return next;
  }

  private static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /** A step that is repeated until it fails: what it reads from is closed in the end. */
  private interface Step {
    void run() throws Exception;
  }

  private static void daemon(Step step) {
    Thread thread =
        new Thread(
            () -> {
              try {
                while (true) {
                  step.run();
                }
              } catch (Exception closed) {
                // The socket or the process at the other end has gone.
              }
            });
    thread.setDaemon(true);
    thread.start();
  }
}
