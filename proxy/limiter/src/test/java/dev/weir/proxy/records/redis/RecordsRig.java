package dev.weir.proxy.records.redis;

import dev.weir.proxy.loop.Deadlines;
import dev.weir.proxy.loop.LoopClock;
import dev.weir.proxy.loop.Transport;
import dev.weir.proxy.loop.TransportKind;
import dev.weir.proxy.records.Author;
import dev.weir.proxy.records.RecordListener;
import dev.weir.proxy.records.RecordName;
import dev.weir.proxy.records.RecordName.Kind;
import dev.weir.proxy.records.RecordVersion;
import dev.weir.proxy.records.RecordWrite;
import dev.weir.proxy.request.StoreObserver;
import dev.weir.proxy.store.Store;
import dev.weir.proxy.store.map.StoreLogin;
import dev.weir.proxy.store.map.StoreNode;
import dev.weir.proxy.store.map.StoreSettings;
import dev.weir.proxy.store.map.Topology;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A store of records over a real Redis, as one sidecar has it. */
final class RecordsRig implements AutoCloseable {
  static final Author ANN = new Author("ann", "10.0.0.1", "r1", "");

  private final EventLoopGroup group;
  final Told told = new Told();
  final Store store;
  final RedisRecordStore records;

  RecordsRig(int... ports) throws InterruptedException {
    this(settings(Topology.STANDALONE, null, StoreLogin.NONE, ports));
  }

  RecordsRig(StoreSettings settings) throws InterruptedException {
    Transport transport = Transport.of(TransportKind.NIO);
    group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    store = new Store(settings, transport, "shop", () -> "", (peers, rank) -> {});
    EventLoop loop = (EventLoop) group.iterator().next();
    LoopClock clock = new LoopClock();
    Deadlines deadlines = new Deadlines(clock);
    loop.submit(() -> deadlines.start(loop)).sync();
    store.join(loop, clock, deadlines, new StoreObserver() {});
    records =
        new RedisRecordStore(store.servers(), new RecordKeys("shop", "shop"), UserNames::of, null);
    store.follow(records.feed());
    records.listen(told);
    store.start(TimeUnit.SECONDS.toNanos(5));
  }

  static StoreSettings settings(Topology topology, String master, StoreLogin login, int... ports) {
    List<StoreNode> nodes =
        IntStream.of(ports)
            .mapToObj(port -> new StoreNode(new InetSocketAddress("127.0.0.1", port), 1))
            .toList();
    return new StoreSettings(
        nodes, topology, master, login, StoreLogin.NONE, 0, false, null, 1_000_000_000);
  }

  static RecordName rule(String id) {
    return new RecordName(Kind.RULE, id);
  }

  static RecordName user(String id) {
    return new RecordName(Kind.USER, id);
  }

  static RecordWrite write(RecordName name, RecordVersion expected, String json) {
    return new RecordWrite(name, expected, json);
  }

  /** What the feed has told. */
  static final class Told implements RecordListener {
    final List<String> lines = new CopyOnWriteArrayList<>();

    @Override
    public void rulesChanged(RecordVersion head) {
      lines.add("rules " + head.number());
    }

    @Override
    public void userChanged(String identity, RecordVersion version) {
      lines.add("user " + identity + " " + version.number());
    }

    @Override
    public void allUsersChanged() {
      lines.add("all users");
    }

    @Override
    public void usersCounted(long count) {
      lines.add("count " + count);
    }
  }

  @Override
  public void close() {
    records.close();
    store.close();
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
  }
}
