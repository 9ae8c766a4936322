package dev.weir.proxy.rig;

import dev.weir.proxy.request.StoreFault;
import dev.weir.proxy.wiring.StartException;
import dev.weir.scripts.server.RedisServer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntFunction;

/** Several sidecars in this process that share one store, each with an origin of its own. */
public final class Fleet implements AutoCloseable {
  public final List<Rig> rigs = new ArrayList<>();

  /**
   * @param flags a flag, its value, and so on; the mode is exact unless they say it, and the key
   *     x-user.
   */
  public Fleet(int size, String nodes, String... flags) throws IOException, StartException {
    // On a busy machine a decision may take long, and then a policy decides: here none may.
    List<String> all =
        new ArrayList<>(
            List.of("--redis.nodes", nodes, "--redis.deadline", "1s", "--key", "header:x-user"));
    all.addAll(List.of(flags));
    if (!all.contains("--mode")) {
      all.addAll(List.of("--mode", "exact"));
    }
    for (int i = 0; i < size; i++) {
      List<String> transports = Rig.transports();
      rigs.add(Rig.patient(transports.get(i % transports.size()), all.toArray(String[]::new)));
    }
  }

  private Fleet() {}

  /** Several with one file: see {@link Rig#ofFile}. */
  public static Fleet ofFile(int size, String yaml) throws IOException, StartException {
    Fleet fleet = new Fleet();
    List<String> transports = Rig.transports();
    for (int i = 0; i < size; i++) {
      fleet.rigs.add(Rig.ofFile(transports.get(i % transports.size()), yaml));
    }
    return fleet;
  }

  /**
   * Waits until each has that many connections that decide: a cold and busy machine may take longer
   * for them than a start waits.
   */
  public Fleet deciding(int connections) throws Exception {
    for (Rig rig : rigs) {
      rig.await(StoreRig.DECIDING, connections);
    }
    return this;
  }

  public static String node(RedisServer server) {
    return "127.0.0.1:" + server.port();
  }

  public Rig rig(int index) {
    return rigs.get(index);
  }

  /** One connection to each sidecar in turn, that many in all. */
  public List<RawClient> connect(int count) throws IOException {
    List<RawClient> clients = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      clients.add(rigs.get(i % rigs.size()).connect());
    }
    return clients;
  }

  /** Sends one request on each connection, and reads no answer before; the statuses. */
  public static List<Integer> atOnce(List<RawClient> clients, String request) throws Exception {
    return atOnce(clients, client -> request);
  }

  /**
   * The same of requests that differ.
   *
   * @param requests by the index of a connection.
   */
  public static List<Integer> atOnce(List<RawClient> clients, IntFunction<String> requests)
      throws Exception {
    for (int i = 0; i < clients.size(); i++) {
      clients.get(i).send(requests.apply(i));
    }
    List<Integer> statuses = new ArrayList<>();
    for (RawClient client : clients) {
      statuses.add(client.read().status());
    }
    return statuses;
  }

  public static String get(String user) {
    return "GET / HTTP/1.1\r\nHost: a\r\nX-User: " + user + "\r\n\r\n";
  }

  public double sum(String metric) {
    double sum = 0;
    for (Rig rig : rigs) {
      sum += rig.metric(metric);
    }
    return sum;
  }

  /** How many requests the store did not decide, by the reason; for messages. */
  public String undecided() {
    List<String> figures = rigs.stream().map(Rig::metrics).toList();
    StringBuilder text = new StringBuilder();
    for (StoreFault fault : StoreFault.values()) {
      String reason = fault.name().toLowerCase(Locale.ROOT);
      String metric = "weir_store_undecided_total{reason=\"" + reason + "\"}";
      double count = figures.stream().mapToDouble(each -> Rig.metric(each, metric)).sum();
      if (count > 0) {
        text.append(text.isEmpty() ? "" : ", ").append((long) count).append(' ').append(reason);
      }
    }
    return text.isEmpty() ? "none" : text.toString();
  }

  @Override
  public void close() throws IOException {
    for (Rig rig : rigs) {
      rig.close();
    }
  }
}
