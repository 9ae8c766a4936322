package dev.weir.proxy.virtual;

import dev.weir.proxy.loop.InternalErrors;
import java.util.ArrayList;
import java.util.List;

/**
 * Some clients, from their first byte until nothing is left of them. First each step is one random
 * choice among what can happen next; then nobody chooses any more, everybody does what they can,
 * and time passes until all connections have ended by themselves. Whatever is then not as it was
 * before is a fault.
 */
final class Episode {
  private static final int MOST_CLIENTS = 4;
  private static final int MOST_PROGRAMS = 2;
  private static final int[] STEPS = {40, 10, 100, 300};
  private static final long STEP_NS = 1_000;

  /**
   * After so long without anybody's doing, all that waits has come to its time: HTTP/2 waits for a
   * minute.
   */
  private static final int PATIENCE_S = 150;

  /** What waits for a moment only has come to its time within a few of these. */
  private static final int SOON_MS = 50;

  private static final int LATEST_MS = 400;

  /** The latest end of a request that may wait for a place which another one keeps. */
  private static final int LATEST_FOR_A_PLACE_MS = 800;

  private static final int MOST_ROUNDS = 20_000;

  private final World world;
  private final Choices choices;
  private final Log log;
  private final Exchanges exchanges;
  private final int latestMs;
  private final List<Actor> actors = new ArrayList<>();
  private final boolean drains;
  private final long errors = InternalErrors.count();
  private final long usedBytes = CountedBuffers.usedBytes();
  private int programCount;
  private int stepCount;

  /**
   * @param drains whether the sidecar comes to its end in it, as in its last episode.
   */
  Episode(World world, Choices choices, boolean drains, Log log) {
    this.drains = drains;
    this.world = world;
    this.choices = choices;
    this.log = log;
    String keys = world.begin(choices);
    boolean isCalm = !drains && choices.oneIn(4);
    boolean hasCosts = world.rule().held() != null;
    exchanges = new Exchanges(keys, isCalm, isCalm && choices.oneIn(4), hasCosts);
    latestMs = exchanges.hasUnread() ? LATEST_FOR_A_PLACE_MS : LATEST_MS;
    world.store.begin(exchanges.isCalm() || choices.below(2) == 0, log);
  }

  /** How many steps there were. */
  int stepCount() {
    return stepCount;
  }

  /** Runs it, and throws an {@link AssertionError} at the first fault. */
  void run() {
    log.say("%s", world.settings());
    int steps = choices.of(STEPS);
    if (choices.oneIn(8)) {
      connectPrograms();
    } else {
      if (world.isNarrow() && choices.oneIn(4)) {
        actors.add(new Crowd(world));
      }
      int clients = 1 + choices.below(MOST_CLIENTS);
      for (int i = 0; i < clients; i++) {
        connect();
      }
    }
    for (int i = 0; i < steps && !choices.isOver(); i++) {
      step();
      stepCount++;
      checkErrors();
    }
    log.say("nothing is chosen any more");
    settle();
    actors.forEach(Actor::check);
    boolean isStoreKind = world.store.isKind();
    exchanges.all().forEach(exchange -> exchange.check(exchanges.isCalm(), isStoreKind));
    new BudgetJudge(world.rule()).check(exchanges.all(), isStoreKind, this::used);
    if (world.rule().held() != null) {
      boolean isStored = !world.store.servers.isEmpty();
      new HeldJudge(world.rule().held(), isStored).check(exchanges.all(), isStoreKind, this::held);
    }
    world.store.end();
    String left = world.sidecar.leftovers();
    long leakedBytes = CountedBuffers.usedBytes() - usedBytes;
    if (leakedBytes != 0) {
      left += leakedBytes + " bytes of buffers";
    }
    if (!left.isEmpty()) {
      throw new AssertionError("left: " + left);
    }
  }

