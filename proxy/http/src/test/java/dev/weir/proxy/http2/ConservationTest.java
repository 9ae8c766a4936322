package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random exchanges beside a model of the windows, as the peer sees them: neither side ever sends
 * more than it may, every byte comes once and in order, what is held adds up, and nothing is left.
 */
class ConservationTest {
  private static final int WINDOW_BYTES = Setting.DEFAULT_WINDOW_BYTES;
  private static final String[] WORDS = {"RST_STREAM", "DATA", "HEADERS", "WINDOW_UPDATE"};
  private static final String PING = "PING ";

  /** One stream, as the peer knows it. */
  private static final class Stream {
    /** What the peer may still send, and what we may. */
    long peerWindow = WINDOW_BYTES;

    long ourWindow;
    boolean peerEnded;
    boolean ourEnd;
    boolean headSent;
    boolean endGiven;
    long givenBytes;
    long gotBytes;
    int held;
  }

  private final WatchedStreams server = WatchedStreams.open(Role.SERVER);
  private final FramePeer peer = server.peer();
  private final TreeMap<Integer, Stream> streams = new TreeMap<>();
  private final TreeMap<Integer, Stream> released = new TreeMap<>();
  private final ArrayDeque<Long> pings = new ArrayDeque<>();
  private int widened;
  private Random random;
  private int nextId = 1;
  private int initialWindow = WINDOW_BYTES;
  private long ourConnectionWindow = WINDOW_BYTES;

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4})
  void everyByteComesOnceWithinItsWindows(long seed) {
    random = new Random(seed);
    server.holds = true;
    peer.startAsClient().send();
    peer.received();
    for (int step = 0; step < 5_000 && server.embedded().isOpen(); step++) {
      step();
      peer.bytesPerRead = random.nextInt(4) == 0 ? 1 + random.nextInt(2_000) : 0;
      peer.send();
      takeTold();
      takeFrames();
      check();
    }
    assertTrue(server.embedded().isOpen(), "nothing was abuse");
    finish();
    assertTrue(widened > 0, "no window has grown");
    assertEquals(0, server.connection.windows.growth().extraBytes());
    assertEquals(0, server.connection.heldBytes());
    assertEquals(0, server.connection.streamCount());
    assertEquals(0, server.counted.openStreams);
    server.embedded().finishAndReleaseAll();
  }

  private void step() {
    final Stream any = any(streams.values());
    final int id = any == null ? 0 : id(any);
    if (!pings.isEmpty() && random.nextInt(40) == 0) {
      server.age(5);
      peer.pingAck(pings.poll());
    }
    switch (random.nextInt(12)) {
      case 0, 1 -> {
        if (streams.size() + released.size() < 8) {
          final Stream stream = new Stream();
          stream.ourWindow = initialWindow;
          stream.peerEnded = random.nextBoolean();
          streams.put(nextId, stream);
          peer.request(nextId, stream.peerEnded, "POST", "/", "n: " + nextId);
          nextId += 2;
        }
      }
      case 2, 3, 4 -> sendContent(any, id);
      case 5 -> consume(any, id);
      case 6, 7 -> give(any, id);
      case 8 -> {
        initialWindow = random.nextInt(3) == 0 ? 0 : random.nextInt(100_000);
        // The change counts from when we read it, which is before anything of ours is seen.
        final int before = server.connection.peerSettings().initialWindow();
        peer.settings(Setting.INITIAL_WINDOW_SIZE, initialWindow);
        streams.values().forEach(s -> s.ourWindow += initialWindow - before);
        released.values().forEach(s -> s.ourWindow += initialWindow - before);
        server.age(2_000);
      }
      case 9 -> {
        final int more = 1 + random.nextInt(200_000);
        ourConnectionWindow += more;
        peer.windowUpdate(0, more);
      }
      case 10 -> {
        if (any != null) {
          final int more = 1 + random.nextInt(50_000);
          any.ourWindow += more;
          peer.windowUpdate(id, more);
        }
      }
      default -> {
        if (any != null && random.nextInt(15) == 0) {
          peer.reset(id, ErrorCode.CANCEL).send();
          letGo(any, id);
          released.remove(id);
        }
      }
    }
  }

  private Stream any(Collection<Stream> from) {
    return from.isEmpty()
        ? null
        : from.stream()
            .skip(random.nextBoolean() ? 0 : random.nextInt(from.size()))
            .findFirst()
            .orElseThrow(); // the oldest has most of it
  }

  private int id(Stream stream) {
    return streams.entrySet().stream()
        .filter(e -> e.getValue() == stream)
        .findFirst()
        .orElseThrow()
        .getKey();
  }

  private void sendContent(Stream stream, int id) {
    if (stream == null || stream.peerEnded || stream.peerWindow < 300) {
      return;
    }
    final int most = (int) Math.min(stream.peerWindow - 256, 16_384 - 256);
    final int bytes = random.nextBoolean() ? most : 5 + random.nextInt(Math.max(1, most - 5));
    stream.peerEnded = random.nextInt(30) == 0;
    if (random.nextInt(3) == 0) {
      final int pad = random.nextInt(200);
      peer.padded(id, stream.peerEnded, "x".repeat(bytes), pad);
      stream.peerWindow -= bytes + 1 + pad;
    } else {
      peer.data(id, stream.peerEnded, "x".repeat(bytes));
      stream.peerWindow -= bytes;
    }
    stream.held += bytes;
  }

  private void consume(Stream stream, int id) {
    if (stream != null && stream.held > 0) {
      final int bytes = random.nextBoolean() ? stream.held : 1 + random.nextInt(stream.held);
      stream.held -= bytes;
      server.connection.credit(server.slot(id), bytes);
    }
  }

  /** Sends content of ours, each byte as its place says. */
  private void give(Stream stream, int id) {
    if (stream == null || stream.endGiven) {
      return;
    }
    if (!stream.headSent) {
      stream.headSent = true;
      server.head(id, false, ":status: 200");
    }
    final StringBuilder content = new StringBuilder();
    for (int i = random.nextInt(30_000); i > 0; i--) {
      content.append((char) ('a' + stream.givenBytes++ % 23));
    }
    final int end = random.nextInt(12);
    stream.endGiven = end <= 1;
    server.data(id, end == 0, content.toString());
    if (end == 1) {
      server.trailers(id, "t: 1");
    }
    if (stream.endGiven && stream.peerEnded) {
      letGo(stream, id);
    }
  }

  private void letGo(Stream stream, int id) {
    server.letGo(id);
    streams.remove(id);
    released.put(id, stream);
    stream.held = 0;
  }

  private void takeTold() {
    for (String line : server.told()) {
      assertFalse(line.startsWith("ended") && !line.contains("PEER_RESET"), line);
    }
  }

  private void takeFrames() {
    for (String line : peer.received()) {
      if (line.startsWith(PING)) {
        pings.add(Long.parseLong(line.substring(PING.length())));
      }
      final String[] words = line.split(" ", 3);
      if (!Set.of(WORDS).contains(words[0])) {
        continue;
      }
      final int id = Integer.parseInt(words[1]);
      final Stream stream = streams.containsKey(id) ? streams.get(id) : released.get(id);
      if (stream == null) {
        continue;
      }
      switch (words[0]) {
        case "DATA" -> data(id, stream, words[2]);
        case "HEADERS" -> ended(id, stream, words[2].endsWith(" end"));
        case "WINDOW_UPDATE" -> stream.peerWindow += Long.parseLong(words[2]);
        default -> {
          assertEquals("NO_ERROR", words[2], "an early end is all that we reset for");
          stream.peerEnded = true;
          if (streams.containsKey(id)) {
            letGo(stream, id);
          }
        }
      }
    }
  }

  private void data(int id, Stream stream, String shown) {
    final boolean end = shown.endsWith(" end") || shown.equals("end");
    final String content = end ? shown.substring(0, Math.max(0, shown.length() - 4)) : shown;
    for (int i = 0; i < content.length(); i++) {
      assertEquals('a' + stream.gotBytes++ % 23, content.charAt(i));
    }
    stream.ourWindow -= content.length();
    ourConnectionWindow -= content.length();
    assertTrue(content.isEmpty() || stream.ourWindow >= 0, "more than the stream's window");
    assertTrue(content.isEmpty() || ourConnectionWindow >= 0, "more than the connection's window");
    ended(id, stream, end);
  }

  private void ended(int id, Stream stream, boolean end) {
    if (end) {
      assertEquals(stream.givenBytes, stream.gotBytes);
      stream.ourEnd = true;
    }
  }

  private void check() {
    long held = 0;
    long waiting = 0;
    long extra = 0;
    for (var entry : streams.entrySet()) {
      final int slot = server.slot(entry.getKey());
      final Stream stream = entry.getValue();
      assertEquals(stream.held, server.connection.heldBytes(slot));
      held += stream.held;
      extra += server.connection.streams.extraBytes[slot];
      if (!stream.peerEnded) {
        assertEquals(stream.peerWindow, server.connection.streams.receiveWindow[slot]);
        assertEquals(
            WINDOW_BYTES + server.connection.streams.extraBytes[slot],
            stream.peerWindow + server.connection.streams.uncreditedBytes[slot] + stream.held,
            "credit and held bytes are the window");
      }
      waiting += stream.givenBytes - stream.gotBytes;
    }
    for (Stream stream : released.values()) {
      waiting += stream.ourEnd ? 0 : stream.givenBytes - stream.gotBytes;
    }
    for (ByteBuf content : server.connection.streams.waiting) {
      if (content != null) {
        waiting -= content.readableBytes();
        held += content.capacity();
      }
    }
    assertEquals(0, waiting);
    assertTrue(
        extra <= server.connection.windows.growth().extraBytes(),
        "streams that are let go have some");
    widened += extra > 0 ? 1 : 0;
    assertEquals(held, server.connection.heldBytes());
    released.values().removeIf(s -> s.ourEnd);
  }

  /** Everything ends: what waits is let go by windows that are large enough. */
  private void finish() {
    peer.bytesPerRead = 0;
    for (var entry : new TreeMap<>(streams).entrySet()) {
      final Stream stream = entry.getValue();
      if (!stream.peerEnded) {
        stream.peerEnded = true;
        peer.data(entry.getKey(), true, "").send();
      }
      if (!stream.endGiven) {
        if (!stream.headSent) {
          server.head(entry.getKey(), false, ":status: 200");
        }
        stream.headSent = true;
        stream.endGiven = true;
        server.data(entry.getKey(), true, "");
      }
      takeFrames();
      if (streams.containsKey(entry.getKey())) {
        letGo(stream, entry.getKey());
      }
    }
    ourConnectionWindow += 1 << 29;
    peer.windowUpdate(0, 1 << 29);
    for (var entry : released.entrySet()) {
      entry.getValue().ourWindow += 1 << 29;
      peer.windowUpdate(entry.getKey(), 1 << 29);
    }
    peer.send();
    takeFrames();
    check();
    assertTrue(released.isEmpty(), "all that was given has come: " + released.keySet());
  }
}
