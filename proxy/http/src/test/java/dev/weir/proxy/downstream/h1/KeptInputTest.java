package dev.weir.proxy.downstream.h1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.HeldLoop;
import dev.weir.proxy.downstream.listen.EmbeddedClient;
import dev.weir.proxy.exchange.Origin.Pending;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The memory of input of HTTP/1.1 that an event loop keeps, as an allocator counts it. */
class KeptInputTest {
  private static final int MAX_BYTES = 1 << 20;
  private static final int READ_BYTES = 2048;
  private static final String HALF_HEAD =
      "GET / HTTP/1.1\r\nHost: a\r\nX: " + "y".repeat(16 * 1024);
  private static final String HALF_BODY =
      "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + "z".repeat(20 * 1024);

  private final UnpooledByteBufAllocator memory = new UnpooledByteBufAllocator(true);
  private final HeldLoop held = new HeldLoop(64 << 20, HeldLoop.WRITE_NS, MAX_BYTES);
  private final List<Client> clients = new ArrayList<>();

  /** A client whose bytes come in reads of {@value #READ_BYTES} bytes, as long as it is read. */
  private final class Client {
    private final EmbeddedChannel channel = new EmbeddedChannel();

    private Client() {
      this(held);
    }

    private Client(HeldLoop of) {
      channel.config().setAllocator(memory);
      EmbeddedClient.connect(of.protocols, channel, Peer.LOOPBACK, of.memory.of(null));
      clients.add(this);
    }

    /** How many bytes were read. */
    private int send(String text) {
      byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
      int read = 0;
      while (read < bytes.length && channel.isOpen() && channel.config().isAutoRead()) {
        int length = Math.min(READ_BYTES, bytes.length - read);
        channel.writeInbound(memory.directBuffer(READ_BYTES).writeBytes(bytes, read, length));
        read += length;
      }
      return read;
    }

    private String received() {
      StringBuilder text = new StringBuilder();
      for (ByteBuf bytes = channel.readOutbound(); bytes != null; bytes = channel.readOutbound()) {
        text.append(bytes.toString(StandardCharsets.ISO_8859_1));
        bytes.release();
      }
      return text.toString();
    }
  }

  @AfterEach
  void letsGoOfAll() {
    clients.forEach(client -> client.channel.finishAndReleaseAll());
    held.close();
    assertEquals(0, memory.metric().usedDirectMemory());
    assertEquals(0, held.protocols.http1.input.bytes());
  }

  private void sendFromMany(String text) {
    for (int i = 0; i < 200; i++) {
      new Client().send(text);
      clients.forEach(client -> client.channel.runPendingTasks());
    }
  }

  private long usedBytes() {
    return memory.metric().usedDirectMemory();
  }

  @Test
  void halfHeadsOfAllConnectionsHaveOneBound() {
    Client small = new Client();
    small.send("GET / HTTP/1.1\r\nHost: a\r\n");
    sendFromMany(HALF_HEAD);
    String refusal = clients.get(1).received();
    clients.subList(1, clients.size() - 1).forEach(Client::received);
    assertTrue(usedBytes() <= MAX_BYTES, usedBytes() + " bytes");
    assertTrue(refusal.startsWith("HTTP/1.1 503 "), refusal);
    assertEquals("", clients.get(clients.size() - 1).received(), "the newest is not refused");
    small.send("\r\n");
    held.service.last().answer("HTTP/1.1 200 OK");
    held.service.last().send("ok", true);
    String answer = small.received();
    assertTrue(answer.startsWith("HTTP/1.1 200 "), "who keeps little is not refused: " + answer);
  }

  @Test
  void bodiesThatWaitForTheServiceHaveTheSameBound() {
    held.service.pending = Pending.QUEUED;
    sendFromMany(HALF_BODY);
    String refusal = clients.get(0).received();
    clients.forEach(Client::received);
    assertTrue(usedBytes() <= MAX_BYTES, usedBytes() + " bytes");
    assertTrue(refusal.startsWith("HTTP/1.1 503 "), refusal);
    assertTrue(held.service.waiting() > 10, "others wait on");
    assertTrue(held.service.waiting() < 100, "those that were refused wait no more");
  }

  @Test
  void requestsThatWaitForAVerdictHaveTheSameBound() {
    held.admission.late = true;
    sendFromMany(HALF_HEAD + "\r\n\r\nG");
    clients.forEach(Client::received);
    // A head waits as it came, and as it was written for the service.
    assertTrue(usedBytes() <= MAX_BYTES * 2 / 3, usedBytes() + " bytes");
    assertFalse(clients.get(0).channel.isOpen());
    assertTrue(clients.get(clients.size() - 1).channel.isOpen());
  }

  @Test
  void whoComesIsNotRefusedForThoseThatKeepALittleLessForLonger() {
    for (int i = 0; i < MAX_BYTES / (32 * 1024); i++) {
      keep(new Client(), 32 * 1024);
    }
    Client newest = new Client();
    keep(newest, 64 * 1024);
    assertTrue(newest.channel.isOpen());
    assertEquals(MAX_BYTES, held.protocols.http1.input.bytes());
    assertFalse(clients.get(0).channel.isOpen());
    assertFalse(clients.get(1).channel.isOpen());
    assertTrue(clients.get(2).channel.isOpen());
  }

  @Test
  void clientsOfTheOtherListenersOfAnEventLoopHaveTheSameBound() {
    HeldLoop decisions = held.beside();
    for (int i = 0; i < MAX_BYTES / (32 * 1024); i++) {
      keep(new Client(), 32 * 1024);
    }
    keep(new Client(decisions), 64 * 1024);
    assertEquals(MAX_BYTES, held.protocols.http1.input.bytes());
    assertFalse(clients.get(0).channel.isOpen());
    decisions.close();
  }

  private void keep(Client client, int bytes) {
    client.channel.writeInbound(memory.directBuffer(bytes).writeByte('G'));
    clients.forEach(each -> each.channel.runPendingTasks());
  }

  @Test
  void readsNoMoreRequestsWhileAnAnswerIsAwaited() {
    Client client = new Client();
    int read = client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(1000));
    assertEquals(READ_BYTES, read);
    assertFalse(client.channel.config().isAutoRead());
  }
}