  /** Units of a budget that are used, of an identity under a limit. */
  private long used(int limit, String identity) {
    if (!world.store.servers.isEmpty()) {
      return world.store.charged(identity);
    }
    DrawnRule rule = world.rule();
    List<String> fields = DrawnRule.FIELDS.subList(0, rule.limitCount());
    List<String> values = new ArrayList<>(fields);
    values.set(limit, identity);
    return world.sidecar.used(rule.place(limit), rule.units(limit), fields, values);
  }

  /** Units that a user has used of the limit whose units requests hold. */
  private long held(String user) {
    if (!world.store.servers.isEmpty()) {
      return world.store.charged(user);
    }
    HeldLimits limits = world.rule().held();
    List<String> fields = limits.fields();
    List<String> values = new ArrayList<>(fields);
    values.set(0, user);
    return world.sidecar.used(0, limits.units(), fields, values);
  }

  private void connect() {
    VirtualSocket socket = world.connect(choices);
    actors.add(
        choices.below(2) == 1
            ? new Http2Client(socket, choices, exchanges, log)
            : new Http1Client(socket, choices, exchanges, log));
  }

  /** Programs alone, so that all memory there is belongs to them. */
  private void connectPrograms() {
    programCount = 1 + choices.below(MOST_PROGRAMS);
    for (int i = 0; i < programCount; i++) {
      VirtualSocket socket = world.connectProgram(choices);
      actors.add(new Program(socket, choices, log, "p" + i));
    }
  }

  /**
   * Once nothing moves, all memory of programs is counted as held: but for a little, and for what a
   * buffer that grows has free, which is half of it at most.
   */
  private void checkCounted() {
    long bytes = CountedBuffers.usedBytes() - usedBytes;
    long counted = world.sidecar.countedBytes();
    if (programCount > 0 && bytes > 2 * counted + (long) programCount * Program.UNCOUNTED_BYTES) {
      throw new AssertionError(bytes + " bytes of buffers, and " + counted + " are counted");
    }
  }

  private void checkErrors() {
    if (InternalErrors.count() != errors) {
      throw new AssertionError("an internal error, see the log");
    }
  }

  private void step() {
    world.loop.passUntil(world.loop.nowNs() + STEP_NS); // nothing takes no time at all
    switch (choices.below(32)) {
      case 0, 1, 2 -> world.loop.turn();
      case 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 -> event();
      case 13, 14, 15 -> connectToService();
      case 18 -> world.store.step(choices);
      case 19 -> world.store.step(choices);
      case 16 -> pass(exchanges.isCalm() ? 1 : choices.of(1, 20, 60, 500, 2_000));
      case 17 -> {
        if (drains && choices.oneIn(4)) {
          log.say("the sidecar drains");
          world.sidecar.drain();
        } else if (choices.oneIn(8)) {
          world.reload(choices);
          log.say("the rules change: %s", world.rule().yaml());
        }
      }
      default -> actors.get(choices.below(actors.size())).step(choices);
    }
  }

  private void pass(long ms) {
    long endNs = world.loop.nowNs() + ms * World.MS;
    while (world.store.isKind() && decidesUntil(endNs)) {
      // A store that is kind answers in no time, whatever a question waits for meanwhile.
    }
    log.say("%d ms pass", ms);
    world.loop.passUntil(endNs);
    world.loop.turn();
  }

  /** Does what is next for a question that waits; returns whether there was anything. */
  private boolean decidesUntil(long endNs) {
    if (world.store.settle()) {
      world.loop.turn();
      return true;
    }
    boolean waits =
        !world.store.servers.isEmpty() && world.sidecar.isDeciding() && world.loop.nextNs() < endNs;
    if (waits) {
      world.loop.passUntil(world.loop.nextNs());
      world.loop.turn();
    }
    return waits;
  }

