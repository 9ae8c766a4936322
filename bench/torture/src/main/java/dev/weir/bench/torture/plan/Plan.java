package dev.weir.bench.torture.plan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;

/**
 * All decisions of an episode.
 *
 * @param sidecars how many there are.
 * @param http2Service whether the service speaks HTTP/2, and HTTP/1.1 otherwise.
 * @param storeSecured whether the store is reached by TLS, as a user of an ACL.
 * @param faults in the order of their times.
 * @param hard whether attacks are among them that take a machine of its own, and more changes.
 */
public record Plan(
    long seed,
    long lastsMs,
    boolean hard,
    int sidecars,
    boolean http2Service,
    StoreKind store,
    boolean storeSecured,
    long storeDeadlineMs,
    List<RulePlan> rules,
    List<ClientPlan> clients,
    List<AttackPlan> attacks,
    List<FaultPlan> faults) {
  /** No fault and no attack begins later than so long before the end. */
  public static final long QUIET_MS = 4_000;

  /** The topology of the store. */
  public enum StoreKind {
    STANDALONE,
    SENTINEL,
    CLUSTER,
    SHARDED
  }

  private static final int CLIENTS_LEAST = 8;
  private static final int CLIENTS_MOST = 14;
  private static final int RULES_CHANGED_PERCENT = 20;
  private static final int CALM_PERCENT = 25;
  private static final int IDENTITIES_MOST = 5;
  private static final int TLS_PERCENT = 30;

  /** Draws what the seed says. */
  public static Plan draw(long seed, long lastsMs, boolean hard) {
    final Draw draw = new Draw(seed);
    final int sidecars = 2 + draw.below(2);
    final boolean http2Service = draw.chance(50);
    final StoreKind store = drawStore(draw.split());
    final boolean secured = draw.split().chance(40);
    final long storeDeadlineMs = draw.split().spread(100, 1_000);
    return new Plan(
            seed,
            lastsMs,
            hard,
            sidecars,
            http2Service,
            store,
            secured,
            storeDeadlineMs,
            RuleDraw.rules(draw.split()),
            List.of(),
            drawAttacks(draw.split(), lastsMs, hard),
            drawFaults(draw.split(), lastsMs, store, hard))
        .withDrawnClients(draw.split())
        .withFeatures(draw.split())
        .calmAtTimes(draw.split())
        .byTlsAtTimes(draw.split());
  }

  private static StoreKind drawStore(Draw draw) {
    // Forming a cluster takes seconds, and a proxy stands in front of a single server only.
    return draw.chance(60)
        ? StoreKind.STANDALONE
        : draw.of(StoreKind.SENTINEL, StoreKind.CLUSTER, StoreKind.SHARDED);
  }

  private Plan withDrawnClients(Draw draw) {
    final List<ClientPlan> drawn = new ArrayList<>();
    final int count = CLIENTS_LEAST + draw.below(CLIENTS_MOST - CLIENTS_LEAST + 1);
    for (int i = 0; i < count; i++) {
      final RulePlan rule = rules.get(i % rules.size());
      drawn.add(
          new ClientPlan(
              i,
              drawKind(draw, rule),
              rule.number(),
              draw.chance(30) ? 1 : 1 + draw.below(IDENTITIES_MOST),
              (int) draw.spread(2, 60),
              false));
    }
    return with(rules, drawn, attacks, faults);
  }

  private Plan withFeatures(Draw draw) {
    return with(RuleFeatures.added(rules, draw), clients, attacks, faults);
  }

  /**
   * Some hard episodes have several servers and no fault of a sidecar or the store: whether units
   * stay charged that should not, nobody can tell otherwise.
   */
  private Plan calmAtTimes(Draw draw) {
    if (!hard || !draw.chance(CALM_PERCENT)) {
      return this;
    }
    final List<RulePlan> own = new ArrayList<>(rules);
    own.set(0, RuleFeatures.pacedTwice(rules.get(0), draw));
    return new Plan(
        seed,
        lastsMs,
        hard,
        sidecars,
        http2Service,
        draw.of(StoreKind.SHARDED, StoreKind.CLUSTER),
        storeSecured,
        storeDeadlineMs,
        List.copyOf(own),
        clients.stream()
            .map(
                client ->
                    client.rule() == own.get(0).number()
                        ? client.withIdentities(IDENTITIES_MOST)
                        : client)
            .toList(),
        attacks,
        kept(faults, fault -> fault.kind().lane() == FaultPlan.Lane.SERVICE));
  }

  private Plan byTlsAtTimes(Draw draw) {
    return with(
        rules,
        clients.stream()
            .map(client -> client.byTls(draw.chance(TLS_PERCENT) && client.kind().isProxied()))
            .toList(),
        attacks,
        faults);
  }

  private ClientPlan.Kind drawKind(Draw draw, RulePlan rule) {
    if (rule.kind() == RulePlan.Kind.ENVOY) {
      return ClientPlan.Kind.ENVOY;
    }
    final List<ClientPlan.Kind> kinds =
        kept(List.of(ClientPlan.Kind.values()), each -> each != ClientPlan.Kind.ENVOY);
    final ClientPlan.Kind kind = draw.of(kinds);
    // Calls need a service of HTTP/2, WebSockets one of HTTP/1.1.
    return switch (kind) {
      case GRPC -> http2Service ? kind : ClientPlan.Kind.HTTP2;
      case WEB_SOCKET -> http2Service ? ClientPlan.Kind.HTTP1 : kind;
      default -> kind;
    };
  }

  private static List<AttackPlan> drawAttacks(Draw draw, long lastsMs, boolean hard) {
    final List<AttackPlan.Kind> kinds =
        kept(List.of(AttackPlan.Kind.values()), kind -> hard || !kind.isHard());
    final List<AttackPlan> attacks = new ArrayList<>();
    final int count = 2 + draw.below(4);
    for (int i = 0; i < count; i++) {
      final long fromMs = draw.between(0, (lastsMs - QUIET_MS) / 2);
      attacks.add(
          new AttackPlan(
              i,
              draw.of(kinds),
              (int) draw.spread(2, 60),
              fromMs,
              draw.between(1_000, lastsMs - QUIET_MS - fromMs)));
    }
    return attacks;
  }

  private static List<FaultPlan> drawFaults(
      Draw draw, long lastsMs, StoreKind store, boolean hard) {
    final List<FaultPlan> faults = new ArrayList<>();
    final int count = draw.below(7);
    for (int i = 0; i < count; i++) {
      final FaultPlan.Kind kind = drawFault(draw, hard);
      final long longest = Math.min(longestMs(kind), (lastsMs - QUIET_MS) / 3);
      final long toMs = draw.between(longest + 1_000, lastsMs - QUIET_MS);
      final long forMs = draw.spread(100, longest);
      final FaultPlan fault = new FaultPlan(i, kind, toMs - forMs, draw.below(100), forMs);
      if (canHappen(fault.kind(), store)) {
        faults.add(fault);
      }
    }
    faults.sort(Comparator.comparingLong(FaultPlan::atMs));
    return faults;
  }

  private static FaultPlan.Kind drawFault(Draw draw, boolean hard) {
    return hard && draw.chance(RULES_CHANGED_PERCENT)
        ? FaultPlan.Kind.RULES_CHANGED
        : draw.of(FaultPlan.Kind.values());
  }

  private static long longestMs(FaultPlan.Kind kind) {
    return switch (kind) {
      case SIDECAR_STOPPED, STORE_HUNG -> 60_000;
      default -> 3_000;
    };
  }

  private static boolean canHappen(FaultPlan.Kind kind, StoreKind store) {
    return switch (kind) {
      // A proxy stands in front of a single server only.
      case REPLIES_DELAYED, REPLIES_DROPPED, REPLIES_TRICKLED, STORE_CUT_OFF, STORE_REFUSES ->
          store == StoreKind.STANDALONE;
      case STORE_CLOCK_SET -> store == StoreKind.STANDALONE || store == StoreKind.SHARDED;
      case SLOT_MOVED -> store == StoreKind.CLUSTER;
      case WRITES_LOST -> store == StoreKind.SENTINEL;
      default -> true;
    };
  }

  /** Whether a fault of a kind is to happen. */
  public boolean has(FaultPlan.Kind kind) {
    return faults.stream().anyMatch(fault -> fault.kind() == kind);
  }

  private Plan with(
      List<RulePlan> rules,
      List<ClientPlan> clients,
      List<AttackPlan> attacks,
      List<FaultPlan> faults) {
    return new Plan(
        seed,
        lastsMs,
        hard,
        sidecars,
        http2Service,
        store,
        storeSecured,
        storeDeadlineMs,
        rules,
        clients,
        attacks,
        faults);
  }

  /** The same episode without a part that {@link #parts} names; the rest keeps its numbers. */
  public Plan without(String part) {
    final Predicate<String> stays =
        other -> !other.equals(part) && !other.substring(0, other.indexOf(' ')).equals(part);
    final List<RulePlan> left = kept(rules, rule -> stays.test("rule " + rule.number()));
    return with(
        left,
        kept(
            clients,
            client ->
                stays.test("client " + client.number())
                    && left.stream().anyMatch(rule -> rule.number() == client.rule())),
        kept(attacks, attack -> stays.test("attack " + attack.number())),
        kept(faults, fault -> stays.test("fault " + fault.number())));
  }

  private static <T> List<T> kept(List<T> all, Predicate<T> which) {
    return all.stream().filter(which).toList();
  }

  /** The names of what can be left out, coarse ones first; {@code attack} is all of them. */
  public List<String> parts() {
    final List<String> parts = new ArrayList<>();
    if (attacks.size() > 1) {
      parts.add("attack");
    }
    if (faults.size() > 1) {
      parts.add("fault");
    }
    attacks.forEach(attack -> parts.add("attack " + attack.number()));
    faults.forEach(fault -> parts.add("fault " + fault.number()));
    if (rules.size() > 1) {
      rules.forEach(rule -> parts.add("rule " + rule.number()));
    }
    if (clients.size() > 1) {
      clients.forEach(client -> parts.add("client " + client.number()));
    }
    return parts;
  }

  /** A line for each part. */
  public String text() {
    final List<String> lines = new ArrayList<>();
    lines.add(
        "seed %d: %d sidecars, service of %s, store %s%s, redis.deadline %d ms, %d s"
            .formatted(
                seed,
                sidecars,
                http2Service ? "HTTP/2" : "HTTP/1.1",
                store,
                storeSecured ? " by TLS and an ACL" : "",
                storeDeadlineMs,
                lastsMs / 1_000));
    rules.forEach(rule -> lines.add(rule.text()));
    clients.forEach(
        client ->
            lines.add(
                "client %d: %s%s rule %d, %d identities, every %d ms"
                    .formatted(
                        client.number(),
                        client.kind(),
                        client.tls() ? " by TLS" : "",
                        client.rule(),
                        client.identities(),
                        client.pauseMs())));
    attacks.forEach(
        attack ->
            lines.add(
                "attack %d: %s by %d from %d ms for %d ms"
                    .formatted(
                        attack.number(),
                        attack.kind(),
                        attack.connections(),
                        attack.fromMs(),
                        attack.lastsMs())));
    faults.forEach(
        fault ->
            lines.add(
                "fault %d: %s at %d ms for %d ms, %d"
                    .formatted(
                        fault.number(),
                        fault.kind(),
                        fault.atMs(),
                        fault.lastsMs(),
                        fault.target())));
    return String.join("\n", lines);
  }
}
