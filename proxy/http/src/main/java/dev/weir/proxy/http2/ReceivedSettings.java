package dev.weir.proxy.http2;

import dev.weir.proxy.request.Glitch;

/** What comes of the peer's SETTINGS, and of its acknowledgement of ours. */
final class ReceivedSettings {
  private final Http2Connection connection;
  private final StreamSlots streams;
  private boolean haveBegun;

  ReceivedSettings(Http2Connection connection) {
    this.connection = connection;
    streams = connection.streams;
  }

  /** Whether any have come: nothing else may come before. */
  boolean haveBegun() {
    return haveBegun;
  }

  /** One of them, of a value that it may have; returns what the connection is to end with. */
  int read(int id, long value) {
    haveBegun = true;
    switch (id) {
      case Setting.HEADER_TABLE_SIZE -> {
        if (value < Setting.DEFAULT_HEADER_TABLE_BYTES) {
          connection.output.shrinkTable();
        }
      }
      case Setting.ENABLE_PUSH -> {
        if (value == 1 && connection.role == Role.CLIENT) {
          return ErrorCode.PROTOCOL_ERROR;
        }
      }
      case Setting.MAX_CONCURRENT_STREAMS -> connection.peer.maxStreams(value);
      case Setting.INITIAL_WINDOW_SIZE -> {
        return initialWindow((int) value);
      }
      case Setting.ENABLE_CONNECT_PROTOCOL -> connection.peer.connectProtocol(value == 1);
      default -> {
        // The others are about what we never send, or are not known.
      }
    }
    return ErrorCode.NO_ERROR;
  }

  private int initialWindow(int bytes) {
    final int change = bytes - connection.peer.initialWindow();
    if (change == 0) {
      return ErrorCode.NO_ERROR;
    }
    connection.peer.initialWindow(bytes);
    for (int stream = 0; stream < streams.slots(); stream++) {
      if (streams.id(stream) != 0 && !connection.queue.widen(stream, change)) {
        return ErrorCode.FLOW_CONTROL_ERROR;
      }
    }
    return connection.peer.areReceived()
        ? connection.conduct.glitch(Glitch.WINDOW_CHANGE)
        : ErrorCode.NO_ERROR;
  }

  /** A frame of them has ended; returns what the connection is to end with. */
  int end() {
    final boolean first = !connection.peer.areReceived();
    haveBegun = true;
    connection.peer.received();
    connection.output.settingsAck();
    connection.controlFrame();
    connection.settingsReceived();
    return first ? ErrorCode.NO_ERROR : connection.conduct.glitch(Glitch.SETTINGS);
  }

  /** The peer has taken our settings; returns what the connection is to end with. */
  int acknowledged() {
    if (connection.peer.isAsked()) {
      connection.peer.asked(false);
      connection.acknowledged();
      return ErrorCode.NO_ERROR;
    }
    if (connection.peer.isAckReceived()) {
      return connection.windows.acknowledged()
          ? ErrorCode.NO_ERROR
          : connection.conduct.glitch(Glitch.SETTINGS);
    }
    connection.peer.ackReceived();
    connection.timer.settingsTaken();
    return ErrorCode.NO_ERROR;
  }
}
