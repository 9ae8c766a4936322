package dev.weir.bench.load;

import dev.weir.bench.load.LoadRun.LoadException;
import dev.weir.bench.load.TargetLoad.Settings;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.RequestSpec;
import dev.weir.bench.scenario.Scenario;
import dev.weir.bench.scenario.Schedule;
import dev.weir.bench.scenario.Target;
import dev.weir.proxy.loop.Transport;
import io.netty.channel.EventLoopGroup;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Which connections, and which part of the load, each event loop gets. */
final class LoadLayout {
  private final Scenario scenario;
  private final ClientSettings client;
  private final Transport transport;
  private final Function<Target, InetSocketAddress> addresses;
  private final Requests requests;
  private final List<Part> parts = new ArrayList<>();

  /**
   * @param addresses where targets really are.
   */
  LoadLayout(
      Scenario scenario, Transport transport, Function<Target, InetSocketAddress> addresses) {
    this.scenario = scenario;
    this.client = scenario.client();
    requests = new Requests(client);
    this.transport = transport;
    this.addresses = addresses;
  }

  /** A target's load on one event loop, before there is one. */
  private record Part(
      LoadLoop loop, Connector connector, RequestMix mix, double share, int connections) {}

  /**
   * An event loop of the group for each that was asked for, with the loads of its targets.
   *
   * @throws LoadException if a target's name is unknown.
   */
  List<LoadLoop> loops(EventLoopGroup group) throws LoadException {
    final List<LoadLoop> loops = new ArrayList<>();
    for (int i = 0; i < client.eventLoops(); i++) {
      loops.add(new LoadLoop(group.next(), new ArrayList<>()));
    }
    final Map<Target, List<RequestSpec>> kinds = new LinkedHashMap<>();
    for (RequestSpec spec : scenario.requests()) {
      kinds.computeIfAbsent(spec.target(), target -> new ArrayList<>()).add(spec);
    }
    final double[] weights =
        kinds.values().stream()
            .mapToDouble(specs -> specs.stream().mapToDouble(RequestSpec::weight).sum())
            .toArray();
    final double weightSum = Arrays.stream(weights).sum();
    final int[] connections = spread(client.connections(), weights);
    int target = 0;
    for (Map.Entry<Target, List<RequestSpec>> entry : kinds.entrySet()) {
      divide(
          entry.getKey(),
          entry.getValue(),
          weights[target] / weightSum,
          connections[target],
          rotated(loops, target));
      target++;
    }
    addLanes();
    return loops;
  }

  /** Connections by weight, at least one for each, as long as there are so many. */
  static int[] spread(int connections, double[] weights) {
    final double weightSum = Arrays.stream(weights).sum();
    final int[] spread = new int[weights.length];
    Arrays.fill(spread, 1);
    for (int left = connections - weights.length; left > 0; left--) {
      int next = 0;
      for (int i = 1; i < weights.length; i++) {
        // Who is furthest behind.
        final double missing = weights[i] / weightSum * connections - spread[i];
        next = missing > weights[next] / weightSum * connections - spread[next] ? i : next;
      }
      spread[next]++;
    }
    return spread;
  }

  /** So that it is not always the first loop that has one connection more. */
  private static List<LoadLoop> rotated(List<LoadLoop> loops, int by) {
    final List<LoadLoop> rotated = new ArrayList<>();
    for (int i = 0; i < loops.size(); i++) {
      rotated.add(loops.get((i + by) % loops.size()));
    }
    return rotated;
  }

  private void divide(
      Target target, List<RequestSpec> specs, double share, int connections, List<LoadLoop> loops)
      throws LoadException {
    final InetSocketAddress address = addresses.apply(target);
    if (address.isUnresolved()) {
      throw new LoadException(target + ": no such host (expected: a name or an address)", null);
    }
    final Request[][] kinds = new Request[specs.size()][];
    final double[] weights = new double[kinds.length];
    for (int i = 0; i < weights.length; i++) {
      weights[i] = specs.get(i).weight();
      kinds[i] = requests.of(specs.get(i), scenario.keys().names());
    }
    for (int i = 0; i < loops.size(); i++) {
      final int some = connections / loops.size() + (i < connections % loops.size() ? 1 : 0);
      if (some > 0) {
        final LoadLoop loop = loops.get(i);
        parts.add(
            new Part(
                loop,
                new Connector(loop.eventLoop(), transport, target, client, address),
                new RequestMix(kinds, weights, scenario.keys().picker(parts.size())),
                share * some / connections,
                some));
      }
    }
  }

  private void addLanes() {
    final Schedule schedule = scenario.load().schedule();
    final long warmUpNs = scenario.load().warmUpNs();
    final double[] shares = parts.stream().mapToDouble(Part::share).toArray();
    final List<Schedule.Cursor> measured = schedule == null ? null : schedule.cursors(shares);
    final List<Schedule.Cursor> warmUp =
        schedule == null || warmUpNs == 0
            ? null
            : Schedule.constant(schedule.meanRate(), warmUpNs).cursors(shares);
    for (int i = 0; i < shares.length; i++) {
      final Part part = parts.get(i);
      part.loop()
          .targetLoads()
          .add(
              new TargetLoad(
                  part.connector(),
                  part.mix(),
                  warmUp == null ? null : warmUp.get(i),
                  measured == null ? null : measured.get(i),
                  new Settings(
                      part.connections(),
                      client.requestsPerConnection(),
                      client.timeoutNs(),
                      schedule == null)));
    }
  }
}