  /** Something that the system tells the event loop. */
  private void event() {
    if (world.sockets.isEmpty()) {
      return;
    }
    int index = choices.below(world.sockets.size());
    VirtualSocket socket = world.sockets.get(index);
    int mostBytes = choices.of(1 << 16, 1, 100, 1_000);
    if (socket.isReset() && choices.below(2) == 1) {
      socket.resetEvent();
    } else if (socket.isReadable() && choices.below(2) == 0) {
      socket.readEvent(mostBytes);
    } else if (socket.isUnblocked()) {
      socket.writeEvent();
    } else if (socket.isReadable()) {
      socket.readEvent(mostBytes);
    }
    if (!socket.isOpen()) {
      world.sockets.remove(index);
    }
  }

  private void connectToService() {
    if (world.connecting.isEmpty()) {
      return;
    }
    int index = choices.below(world.connecting.size());
    VirtualSocket socket = world.connecting.get(index);
    int how = choices.below(exchanges.isCalm() ? 6 : 8);
    if (!socket.isConnecting()) {
      world.connecting.remove(index);
    } else if (how == 7) {
      log.say("the service refuses a connection");
      world.connecting.remove(index);
      socket.refused();
    } else if (how < 6) {
      world.connecting.remove(index);
      accept(socket);
    }
  }

  private void accept(VirtualSocket socket) {
    log.say("the service accepts a connection");
    world.sockets.add(socket);
    actors.add(
        world.isHttp2()
            ? new Http2Service(socket, choices, exchanges, log)
            : new Http1Service(socket, exchanges, log));
    socket.connected();
  }

  private void settle() {
    int quietS = 0;
    int quietMs = 0;
    for (int round = 0; quietS < PATIENCE_S; round++) {
      if (round == MOST_ROUNDS) {
        throw new AssertionError("it never ends");
      }
      boolean did = world.loop.hasTasks();
      world.loop.passUntil(world.loop.nowNs() + STEP_NS);
      world.loop.turn();
      did |= settleSockets();
      did |= world.store.settle();
      for (int i = 0; i < actors.size(); i++) {
        did |= actors.get(i).settle();
      }
      checkErrors();
      if (!did && quietS > 2) {
        for (Actor actor : actors) {
          did |= actor.endWhatLasts();
        }
      }
      if (!did && quietS > 2 && world.sockets.stream().noneMatch(VirtualSocket::isClient)) {
        for (Actor actor : actors) {
          did |= actor.leave();
        }
      }
      boolean isEmpty = world.sockets.isEmpty() && world.connecting.isEmpty();
      if (!did && isEmpty && isStoreAtRest()) {
        pass(100); // what was canceled is looked at once more
        return;
      }
      if (!did) {
        checkCounted();
      }
      quietMs = did ? 0 : quietMs + SOON_MS;
      if (!did && exchanges.isCalm() && quietMs < latestMs) {
        pass(SOON_MS);
      } else if (!did) {
        if (exchanges.isCalm()) {
          actors.forEach(Actor::checkServed);
        }
        quietS++;
        pass(1_000);
      }
    }
  }

  private boolean isStoreAtRest() {
    if (drains) {
      world.sidecar.giveBack();
    }
    return world.sidecar.isStoreAtRest();
  }

  private boolean settleSockets() {
    boolean did = false;
    for (int i = world.connecting.size() - 1; i >= 0; i--) {
      VirtualSocket socket = world.connecting.remove(i);
      if (socket.isConnecting()) {
        accept(socket);
        did = true;
      }
    }
    for (int i = world.sockets.size() - 1; i >= 0; i--) {
      VirtualSocket socket = world.sockets.get(i);
      if (socket.isUnblocked()) {
        socket.writeEvent();
        did = true;
      }
      if (socket.isReadable()) {
        socket.readEvent(1 << 16);
        did = true;
      } else if (socket.isReset()) {
        socket.resetEvent();
        did = true;
      }
      if (!socket.isOpen()) {
        world.sockets.remove(socket);
        did = true;
      }
    }
    return did;
  }
}
