package dev.weir.proxy.downstream.listen;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.rig.ChannelTap;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RecordingOrigin;
import dev.weir.proxy.rig.RecordingOrigin.Conversation;
import dev.weir.proxy.rig.Rig;
import io.netty.channel.Channel;
import java.io.IOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A handler that encrypts or frames what is written is never bypassed, whenever it was added: by no
 * byte, no flush and no end of the output. One conversation is had without such a handler and with
 * one; what comes through it must be the same.
 */
@Timeout(30)
class OutboundHandlerTest {
  private static final String KEY = "K: 1\r\n";
  private static final String LARGE = "x".repeat(1 << 18);
  private static final String SWITCHING =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: a\r\nConnection: Upgrade\r\n\r\nearly";
  private static final String CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";

  /** Served, refused, served with a large body, a tunnel that the client ends first. */
  private static final String REQUESTS =
      "GET /a HTTP/1.1\r\nHost: a\r\n"
          + KEY
          + "\r\n"
          + "GET /without-identity HTTP/1.1\r\nHost: a\r\n\r\n"
          + "POST /b HTTP/1.1\r\nHost: a\r\n"
          + KEY
          + "Content-Length: "
          + LARGE.length()
          + "\r\n\r\n"
          + LARGE
          + "GET /tunnel HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: a\r\n"
          + KEY
          + "\r\nto the service";

  private final BlockingQueue<String> served = new LinkedBlockingQueue<>();

  @AfterEach
  void removeTaps() {
    ChannelTap.close();
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void seesAllThatAClientIsSent(String transport) throws Exception {
    String plain = converse(transport, false);
    assertTrue(plain.contains("early"));
    assertTrue(plain.endsWith(LARGE));
    ChannelTap.onClient(client -> client.pipeline().addFirst(new Veil()));
    String veiled = converse(transport, false);
    assertEquals(plain + Veil.FAREWELL, withoutVariance(Veil.turn(veiled)));
  }

  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void seesAllThatAServiceIsSent(String transport) throws Exception {
    converse(transport, false);
    String plain = served.take();
    assertTrue(plain.contains(LARGE));
    assertTrue(plain.endsWith("to the service"));
    ChannelTap.onService(service -> service.pipeline().addFirst(new Veil()));
    converse(transport, true);
    assertEquals(plain + Veil.FAREWELL, served.take());
  }

  /** The handler is behind the connection's own, where its context would not find it. */
  @ParameterizedTest
  @MethodSource("dev.weir.proxy.rig.Rig#transports")
  void seesAllThatFollowsItsAddition(String transport) throws Exception {
    BlockingQueue<Channel> channels = new LinkedBlockingQueue<>();
    ChannelTap.onClient(channels::add);
    ChannelTap.onService(channels::add);
    try (Rig rig = new Rig(transport);
        RawClient client = rig.connect()) {
      rig.origin.script(
          origin -> {
            served.add(request(origin, false));
            origin.send(RecordingOrigin.OK);
            served.add(request(origin, true));
            origin.send(RecordingOrigin.OK);
          });
      String first = client.send(Rig.VALID).read().head();
      add(channels.take());
      add(channels.take());
      String second = Veil.turn(client.send(Rig.VALID).take(first.length() + 6));
      assertEquals(
          withoutVariance(first + RecordingOrigin.BODY).replace("r=999", "r=998"),
          withoutVariance(second));
      assertEquals(withoutVariance(served.take()), withoutVariance(served.take()));
      assertEquals(1, rig.origin.connectionCount());
    }
  }

  private static void add(Channel channel) throws InterruptedException {
    channel.eventLoop().submit(() -> channel.pipeline().addLast(new Veil())).sync();
  }

  /** Has the conversation, and returns what the client got, less what differs from run to run. */
  private String converse(String transport, boolean serviceVeiled) throws Exception {
    try (Rig rig = new Rig(transport, "--key", "header:k");
        RawClient client = rig.connect()) {
      rig.origin.script(origin -> serve(origin, serviceVeiled));
      client.send(REQUESTS).endOutput();
      String got = client.readToEnd();
      rig.await("weir_connections_open", 0);
      return withoutVariance(got);
    }
  }

  /** The one connection to the service, until the tunnel has ended on both sides. */
  private void serve(Conversation origin, boolean veiled) throws IOException {
    StringBuilder got = new StringBuilder();
    for (String head = ""; !head.startsWith("GET /tunnel"); ) {
      head = request(origin, veiled);
      got.append(head);
      if (head.startsWith("POST")) {
        for (int i = 0; i < LARGE.length(); i++) {
          got.append(read(origin, veiled));
        }
        origin.send(CONTINUE);
      }
      origin.send(head.startsWith("GET /tunnel") ? SWITCHING : RecordingOrigin.OK);
    }
    for (int b = origin.read(); b >= 0; b = origin.read()) {
      got.append((char) (veiled ? Veil.turn(b) : b));
    }
    served.add(withoutVariance(got.toString()));
    origin.send(LARGE);
    origin.endOutput();
  }

  private static String request(Conversation origin, boolean veiled) throws IOException {
    StringBuilder head = new StringBuilder();
    while (!head.toString().endsWith("\r\n\r\n")) {
      head.append(read(origin, veiled));
    }
    return head.toString();
  }

  private static char read(Conversation origin, boolean veiled) throws IOException {
    int b = origin.read();
    if (b < 0) {
      throw new AssertionError("the connection ended within a request");
    }
    return (char) (veiled ? Veil.turn(b) : b);
  }

  private static String withoutVariance(String text) {
    return text.replaceAll("(?m)^(Date|X-Request-Id): .*$", "$1").replaceAll(";t=\\d+", ";t=");
  }
}
