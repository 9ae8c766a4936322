package dev.weir.proxy.downstream.h2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.listen.EmbeddedClient;
import dev.weir.proxy.http2.FramePeer;
import dev.weir.proxy.request.Peer;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is left of a peak of requests when it is over. */
class Http2PeakTest {
  private static final int CONNECTIONS = 120;
  private static final int STREAMS = 100;

  private final HeldLoop held = new HeldLoop();

  @Test
  void exchangesThatAreNotKeptLeaveTheirDeadlines() {
    for (int peak = 0; peak < 2; peak++) {
      List<EmbeddedChannel> channels = new ArrayList<>();
      for (int i = 0; i < CONNECTIONS; i++) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channels.add(channel);
        EmbeddedClient.connect(held.protocols, channel, Peer.LOOPBACK);
        FramePeer client = new FramePeer(channel).startAsClient();
        for (int id = 1; id < 2 * STREAMS; id += 2) {
          client.request(id, false, "POST", "/a");
        }
        client.send();
        held.pass(0); // the turn's end
        client.received();
      }
      assertTrue(held.deadlines() >= CONNECTIONS * STREAMS, held.deadlines() + " deadlines");
      held.pass(HeldLoop.BODY_NS + 1); // all are told that their content has not come
      channels.forEach(EmbeddedChannel::finishAndReleaseAll);
      held.pass(0);
      assertEquals(Http2ClientLoop.MAX_KEPT, held.deadlines(), "after peak " + peak);
    }
    held.close();
  }
}
