package dev.weir.proxy.virtual;

import dev.weir.proxy.store.ModelServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The servers of the store. Each answers in order, and all of them in any. Where the store is not
 * kind they also answer too late or with an error, lose connections with what was executed or not,
 * and refuse new ones.
 */
final class VirtualStore {
  private static final String[] ERRORS = {
    "NOSCRIPT No matching script.", "OOM command not allowed", "LOADING Redis is loading", "ERR no"
  };

  final List<ModelServer> servers = new ArrayList<>();
  private boolean isKind = true;
  private Log log;

  VirtualStore(int count) {
    for (int i = 0; i < count; i++) {
      servers.add(new ModelServer(1 + i));
    }
  }

  /** Begins an episode. */
  void begin(boolean kind, Log of) {
    isKind = kind || servers.isEmpty();
    log = of;
    servers.forEach(server -> server.opensAtOnce = kind);
  }

  /** Whether every question is answered in time. */
  boolean isKind() {
    return isKind;
  }

  /** Does one thing at random; nothing, if there is nothing to do. */
  void step(Choices choices) {
    if (servers.isEmpty()) {
      return;
    }
    ModelServer server = servers.get(choices.below(servers.size()));
    int how = choices.below(isKind ? 8 : 12);
    if (server.isAsked()) {
      log.say("%s a connection to the store", how < 10 ? "there is" : "refused is");
      if (how < 10) {
        server.open();
      } else {
        server.refuseConnection();
      }
    } else if (how == 11) {
      int executed = choices.below(server.pendingCount() + 1);
      log.say("a connection to the store is lost, after %d calls", executed);
      server.lose(executed);
    } else if (how == 10) {
      server.failsNextWrite = choices.oneIn(4);
    } else if (server.pendingCount() > 0) {
      if (how == 9) {
        String error = ERRORS[choices.below(ERRORS.length)];
        log.say("the store answers %s", error);
        server.refuse(error);
      } else {
        log.say("the store answers");
        server.answer();
      }
    }
  }

  /** Does all that has been asked for; returns whether there was anything. */
  boolean settle() {
    boolean did = false;
    for (ModelServer server : servers) {
      server.failsNextWrite = false;
      if (server.isAsked()) {
        server.open();
        did = true;
      }
      while (server.pendingCount() > 0) {
        server.answer();
        did = true;
      }
    }
    return did;
  }

  /** The units that an identity has been charged with. */
  long charged(String identity) {
    long most = 0;
    for (ModelServer server : servers) {
      Map<String, Long> charges = server.charges();
      most = Math.max(most, charges.getOrDefault(identity, 0L));
    }
    return most;
  }

  /**
   * Forgets all charges; throws if any server was asked for what nobody may ask for, or has units
   * that are held.
   */
  void end() {
    for (ModelServer server : servers) {
      if (!server.faults().isEmpty()) {
        throw new AssertionError("asked of the store: " + server.faults());
      }
      // A record of a holder that could not be heard is there until it expires.
      if (isKind && server.heldUnits() != 0) {
        throw new AssertionError("left: " + server.heldUnits() + " units that are held");
      }
      server.forget();
      server.forgetHolders();
    }
  }
}
