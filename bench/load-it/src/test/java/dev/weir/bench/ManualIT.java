package dev.weir.bench;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import dev.weir.proxy.manual.ManualPage;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The load tool's commands in docs/load.md do what is said of them: here in tenths of seconds. */
@Timeout(120)
class ManualIT {
  private static final ManualPage PAGE = ManualPage.of("docs/load.md");

  @TempDir private Path folder;
  private HttpServer target;

  @BeforeEach
  void serve() throws IOException {
    target = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    target.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    target.start();
  }

  @AfterEach
  void stop() {
    target.stop(0);
  }

  private static List<String> commands(String start) {
    return PAGE.blocks().stream()
        .filter(block -> block.language().equals("sh"))
        .flatMap(block -> block.commands().stream())
        .filter(command -> command.startsWith(start))
        .toList();
  }

  /** Without thresholds of time, which are the machine's. */
  private static String withoutTimes(String text) {
    return text.replaceAll("p99<\\d+ms", "p99<60s");
  }

  /** Runs a command that is shown, shorter, on a target of our own and in a folder of our own. */
  private void run(String shown, String out) throws IOException {
    Path scenario = ManualPage.root().resolve("deploy/examples/load.yaml");
    String address = "127.0.0.1:" + target.getAddress().getPort();
    Files.writeString(
        folder.resolve("load.yaml"),
        withoutTimes(Files.readString(scenario).replace("127.0.0.1:8000", address)));
    List<String> words =
        ManualPage.words(
            withoutTimes(shown)
                .replace("127.0.0.1:8000", address)
                .replace("deploy/examples/load.yaml", folder.resolve("load.yaml").toString())
                .replace("--duration 30s", "--duration 300ms --warm-up 0s")
                .replaceAll("for=\\d+s", "for=100ms")
                .replaceAll("every=\\d+s", "every=50ms")
                .replaceAll(" --out report", ""));
    words = new ArrayList<>(words.subList(2, words.size()));
    words.addAll(List.of("--no-ceiling", "--out", folder.resolve(out).toString()));
    execute(words);
  }

  private static void execute(List<String> words) {
    StringWriter told = new StringWriter();
    CommandLine commandLine = BenchCommandLine.of(new LoadMain());
    commandLine.setOut(new PrintWriter(told));
    commandLine.setErr(new PrintWriter(told));
    int code = commandLine.execute(words.toArray(new String[0]));
    assertEquals(0, code, words + ": " + told);
  }

  @Test
  void everyRunAndTheReportOfTwoOfThem() throws IOException {
    List<String> runs = commands("./weir bench run");
    assertEquals(3, runs.size());
    for (int i = 0; i < runs.size(); i++) {
      run(runs.get(i), i == 0 ? "before" : i == 1 ? "after" : "third");
    }
    List<String> report = ManualPage.words(commands("./weir bench report").get(0));
    assertEquals(List.of("before", "after"), report.subList(3, 5));
    execute(
        List.of(
            "report",
            folder.resolve("before").toString(),
            folder.resolve("after").toString(),
            "--out",
            folder.resolve("both").toString()));
    for (String file : List.of("report.html", "run.json", "run.csv", "run.hlog", "run.hgrm")) {
      assertTrue(Files.exists(folder.resolve("before").resolve(file)), file);
    }
  }
}
