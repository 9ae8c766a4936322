package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(120)
class ListeningSocketTest {
  private static final int STARTER_COUNT = 4;
  private static final int ROUNDS = 100;

  @TempDir private Path folder;

  /** Each finds the file of one that was killed, and one at most may take its place. */
  @Test
  void letsOneOfManyThatStartAtOnceListen() throws Exception {
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(folder.resolve("a.sock"));
    Transport transport = Transport.of(TransportKind.AUTO);
    EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
    ExecutorService starters = Executors.newFixedThreadPool(STARTER_COUNT);
    CyclicBarrier together = new CyclicBarrier(STARTER_COUNT);
    Callable<ListeningSocket> start =
        () -> {
          together.await(60, TimeUnit.SECONDS);
          try {
            return ListeningSocket.bind(acceptor(group, transport, address), transport, address);
          } catch (IOException taken) {
            return null;
          }
        };
    try {
      for (int round = 0; round < ROUNDS; round++) {
        try (ServerSocketChannel killed = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
          killed.bind(address);
        }
        List<ListeningSocket> started = new ArrayList<>();
        List<Callable<ListeningSocket>> all = Stream.generate(() -> start).limit(4).toList();
        for (Future<ListeningSocket> future : starters.invokeAll(all)) {
          if (future.get() != null) {
            started.add(future.get());
          }
        }
        assertEquals(1, started.size(), "round " + round);
        try (SocketChannel client = SocketChannel.open(address)) {
          assertTrue(client.isConnected());
        }
        started.get(0).close();
        try (Stream<Path> left = Files.list(folder)) {
          assertEquals(List.of(folder.resolve(".weir-lock")), left.toList());
        }
      }
    } finally {
      starters.shutdown();
      group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"a.sock", "a"})
  void listensByAPathAsLongAsTheyMayBe(String name) throws Exception {
    int pad = ListeningSocket.MAX_PATH_BYTES - folder.toString().length() - name.length() - 2;
    Path path = Files.createDirectory(folder.resolve("d".repeat(pad))).resolve(name);
    UnixDomainSocketAddress address = UnixDomainSocketAddress.of(path);
    for (TransportKind kind : List.of(TransportKind.NIO, TransportKind.AUTO)) {
      Transport transport = Transport.of(kind);
      EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport.handlerFactory());
      try (ListeningSocket socket =
              ListeningSocket.bind(acceptor(group, transport, address), transport, address);
          SocketChannel client = SocketChannel.open(address)) {
        assertTrue(client.isConnected(), socket.address().toString());
      } finally {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
      }
    }
  }

  private static Acceptor acceptor(
      EventLoopGroup group, Transport transport, UnixDomainSocketAddress address) {
    return new Acceptor(
        group,
        transport.serverChannel(address),
        new ChannelSetUp() {
          @Override
          protected void setUp(Channel client) {
            client.close();
          }
        });
  }
}
