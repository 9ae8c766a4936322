package dev.weir.proxy.virtual;

import dev.weir.proxy.wiring.VirtualSidecar;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/** One sidecar, whose settings are drawn, and the network around it. It serves many episodes. */
final class World implements AutoCloseable {
  static final long MS = 1_000_000;

  private static final InetSocketAddress LISTENER = address(1, 8000);

  /** The host of a crowd, of which no other client is. */
  private static final int CROWD = 99;

  private static final long WIDE_HEAP_BYTES = 512 << 20;
  private static final long NARROW_HEAP_BYTES = 4 << 20;

  final VirtualLoop loop = new VirtualLoop();
  final VirtualSidecar sidecar;

  /** The servers of the store; none if there is no store. */
  final VirtualStore store;

  /** Sockets that are not closed, of clients and services. */
  final List<VirtualSocket> sockets = new ArrayList<>();

  /** Sockets that wait to be connected to the service. */
  final List<VirtualSocket> connecting = new ArrayList<>();

  private Choices choices;
  private final String settings;
  private final boolean isHttp2;
  private final long heapBytes;
  private DrawnRule firstRule;

  /** The rule in use. */
  private DrawnRule rule;

  private int clientCount;
  private int episodeCount;

  World(Choices choices) {
    this.choices = choices;
    isHttp2 = choices.below(2) == 1;
    store = new VirtualStore(choices.of(0, 0, 1, 2, 3));
    firstRule = DrawnRule.draw(!store.servers.isEmpty(), choices);
    rule = firstRule;
    heapBytes = choices.oneIn(8) ? NARROW_HEAP_BYTES : WIDE_HEAP_BYTES;
    settings =
        "upstream: "
            + (isHttp2 ? "h2c" : "http")
            + "://127.0.0.1:1\nlisten: 127.0.0.1:0\nadmin: off\nevent-loops: 1\n"
            + "decision: 127.0.0.1:0\n"
            + "table: {keys: 1000, ring-keys: 1000, ring-cells: "
            + DrawnRule.RING_CELLS
            + "}\n"
            + (store.servers.isEmpty() ? "" : "redis: {nodes: ['127.0.0.1:1'], deadline: 100ms}\n")
            + "timeouts: {head: 1s, body: 1s, idle: 3s, write: 2s, connect: 1s, response: 2s,"
            + " upstream-idle: 2s, upstream-queue: 500ms}\n"
            + "caps: {upstream-connections: "
            + choices.of(4, 1, 2)
            + ", upstream-http2-connections: "
            + choices.of(2, 1)
            + ", upstream-streams: "
            + choices.of(4, 1)
            + ", upstream-queue: "
            + choices.of(8, 1, 2)
            + "}\n";
    if (choices.oneIn(4)) {
      firstRule = DrawnRule.drawHeld(!store.servers.isEmpty(), choices);
      rule = firstRule;
    }
    sidecar =
        new VirtualSidecar(
            settings + rule.yaml(),
            loop,
            loop::nowNs,
            this::socketToService,
            store.servers,
            heapBytes,
            below -> this.choices.below((int) below));
    loop.turn();
  }

  @Override
  public void close() {
    loop.close();
    sidecar.close();
  }

  /** Begins an episode of these choices, and returns what begins the names of its clients. */
  String begin(Choices of) {
    choices = of;
    if (rule != firstRule) {
      use(firstRule);
    }
    return "e" + episodeCount++ + '-';
  }

  /** The settings in use, with the number of the store's servers. */
  String settings() {
    return store.servers.size() + " servers of the store, " + settings + rule.yaml();
  }

  /** Whether the service speaks HTTP/2. */
  boolean isHttp2() {
    return isHttp2;
  }

  /** The rule in use. */
  DrawnRule rule() {
    return rule;
  }

  /** Takes other rules. */
  void reload(Choices by) {
    use(rule.changed(by));
  }

  private void use(DrawnRule other) {
    rule = other;
    sidecar.reload(settings + other.yaml());
  }

  private static InetSocketAddress address(int host, int port) {
    try {
      return new InetSocketAddress(
          InetAddress.getByAddress(new byte[] {10, 0, (byte) (host >> 8), (byte) host}), port);
    } catch (UnknownHostException impossible) {
      throw new AssertionError(impossible);
    }
  }

  private static int bufferBytes(Choices by) {
    return by.of(1 << 16, 200, 2_000, 8_000);
  }

  /** A client's connection that was accepted. */
  VirtualSocket connect(Choices by) {
    VirtualSocket socket = socket(2 + by.below(3), bufferBytes(by));
    sidecar.accept(socket);
    return socket;
  }

  /** A connection to the decision API that was accepted. */
  VirtualSocket connectProgram(Choices by) {
    VirtualSocket socket = socket(2 + by.below(3), bufferBytes(by));
    sidecar.acceptProgram(socket);
    return socket;
  }

  /** A connection of a crowd that was accepted, as all of them from one address. */
  VirtualSocket connectCrowd() {
    VirtualSocket socket = socket(CROWD, 64);
    sidecar.accept(socket);
    return socket;
  }

  private VirtualSocket socket(int host, int bufferBytes) {
    VirtualSocket socket =
        new VirtualSocket(LISTENER, address(host, 1 + clientCount++ % 60_000), bufferBytes, 4_096);
    sockets.add(socket);
    return socket;
  }

  /**
   * The most connections of an address that are kept: three quarters of half of the heap, of which
   * each takes 10 KiB.
   */
  int mostOfAddress() {
    return (int) (heapBytes * 3 / 8 / 10_240) + 1;
  }

  /** Whether some hundred connections of one address are more than may be. */
  boolean isNarrow() {
    return heapBytes == NARROW_HEAP_BYTES;
  }

  private VirtualSocket socketToService() {
    return new VirtualSocket(this::connecting, LISTENER, bufferBytes(choices), 4_096);
  }

  private void connecting(VirtualSocket socket) {
    connecting.add(socket);
  }
}
