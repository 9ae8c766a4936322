package dev.weir.proxy.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.util.concurrent.DefaultEventExecutorGroup;
import io.netty.util.concurrent.EventExecutorGroup;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LoopBroadcastTest {
  private final EmbeddedChannel first = new EmbeddedChannel();
  private final EmbeddedChannel second = new EmbeddedChannel();
  private final LoopBroadcast<String> loops = new LoopBroadcast<>();
  private final List<String> done = new ArrayList<>();

  @BeforeEach
  void join() {
    loops.add(loop(first), "first");
    loops.add(loop(second), "second");
  }

  @AfterEach
  void close() {
    first.close();
    second.close();
  }

  private static EventLoop loop(EmbeddedChannel channel) {
    return channel.eventLoop();
  }

  @Test
  void whatIsToldIsInUseEverywhereOnlyWhenTheLastLoopHasDoneIt() {
    long version = loops.tell(done::add, () -> done.add("all"));
    assertEquals(0, loops.acknowledged());
    second.runPendingTasks();
    assertEquals(0, loops.acknowledged());
    assertEquals(List.of("second"), done);
    first.runPendingTasks();
    assertEquals(version, loops.acknowledged());
    assertEquals(List.of("second", "first", "all"), done);
  }

  /** A SIGHUP that comes with the SIGTERM tells loops that have ended. */
  @Test
  void whatIsToldAfterTheEndIsHeardByNobody() {
    EventExecutorGroup group = new DefaultEventExecutorGroup(1);
    group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
    loops.add(group.next(), "ended");
    long version = loops.tell(done::add, () -> done.add("all"));
    first.runPendingTasks();
    second.runPendingTasks();
    assertEquals(List.of("first", "second"), done);
    assertEquals(version - 1, loops.acknowledged());
  }

  @Test
  void aLoopThatIsBehindKeepsBackWhatTheOthersHaveDoneTwice() {
    loops.tell(part -> {}, () -> done.add("one"));
    long later = loops.tell(part -> {}, () -> done.add("two"));
    first.runPendingTasks();
    assertEquals(0, loops.acknowledged());
    second.runPendingTasks();
    assertEquals(later, loops.acknowledged());
    assertEquals(List.of("one", "two"), done);
  }

  @Test
  void aLoopThatCouldNotDoItAcknowledgesNothingLater() {
    final long errors = InternalErrors.count();
    loops.tell(
        part -> {
          if (part.equals("first")) {
            throw new IllegalStateException("broken");
          }
        },
        () -> done.add("one"));
    loops.tell(part -> {}, () -> done.add("two"));
    first.runPendingTasks();
    second.runPendingTasks();
    assertEquals(1, InternalErrors.count() - errors);
    assertEquals(0, loops.acknowledged());
    assertEquals(List.of("two"), done);
  }
}
