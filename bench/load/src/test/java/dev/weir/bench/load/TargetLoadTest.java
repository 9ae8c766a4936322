package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.bench.load.LoopRecorder.Count;
import dev.weir.bench.load.TargetLoad.Settings;
import dev.weir.bench.report.LatencySeries;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.Test;

/** What is due, on connections that only write down what they are asked for. */
class TargetLoadTest {
  private static final long SECOND_NS = 1_000_000_000L;
  private static final long MILLI_NS = 1_000_000;
  private static final Request REQUEST = new Request(new byte[1], Request.NO_BODY, false);

  /** Long ago: what a targetLoad does by its own clock comes behind all that is tried here. */
  private final long startNs = System.nanoTime() - 2 * SECOND_NS;

  private final LoopRecorder recorder = new LoopRecorder(startNs);
  private final List<String> asked = new ArrayList<>();

  private final class Connection implements LoadConnection {
    private final String name;
    private boolean room = true;
    private int inFlight;

    private Connection(String name) {
      this.name = name;
    }

    @Override
    public boolean hasRoom() {
      return room;
    }

    @Override
    public int inFlight() {
      return inFlight;
    }

    @Override
    public void start(Request request, long dueNs, long nowNs) {
      assertTrue(room);
      room = false;
      inFlight++;
      asked.add(name + " " + (dueNs - startNs) / MILLI_NS);
    }

    @Override
    public void flush() {
      asked.add(name + " flush");
    }

    @Override
    public void expire(long startedBeforeNs) {}

    @Override
    public void close() {
      asked.add(name + " close");
    }
  }

  private TargetLoad targetLoad(boolean closedLoop, Connection... connections) {
    return targetLoad(closedLoop, 300 * MILLI_NS, connections);
  }

  /** A request each 100 ms, from 50 ms on, for 1.5 s. */
  private TargetLoad targetLoad(boolean closedLoop, long timeoutNs, Connection... connections) {
    final TargetLoad targetLoad =
        new TargetLoad(
            new Connector(null, null, new Target(false, "h", 80, "h"), null, null),
            new RequestMix(new Request[][] {{REQUEST}}, new double[] {1}, () -> 0),
            null,
            closedLoop ? null : Schedule.constant(10, SECOND_NS * 3 / 2).cursors(1).get(0),
            new Settings(connections.length, ClientSettings.NO_END, timeoutNs, closedLoop));
    for (Connection connection : connections) {
      targetLoad.opened(connection);
    }
    targetLoad.begin(
        new RunTimes(startNs, 0, SECOND_NS * 3 / 2),
        recorder,
        new LoadLoop(null, List.of(targetLoad)));
    return targetLoad;
  }

  private void expect(String... all) {
    assertEquals(List.of(all), asked);
    asked.clear();
  }

  @Test
  void startsWhatIsDueOnWhatHasHadRoomForLongest() {
    final TargetLoad targetLoad = targetLoad(false, new Connection("a"), new Connection("b"));
    targetLoad.startDue(startNs + 49 * MILLI_NS);
    expect();
    assertEquals(startNs + 50 * MILLI_NS, targetLoad.nextDueNs());
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect("a 50", "a flush");
    targetLoad.startDue(startNs + 160 * MILLI_NS);
    expect("b 150", "b flush");
    assertEquals(2, targetLoad.inFlight());
    assertEquals(2, recorder.count(Count.SENT));
  }

  @Test
  void whatIsDueWaitsForRoomAndIsStartedWithTheTimeAtWhichItWasDue() {
    final Connection a = new Connection("a");
    final TargetLoad targetLoad = targetLoad(false, 1_000 * SECOND_NS, a);
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect("a 50", "a flush");
    targetLoad.startDue(startNs + 160 * MILLI_NS);
    assertEquals(Long.MAX_VALUE, targetLoad.nextDueNs(), "nothing until there is room");
    targetLoad.room(a);
    expect();
    a.room = true;
    targetLoad.room(a);
    expect("a 150", "a flush");
    final Histogram late = LatencySeries.emptyHistogram();
    recorder.drain(LoopRecorder.Time.LATE, late);
    assertTrue(late.getMaxValue() < 11 * MILLI_NS, "the second could not have been before");
  }

