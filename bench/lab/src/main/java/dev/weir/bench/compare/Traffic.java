package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.load.LocalLoad;
import dev.weir.bench.load.LocalLoad.LoadAnswers;
import dev.weir.bench.scenario.Body.FixedBody;
import dev.weir.bench.scenario.ClientSettings;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.KeyChoice;
import dev.weir.bench.scenario.Protocol;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The load of one measurement.
 *
 * @param keys over which it is spread, all alike.
 * @param perSecond at which requests are due; {@link LocalLoad#CLOSED} for as many as are answered.
 */
record Traffic(Wire wire, int keys, Shape shape, double perSecond) {
  /** Groups that all servers know: OpenSSL before 3.5 has no ML-KEM. */
  private static final List<String> GROUPS = List.of("x25519");

  private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(10);

  /** Traffic as fast as it goes. */
  static Traffic closed(Wire wire, int keys, Shape shape) {
    return new Traffic(wire, keys, shape, LocalLoad.CLOSED);
  }

  /** This traffic in a closed loop, or at a rate. */
  Traffic at(double rate) {
    return new Traffic(wire, keys, shape, rate);
  }

  /** How many requests are in flight at most, as reports say it. */
  String inFlightText() {
    return shape.text(wire.protocol);
  }

  boolean open() {
    return perSecond != LocalLoad.CLOSED;
  }

  /** The requests of it. */
  LocalLoad load() {
    final boolean calls = wire.protocol == Protocol.GRPC;
    return new LocalLoad(
        new ClientSettings(
            wire.protocol,
            shape.connections(wire.protocol),
            shape.streams(wire.protocol),
            wire.requestsPerConnection(),
            1,
            ClientSettings.usualTransport(),
            TIMEOUT_NS,
            new TlsSettings(null, true, wire.resumes(), GROUPS)),
        wire.tls,
        calls ? "/weir.bench.Service/Call" : "/",
        LocalLoad.USER,
        calls ? new FixedBody(new byte[Upstream.MESSAGE_BYTES]) : null,
        KeyChoice.parse(keys == 1 ? "one" : "uniform:" + keys),
        perSecond);
  }

  /** The part of answers, or of handshakes, that are not as they should be, from 0 to 1. */
  double wrongShare(Outcome outcome, LoadAnswers answers) {
    return Math.max(
        outcome == Outcome.PASS ? answers.notPassedShare() : answers.notRefusedShare(),
        wire.wrongShare(answers.handshakes(), answers.resumed()));
  }
}
