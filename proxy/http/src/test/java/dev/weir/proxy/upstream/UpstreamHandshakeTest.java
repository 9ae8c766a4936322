package dev.weir.proxy.upstream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class UpstreamHandshakeTest {
  private final List<String> told = new ArrayList<>();
  private final UpstreamHandshake handshake = new UpstreamHandshake();
  private EmbeddedChannel channel;

  @BeforeEach
  void connect() throws Exception {
    SslContext context = SslContextBuilder.forClient().build();
    channel = new EmbeddedChannel();
    SslHandler tls = context.newHandler(channel.alloc());
    tls.setHandshakeTimeoutMillis(0);
    channel.pipeline().addLast(tls, handshake);
  }

  @AfterEach
  void close() {
    channel.finishAndReleaseAll();
  }

  private void tell() {
    handshake.tell(
        (protocol, failure) ->
            told.add(protocol + ", " + (failure == null ? null : failure.getMessage())));
  }

  @Test
  void tellsWhoWaitsAndMakesPlaceForWhoReads() {
    tell();
    assertEquals(List.of(), told);
    channel.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    assertEquals(List.of("null, null"), told);
    assertNull(channel.pipeline().get(UpstreamHandshake.class));
  }

  @Test
  void tellsWhoAsksOnceItIsOver() {
    channel.pipeline().fireUserEventTriggered(SslHandshakeCompletionEvent.SUCCESS);
    tell();
    assertEquals(List.of("null, null"), told);
  }

  @Test
  void tellsOfAFailureAndCloses() {
    tell();
    channel
        .pipeline()
        .fireUserEventTriggered(new SslHandshakeCompletionEvent(new IOException("refused")));
    assertEquals(List.of("null, refused"), told);
    assertFalse(channel.isOpen());
  }

  @Test
  void tellsOfAConnectionThatEndsWithinTheHandshake() {
    tell();
    channel.pipeline().context(SslHandler.class).fireChannelInactive();
    assertEquals(List.of("null, the connection has ended within the handshake"), told);
  }
}