  @Test
  void whatTheWarmUpHasNotGotToIsNotAskedForAnyMore() {
    final Connection a = new Connection("a");
    final TargetLoad targetLoad =
        new TargetLoad(
            new Connector(null, null, new Target(false, "h", 80, "h"), null, null),
            new RequestMix(new Request[][] {{REQUEST}}, new double[] {1}, () -> 0),
            Schedule.constant(10, SECOND_NS).cursors(1).get(0),
            Schedule.constant(10, SECOND_NS / 2).cursors(1).get(0),
            new Settings(1, ClientSettings.NO_END, 1_000 * SECOND_NS, false));
    targetLoad.opened(a);
    targetLoad.begin(
        new RunTimes(startNs, SECOND_NS, SECOND_NS / 2),
        recorder,
        new LoadLoop(null, List.of(targetLoad)));
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect("a 50", "a flush");
    targetLoad.startDue(startNs + 999 * MILLI_NS);
    a.room = true;
    targetLoad.room(a);
    expect("a 1050", "a flush");
  }

  @Test
  void whatCannotBeStartedWithinTheTimeOutHasFailed() {
    final TargetLoad targetLoad = targetLoad(false, new Connection("a"));
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect("a 50", "a flush");
    targetLoad.startDue(startNs + 600 * MILLI_NS);
    expect();
    assertEquals(2, recorder.failures(Failure.NOT_STARTED), "due at 150 and 250 ms");
    targetLoad.startDue(startNs + 2 * SECOND_NS);
    assertEquals(14, recorder.failures(Failure.NOT_STARTED), "all but the first");
    assertFalse(targetLoad.idle(startNs + 2 * SECOND_NS), "the first is in flight");
  }

  @Test
  void aConnectionThatWasToldToEndIsPassedOver() {
    final Connection a = new Connection("a");
    final TargetLoad targetLoad = targetLoad(false, a, new Connection("b"));
    a.room = false;
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect("b 50", "b flush");
  }

  @Test
  void nothingIsStartedBeforeTheRunNorAfterIt() {
    final TargetLoad targetLoad = targetLoad(true, new Connection("a"), new Connection("b"));
    targetLoad.startDue(startNs - 1);
    targetLoad.startDue(startNs + 2 * SECOND_NS);
    expect();
    targetLoad.startDue(startNs);
    expect("a 0", "b 0", "a flush", "b flush");
  }

  @Test
  void aConnectionThatHasHadItsRequestsIsReplacedOnceTheLastIsAnswered() {
    final Connection a = new Connection("a");
    final int[] connecting = {0};
    final Connector connector =
        new Connector(null, null, new Target(false, "h", 80, "h"), null, null) {
          @Override
          public void connect(LoadSink sink) {
            connecting[0]++;
          }
        };
    final TargetLoad targetLoad =
        new TargetLoad(
            connector,
            new RequestMix(new Request[][] {{REQUEST}}, new double[] {1}, () -> 0),
            null,
            Schedule.constant(10, SECOND_NS * 3 / 2).cursors(1).get(0),
            new Settings(1, 2, 1_000 * SECOND_NS, false));
    targetLoad.opened(a);
    targetLoad.begin(
        new RunTimes(startNs, 0, SECOND_NS * 3 / 2),
        recorder,
        new LoadLoop(null, List.of(targetLoad)));
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    a.room = true;
    a.inFlight = 0;
    targetLoad.room(a);
    targetLoad.startDue(startNs + 160 * MILLI_NS);
    expect("a 50", "a flush", "a 150", "a flush");
    a.room = true;
    targetLoad.room(a);
    expect();
    assertEquals(0, connecting[0], "one is in flight");
    a.inFlight = 0;
    targetLoad.room(a);
    expect("a close");
    assertEquals(1, connecting[0]);
    assertEquals(0, recorder.count(Count.RECONNECTED), "it was not lost");
  }

  @Test
  void nothingIsToldOnceItIsClosed() {
    final Connection a = new Connection("a");
    final TargetLoad targetLoad = targetLoad(false, a);
    targetLoad.close();
    expect("a close");
    targetLoad.startDue(startNs + 60 * MILLI_NS);
    expect();
    targetLoad.opened(new Connection("late"));
    expect("late close");
    targetLoad.refused(new java.io.IOException("too late to try again"));
  }
}
