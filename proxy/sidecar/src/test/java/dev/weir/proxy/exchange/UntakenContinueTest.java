package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.rig.ChannelTap;
import dev.weir.proxy.rig.RawClient;
import dev.weir.proxy.rig.RigTest;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.ChannelPromise;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A client that is behind with its answers just when it is told to continue: the 100 is none of the
 * service's bytes, and what ends the waits of its exchange is what always does.
 */
@Timeout(120)
class UntakenContinueTest extends RigTest {
  private static final String EXPECT =
      "POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";

  /** Enough of a body for a connection to the service, and not all of it. */
  private static final String BEGUN =
      "POST /b HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + "x".repeat(20_000);

  private final List<RawClient> clients = new ArrayList<>();
  private final CountDownLatch over = new CountDownLatch(1);
  private volatile Channel channel;

  private void startWhereConnectionsAreScarce(String... flags) throws Exception {
    List<String> all = new ArrayList<>(List.of("--caps.upstream-connections", "3"));
    all.addAll(List.of(flags));
    start("nio", all.toArray(String[]::new));
    rig.origin.script(
        origin -> {
          origin.head();
          over.await();
        });
    for (int i = 0; i < 2; i++) {
      connect().send(BEGUN); // so that no time of the service's runs
      rig.origin.nextHead();
    }
    ChannelTap.onClient(
        made -> {
          channel = made;
          made.pipeline().addFirst(new FallsBehind());
        });
  }

  @AfterEach
  void letGo() throws Exception {
    ChannelTap.close();
    over.countDown();
    for (RawClient client : clients) {
      client.reset();
    }
  }

  @Test
  void getsTheRestOfAResponseThatItWasBehindWith() throws Exception {
    startWhereConnectionsAreScarce();
    CountDownLatch caughtUp = new CountDownLatch(1);
    rig.origin.script(
        origin -> {
          origin.request();
          origin.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst");
          caughtUp.await();
          origin.send("after");
        });
    RawClient client = connectToContinue();
    client.send("12345");
    rig.await("weir_upstream_streams_open", 1); // it has been held, and counts as a stream
    catchUp();
    caughtUp.countDown();
    assertEquals("firstafter", client.read().body());
  }

  @Test
  void isAnsweredWhenTheServiceTakesTooLong() throws Exception {
    startWhereConnectionsAreScarce("--timeouts.response", "300ms");
    RawClient client = connectToContinue();
    client.send("12345");
    rig.origin.nextHead();
    catchUp();
    assertEquals(504, client.read().status());
  }

  private RawClient connectToContinue() throws Exception {
    RawClient client = connect();
    client.send(EXPECT);
    assertEquals(100, client.read().status());
    return client;
  }

  private RawClient connect() throws Exception {
    RawClient client = rig.connect();
    clients.add(client);
    return client;
  }

  private void catchUp() {
    channel.eventLoop().submit(() -> writable(true)).syncUninterruptibly();
  }

  private void writable(boolean isWritable) {
    channel.unsafe().outboundBuffer().setUserDefinedWritability(1, isWritable);
  }

  /** Makes a client that is told to continue one that does not take what is written. */
  private final class FallsBehind extends ChannelOutboundHandlerAdapter {
    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
      boolean isContinue =
          message instanceof ByteBuf bytes
              && bytes.toString(StandardCharsets.ISO_8859_1).startsWith("HTTP/1.1 100 ");
      ctx.write(message, promise);
      if (isContinue) {
        writable(false);
      }
    }
  }
}
