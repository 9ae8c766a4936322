package dev.weir.scripts;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** Leases of one identity in the script, at times that are given, under keys of its own. */
final class ScriptLeases implements LeaseStore {
  /** Evaluates a call at a time. */
  interface Server {
    byte[] at(long nowUs, CheckCall call, String... keys) throws IOException;
  }

  private final Server server;
  private final ScriptLimit[] limits;
  private final String[] keys;
  private final CheckCall call = new CheckCall(CheckCall.MAX_LIMITS);

  ScriptLeases(Server server, String name, List<LimitSpec> specs) {
    this.server = server;
    limits = specs.stream().map(LimitSpec::script).toArray(ScriptLimit[]::new);
    keys = new String[limits.length];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "{p}" + name + ":" + i;
    }
  }

  @Override
  public Lease lease(long requests, long keep, long lifeUs, long[] costs, long nowUs)
      throws IOException {
    call.clear().lease(requests, keep, lifeUs, costs[0], limits[0]);
    for (int i = 1; i < limits.length; i++) {
      call.also(limits[i], costs[i]);
    }
    final CheckReply reply = ScriptServer.reply(server.at(nowUs, call, keys), call);
    final List<Long> kept = new ArrayList<>();
    final List<Long> granted = new ArrayList<>();
    for (int i = 0; i < limits.length; i++) {
      kept.add(reply.keptMark(0, i));
      granted.add(reply.grantedMark(0, i, costs[i]));
    }
    return new Lease(
        reply.granted(0),
        reply.kept(0),
        reply.lifeUs(0),
        reply.nowUs(),
        reply.limitIndex(0),
        reply.remaining(0),
        reply.resetAtUs(0),
        reply.retryAfterUs(0),
        kept,
        granted);
  }

  /** Charges by a check, which keeps nothing, and whose refund has no mark. */
  Lease check(long requests, long[] costs, long nowUs) throws IOException {
    call.clear().check(requests, costs[0], limits[0]);
    for (int i = 1; i < limits.length; i++) {
      call.also(limits[i], costs[i]);
    }
    final CheckReply reply = ScriptServer.reply(server.at(nowUs, call, keys), call);
    final List<Long> marks = Collections.nCopies(limits.length, CheckCall.NO_MARK);
    return new Lease(
        reply.granted(0),
        0,
        0,
        reply.nowUs(),
        reply.limitIndex(0),
        reply.remaining(0),
        reply.resetAtUs(0),
        reply.retryAfterUs(0),
        marks,
        marks);
  }

  @Override
  public boolean giveBack(
      long requests, long atUs, long lifeUs, long[] costs, List<Long> marks, long nowUs)
      throws IOException {
    call.clear().refund(requests * costs[0], atUs, lifeUs, limits[0], marks.get(0));
    for (int i = 1; i < limits.length; i++) {
      call.also(limits[i], requests * costs[i], marks.get(i));
    }
    return ScriptServer.reply(server.at(nowUs, call, keys), call).status(0) == CheckReply.DONE;
  }
}
