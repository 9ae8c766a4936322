package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RawClient.Response;
import dev.weir.proxy.rig.Rig;
import dev.weir.proxy.rig.RigTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Where a head begins and ends, in whatever pieces it comes. */
@Timeout(120)
class HeadsInPiecesTest extends RigTest {
  private static final String POST = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n12345";

  @Test
  void servesWhatFollowsAnEmptyLine() throws Exception {
    start(Rig.preferredTransport());
    try (RawClient client = rig.connect()) {
      client.send("\r\n" + POST + "\r\n" + POST);
      assertEquals(200, client.read().status());
      assertEquals(200, client.read().status());
      client.send("\r");
      client.send("\n" + Rig.VALID.substring(0, 10));
      assertEquals(200, client.send(Rig.VALID.substring(10)).read().status());
      assertEquals(400, client.send("\r\n\r\n" + Rig.VALID).read().status(), "one, not two");
    }
  }

  @Test
  void servesHeadsThatComeByteByByte() throws Exception {
    start(Rig.preferredTransport());
    String response = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nA: b\r\n\r\nok";
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n");
          for (char c : response.toCharArray()) {
            origin.send(String.valueOf(c));
          }
        });
    try (RawClient client = rig.connect()) {
      for (int i = 0; i < 2; i++) {
        for (char c : POST.toCharArray()) {
          client.send(String.valueOf(c));
        }
        assertEquals(103, client.read().status());
        Response answer = client.read();
        assertEquals("b", answer.field("A"));
        assertEquals("ok", answer.body());
        assertTrue(rig.origin.nextRequest().endsWith("\r\n\r\n12345"));
      }
      for (char c : "GET / HTTP/1.1\r\nHost: a\r\nA : b\r\n\r\n".toCharArray()) {
        client.send(String.valueOf(c));
      }
      assertEquals(400, client.read().status());
    }
  }
}
