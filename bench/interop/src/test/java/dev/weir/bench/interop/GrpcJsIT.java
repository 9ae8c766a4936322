package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.Any;
import com.google.rpc.QuotaFailure;
import com.google.rpc.RetryInfo;
import com.google.rpc.Status;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.stub.StreamObserver;
import io.grpc.testing.integration.EmptyProtos.Empty;
import io.grpc.testing.integration.TestServiceGrpc;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What grpc-js, the client of Node.js, makes of a refusal. */
@Timeout(90)
class GrpcJsIT {
  /** A line of the script. */
  private static final Pattern OUTCOME =
      Pattern.compile(
          "\\{\"code\":(\\d+),\"message\":\"(.*)\",\"pushback\":\"(.*)\",\"details\":\"(.*)\"}");

  private final AtomicInteger calls = new AtomicInteger();

  @BeforeAll
  static void needGrpcJs() {
    NodeScript.need("@grpc/grpc-js");
  }

  private final class Service extends TestServiceGrpc.TestServiceImplBase {
    @Override
    public void emptyCall(Empty request, StreamObserver<Empty> answer) {
      calls.incrementAndGet();
      answer.onNext(Empty.getDefaultInstance());
      answer.onCompleted();
    }
  }

  /** What came of two calls. */
  private List<Matcher> outcomes(String limit, String mode) throws Exception {
    Server server = NettyServerBuilder.forPort(0).addService(new Service()).build().start();
    try (SidecarInFront sidecar = new SidecarInFront(server.getPort(), "--limit", limit)) {
      return NodeScript.run("calls.js", Integer.toString(sidecar.port()), mode)
          .lines()
          .map(GrpcJsIT::outcome)
          .toList();
    } finally {
      server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
    }
  }

  private static Matcher outcome(String line) {
    Matcher outcome = OUTCOME.matcher(line);
    assertTrue(outcome.matches(), line);
    return outcome;
  }

  @Test
  void aRefusalHasQuotaAndWaitAsGrpcKnowsThem() throws Exception {
    List<Matcher> outcomes = outcomes("1/1h", "once");
    assertEquals("0", outcomes.get(0).group(1), outcomes.get(0).group());
    Matcher refused = outcomes.get(1);
    assertEquals("8", refused.group(1), refused.group());
    assertEquals("Quota Exceeded: default", refused.group(2));
    assertEquals("-1", refused.group(3)); // nobody sits out an hour
    Status status = Status.parseFrom(HexFormat.of().parseHex(refused.group(4)));
    List<Any> details = status.getDetailsList();
    QuotaFailure.Violation quota = details.get(0).unpack(QuotaFailure.class).getViolations(0);
    assertEquals("policy:default", quota.getSubject());
    assertTrue(details.get(1).unpack(RetryInfo.class).getRetryDelay().getSeconds() > 3000);
    assertEquals(1, calls.get());
  }

  /** The retry policy would wait a minute, beyond the deadline; it is told less. */
  @Test
  void aRetryWaitsAsLongAsItIsTold() throws Exception {
    for (Matcher outcome : outcomes("1/1s", "retry")) {
      assertEquals("0", outcome.group(1), outcome.group());
    }
    assertEquals(2, calls.get());
  }
}
