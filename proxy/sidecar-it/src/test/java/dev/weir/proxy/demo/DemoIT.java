package dev.weir.proxy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.cli.WeirCommand;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

@Timeout(180)
class DemoIT {
  @Test
  void finds10Of50PassAndEverythingElseAsTheRulesSay() {
    StringWriter out = new StringWriter();
    CommandLine commandLine = WeirCommand.commandLine();
    commandLine.setOut(new PrintWriter(out));
    int exitCode = commandLine.execute("demo");
    String shown = out.toString();
    assertEquals(0, exitCode, shown);
    assertTrue(shown.contains("HTTP/1.1 429 Too Many Requests"), shown);
    assertTrue(shown.contains("grpc-message: Quota Exceeded: greet"), shown);
    assertTrue(shown.contains("All of it is what the rules say."), shown);
    assertTrue(!shown.contains("WRONG"), shown);
  }
}
