package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.loop.HeldTime;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What clients of HTTP/1.1 that take nothing of their answers make an event loop hold. */
class UntakenAnswersTest {
  private static final int MAX_BEHIND = 16;
  private static final int LOW_BYTES = 16 * 1024;
  private static final int HIGH_BYTES = 128 * 1024;

  private final HeldTime time = new HeldTime();
  private final KeptInput input = new KeptInput(Long.MAX_VALUE);
  private final UntakenAnswers untaken =
      new UntakenAnswers(time.clock, input, MAX_BEHIND * UntakenAnswers.BEHIND_BYTES);
  private final List<Client> clients = new ArrayList<>();

  /** A client that takes nothing until it is told to. */
  private final class Client extends ChannelInboundHandlerAdapter {
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final UntakenAnswers.Answers answers = untaken.new Answers(channel, channel::close);

    private Client() {
      channel.pipeline().addLast(this);
      channel.closeFuture().addListener(closed -> answers.end());
      clients.add(this);
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
      answers.look();
    }

    /** Is sent more until it is behind; how much that is. */
    private int fallBehind() {
      int bytes = 0;
      while (channel.isWritable()) {
        channel.write(Unpooled.wrappedBuffer(new byte[1024]));
        bytes += 1024;
      }
      channel.runPendingTasks();
      return bytes;
    }

    private void takeAll() {
      channel.flush();
      channel.releaseOutbound();
      channel.runPendingTasks();
    }
  }

  @AfterEach
  void close() {
    clients.forEach(client -> client.channel.finishAndReleaseAll());
    assertEquals(0, untaken.behind());
    assertEquals(0, untaken.high());
  }

  @Test
  void onlyAFewOfThoseThatFellBehindHaveMuchWaiting() {
    for (int i = 0; i < MAX_BEHIND; i++) {
      Client client = new Client();
      assertTrue(client.fallBehind() <= LOW_BYTES, "at first");
      client.takeAll();
      assertEquals(0, untaken.behind());
      assertEquals(i < 2, client.fallBehind() > LOW_BYTES, "later, client " + i);
      client.takeAll();
    }
    assertEquals(2, untaken.high());
    clients.get(0).answers.written();
    assertEquals(1, untaken.high());
    assertTrue(clients.get(0).fallBehind() <= LOW_BYTES, "at first, in the next answer");
    assertTrue(clients.get(1).fallBehind() > HIGH_BYTES / 2);
    clients.get(1).answers.written();
    assertEquals(2, untaken.high(), "an answer that waits has its mark");
  }

  @Test
  void whoIsBehindForTheLongestIsResetWhereTooManyAre() {
    for (int i = 0; i < MAX_BEHIND; i++) {
      new Client().fallBehind();
    }
    time.passUnseen(TimeUnit.SECONDS.toNanos(2));
    time.clock.tick();
    clients.get(0).takeAll();
    clients.get(0).fallBehind();
    new Client().fallBehind();
    clients.get(1).channel.runPendingTasks();
    assertTrue(clients.get(0).channel.isOpen(), "it has taken something");
    assertFalse(clients.get(1).channel.isOpen());
    assertTrue(clients.get(2).channel.isOpen());
    assertEquals(MAX_BEHIND, untaken.behind());
  }

  @Test
  void fewerMayBeBehindWhileInputTakesOfTheSameMemory() {
    KeptInput.Input kept = input.new Input(new EmbeddedChannel(), () -> {});
    kept.keep(MAX_BEHIND / 2 * UntakenAnswers.BEHIND_BYTES);
    for (int i = 0; i < 4 * MAX_BEHIND; i++) {
      new Client().fallBehind();
    }
    clients.forEach(client -> client.channel.runPendingTasks());
    assertEquals(MAX_BEHIND, untaken.behind());
  }

  @Test
  void hasPatienceForTwiceAsMany() {
    for (int i = 0; i < 4 * MAX_BEHIND; i++) {
      new Client().fallBehind();
    }
    clients.forEach(client -> client.channel.runPendingTasks());
    assertEquals(2 * MAX_BEHIND, untaken.behind());
    assertEquals(2 * MAX_BEHIND, clients.stream().filter(each -> each.channel.isOpen()).count());
    assertTrue(clients.get(4 * MAX_BEHIND - 1).channel.isOpen());
  }

  /** Its service is not read on, and its place is another's when it leaves. */
  @Test
  void aConnectionThatTakesNothingHoldsLittle() {
    HeldLoop held = new HeldLoop();
    held.connect();
    held.channel
        .pipeline()
        .addFirst(
            new ChannelOutboundHandlerAdapter() {
              @Override
              public void flush(ChannelHandlerContext ctx) {
                // The client takes nothing.
              }
            });
    held.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
    held.service.last().answer("HTTP/1.1 200 OK");
    held.service.last().send("x".repeat(LOW_BYTES + 1), false);
    assertFalse(held.channel.isWritable());
    assertEquals(1, held.protocols.http1.untaken.behind());
    assertEquals(1, held.protocols.http1.untaken.high());
    held.close();
    assertEquals(0, held.protocols.http1.untaken.behind());
    assertEquals(0, held.protocols.http1.untaken.high());
  }
}
