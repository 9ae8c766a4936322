package dev.weir.proxy.metrics;

import dev.weir.proxy.request.Glitch;
import java.util.List;

/** The counters of HTTP/2 connections to one side, clients or services. */
record Http2Figures(
    LoopCounter connections,
    OpenGauge connectionsOpen,
    LoopCounter streams,
    OpenGauge streamsOpen,
    LoopCounter resetsSent,
    LoopCounter resetsReceived,
    LoopCounter goAwaysSent,
    LoopCounter goAwaysReceived,
    LoopCounter glitches) {

  /** Error codes by their numbers in RFC 9113, section 7, and all others. */
  private static final List<String> CODES =
      List.of(
          "no_error",
          "protocol_error",
          "internal_error",
          "flow_control_error",
          "settings_timeout",
          "stream_closed",
          "frame_size_error",
          "refused_stream",
          "cancel",
          "compression_error",
          "connect_error",
          "enhance_your_calm",
          "inadequate_security",
          "http_1_1_required",
          "other");

  /**
   * Declares them in {@link LoopFigures}.
   *
   * @param prefix of their names.
   * @param side the peer in their helps: {@code clients} or {@code the service}.
   */
  static Http2Figures declare(String prefix, String side) {
    LoopCounter connections =
        LoopFigures.counter(prefix + "connections", "HTTP/2 connections with " + side + ".");
    OpenGauge connectionsOpen =
        LoopFigures.open(
            prefix + "connections_open",
            "HTTP/2 connections with " + side + " open now.",
            connections);
    LoopCounter streams =
        LoopFigures.counter(prefix + "streams", "Streams on HTTP/2 connections with " + side + ".");
    return new Http2Figures(
        connections,
        connectionsOpen,
        streams,
        LoopFigures.open(
            prefix + "streams_open",
            "Streams on HTTP/2 connections with " + side + " open now.",
            streams),
        coded(
            prefix + "resets_sent", "Streams that Weir reset towards " + side + ", by error code."),
        coded(prefix + "resets_received", "Streams reset by " + side + ", by error code."),
        coded(prefix + "goaways_sent", "GOAWAY frames sent to " + side + ", by error code."),
        coded(prefix + "goaways_received", "GOAWAY frames from " + side + ", by error code."),
        LoopFigures.counter(
            prefix + "glitches",
            "Behaviour of " + side + " that can be abuse, by kind.",
            "kind",
            Glitch.values()));
  }

  private static LoopCounter coded(String name, String help) {
    return LoopFigures.counter(name, help, "code", CODES);
  }

  /** The place of a code among the values of its label. */
  static int place(int errorCode) {
    int others = CODES.size() - 1;
    return errorCode >= 0 && errorCode < others ? errorCode : others;
  }
}
