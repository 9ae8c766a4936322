package dev.weir.proxy.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.RigTest;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of gRPC-Web over HTTP/1.1, as browsers make them. */
@Timeout(120)
class GrpcWebTest extends RigTest {
  private static String call(String contentType) {
    return "POST /shop.Cart/Add HTTP/1.1\r\nHost: a\r\nContent-Type: "
        + contentType
        + "\r\nContent-Length: 5\r\n\r\n\0\0\0\0\0";
  }

  private Response refused(String contentType) throws Exception {
    start("nio", "--limit", "1/1h", "--match.grpc", "shop.Cart");
    try (RawClient client = rig.connect()) {
      assertEquals(200, client.send(call(contentType)).read().status());
      Response answer = client.send(call(contentType)).read();
      client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n"); // it is kept, and no rule matches
      assertEquals(200, client.read().status());
      return answer;
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/grpc-web", "application/grpc-web+proto"})
  void aRefusedCallSaysWhyInAFrameOfTrailers(String contentType) throws Exception {
    Response answer = refused(contentType);
    assertEquals(200, answer.status());
    assertEquals("application/grpc-web", answer.field("content-type"));
    assertEquals("8", answer.field("grpc-status"));
    assertEquals("-1", answer.field("grpc-retry-pushback-ms")); // an hour is too long to wait
    assertEquals("\"default\";q=1;w=3600", answer.field("ratelimit-policy"));
    String trailers = "grpc-status: 8\r\ngrpc-message: Quota Exceeded: default\r\n";
    assertTrue(answer.body().substring(5).startsWith(trailers), answer.body());
    assertNull(answer.field("Retry-After"));
  }

  @Test
  void aRefusedCallInTextIsAnsweredInText() throws Exception {
    Response answer = refused("application/grpc-web-text+proto");
    assertEquals("application/grpc-web-text", answer.field("content-type"));
    byte[] frame = Base64.getDecoder().decode(answer.body());
    assertEquals((byte) 0x80, frame[0]);
    String trailers = new String(frame, 5, frame.length - 5, StandardCharsets.US_ASCII);
    assertTrue(trailers.startsWith("grpc-status: 8\r\n"), trailers);
  }

  @Test
  void aCallWithoutAnyContentIsOneToo() throws Exception {
    start("nio", "--limit", "1/1h");
    String empty = call("application/grpc-web").split("Content-Length")[0] + "Content-Length: 0";
    try (RawClient client = rig.connect()) {
      assertEquals(200, client.send(empty + "\r\n\r\n").read().status());
      assertEquals("8", client.send(empty + "\r\n\r\n").read().field("grpc-status"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/grpc", "application/json"})
  void whatIsNoGrpcWebIsAnsweredAsHttp(String contentType) throws Exception {
    Response answer = refused(contentType);
    assertEquals(429, answer.status());
    assertEquals("application/problem+json", answer.field("Content-Type"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"application/grpc-web", "application/grpc", "text/plain"})
  void aRuleMayCountMessagesWhateverTheContentTypeCallsThem(String type) throws Exception {
    start("nio", "--limit", "2/1h", "--cost", "messages");
    String three = call(type).replace("5\r\n\r\n", "15\r\n\r\n");
    try (RawClient client = rig.connect()) {
      Response answer = client.send(three + "\0".repeat(10)).read();
      assertEquals(type.endsWith("web") ? 200 : 429, answer.status(), answer.head());
      assertTrue(answer.body().contains("Quota"), answer.body());
    }
  }

  @Test
  void messagesAreCountedInChunksTooAndNotTheChunks() throws Exception {
    start("nio", "--limit", "2/1h", "--cost", "messages");
    String head = call("application/grpc-web").split("Content-Length")[0];
    try (RawClient client = rig.connect()) {
      client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      for (int i = 0; i < 5; i++) {
        client.send("1\r\n\0\r\n"); // one message in as many chunks as it has bytes
      }
      assertEquals(200, client.send("0\r\nx-sum: 1\r\n\r\n").read().status());
    }
    try (RawClient client = rig.connect()) {
      client.send(head + "Transfer-Encoding: chunked\r\n\r\n");
      client.send("a\r\n" + "\0".repeat(10) + "\r\n0\r\n\r\n");
      Response answer = client.read();
      assertEquals("8", answer.field("grpc-status"), answer.head());
    }
  }
}
