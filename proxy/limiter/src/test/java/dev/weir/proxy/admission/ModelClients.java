package dev.weir.proxy.admission;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.Asked;
import dev.weir.proxy.request.Question;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.Verdict;
import dev.weir.proxy.request.VerdictListener;
import dev.weir.proxy.store.ModelServer;
import dev.weir.proxy.store.ModelStore;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * Clients that ask, wait and leave as a random number says, on servers in the hand of a test,
 * beside a model that only adds up what they took.
 */
final class ModelClients {
  private final AdmissionHandler admission;
  private final ModelStore store;
  private final List<ModelServer> servers;
  private final Random random;
  private final long[] costs;
  private final List<Client> waiting = new ArrayList<>();

  /** Units that passed, by identity. */
  private final Map<String, Long> passed = new HashMap<>();

  /** Units by identity of those that left before their verdict: what was granted stays charged. */
  private final Map<String, Long> left = new HashMap<>();

  int passedCount;

  /** How many were refused by a verdict that came late. */
  int refusedLateCount;

  /**
   * @param costs of a request, by the number of the key.
   */
  ModelClients(
      AdmissionHandler admission,
      ModelStore store,
      List<ModelServer> servers,
      Random random,
      long[] costs) {
    this.admission = admission;
    this.store = store;
    this.servers = servers;
    this.random = random;
    this.costs = costs;
  }

  Map<String, Long> passed() {
    return passed;
  }

  /** Units that an identity passed. */
  long passed(String name) {
    return passed.getOrDefault(name, 0L);
  }

  /** The most that an identity may be charged with if nothing was lost. */
  long most(String name) {
    return passed(name) + left.getOrDefault(name, 0L);
  }

  /**
   * One more asks.
   *
   * @param fields of its request: a name and an identity per key.
   */
  void ask(Question question, String[] fields) {
    Client client = new Client(fields);
    Asked asked = admission.ask(question, client, store.clock().nowNs());
    client.ticket = asked.ticket();
    if (asked.verdict() == null) {
      waiting.add(client);
    } else if (asked.verdict().allowed()) {
      client.passed();
    }
  }

  /** A server answers up to four of those that have asked it. */
  void answer(ModelServer server) {
    for (int count = random.nextInt(5); count > 0 && server.pendingCount() > 0; count--) {
      server.answer();
    }
  }

  /** One of those that wait leaves. */
  void leave() {
    if (!waiting.isEmpty()) {
      Client client = waiting.remove(random.nextInt(waiting.size()));
      admission.ended(client.ticket, new RequestEnd().set(RequestEnd.How.CLIENT_GONE));
      client.count(left);
    }
  }

  /**
   * Answers whatever comes until there is nothing more.
   *
   * @param deadlineNs of the store.
   */
  void settle(long deadlineNs) {
    for (int quiet = 0; quiet < 40; quiet++) {
      for (ModelServer server : servers) {
        while (server.pendingCount() > 0) {
          server.answer();
          quiet = 0;
        }
      }
      store.pass(deadlineNs / 16);
    }
    assertEquals(List.of(), waiting, "nobody waits for ever");
  }

  private final class Client implements VerdictListener {
    private final String[] fields;
    private long ticket;

    Client(String[] fields) {
      this.fields = fields;
    }

    private void count(Map<String, Long> where) {
      for (int key = 0; key < costs.length; key++) {
        where.merge(fields[2 * key + 1], costs[key], Long::sum);
      }
    }

    private void passed() {
      passedCount++;
      count(passed);
    }

    @Override
    public void decided(long ofTicket, Verdict verdict) {
      waiting.remove(this);
      if (verdict.allowed()) {
        passed();
      } else {
        refusedLateCount++;
      }
    }
  }
}
