package dev.weir.bench.load;

import dev.weir.bench.load.AnswerFields.GrpcStatus;
import dev.weir.bench.load.LoadSink.Failure;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameSink;
import dev.weir.proxy.http2.Http2Output;
import dev.weir.proxy.http2.Setting;
import io.netty.buffer.ByteBuf;

/**
 * The server's frames on an {@link Http2Connection}: answers, settings, windows, its going away.
 */
final class AnswerFrames implements FrameSink {
  private static final int GIVE_BACK_BYTES = Http2Connection.WINDOW_BYTES / 2;

  private final Http2Connection connection;
  private final OpenRequests requests;
  private final Http2Output output;
  private final RequestBodies bodies;
  private final AnswerFields fields;
  private int receivedBytes;

  AnswerFrames(
      Http2Connection connection,
      AnswerFields fields,
      OpenRequests requests,
      Http2Output output,
      RequestBodies bodies) {
    this.connection = connection;
    this.fields = fields;
    this.requests = requests;
    this.output = output;
    this.bodies = bodies;
  }

  @Override
  public int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream) {
    final int error = fields.decode(block, offset, bytes);
    if (error != ErrorCode.NO_ERROR) {
      return error;
    }
    if (requests.streams.isIdle(streamId)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final int slot = requests.streams.find(streamId);
    if (slot == StreamTable.NONE) {
      return ErrorCode.NO_ERROR;
    }
    if (fields.fault() != ErrorCode.NO_ERROR) {
      connection.malformed(slot, fields.fault());
    } else if (requests.status[slot] == 0) {
      head(slot, endStream);
    } else if (!endStream || fields.hasStatus()) {
      connection.malformed(slot, ErrorCode.PROTOCOL_ERROR);
    } else {
      connection.answered(slot, fields.grpcStatus());
    }
    return ErrorCode.NO_ERROR;
  }

  private void head(int slot, boolean endStream) {
    final int status = fields.status();
    if (status < 100 || status >= 600 || status < 200 && endStream) {
      connection.malformed(slot, ErrorCode.PROTOCOL_ERROR);
      return;
    }
    if (status < 200) {
      return;
    }
    requests.status[slot] = status;
    if (endStream) {
      connection.answered(slot, fields.grpcStatus());
    }
  }

  @Override
  public int data(
      int streamId, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    receivedBytes += creditBytes;
    if (receivedBytes >= GIVE_BACK_BYTES) {
      output.windowUpdate(0, receivedBytes);
      receivedBytes = 0;
    }
    if (requests.streams.isIdle(streamId)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final int slot = requests.streams.find(streamId);
    if (slot == StreamTable.NONE) {
      return ErrorCode.NO_ERROR;
    }
    if (requests.status[slot] == 0) {
      connection.malformed(slot, ErrorCode.PROTOCOL_ERROR);
    } else if (endStream) {
      connection.answered(slot, GrpcStatus.UNKNOWN);
    } else {
      requests.receivedBytes[slot] += creditBytes;
      if (requests.receivedBytes[slot] >= GIVE_BACK_BYTES) {
        output.windowUpdate(streamId, requests.receivedBytes[slot]);
        requests.receivedBytes[slot] = 0;
      }
    }
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int reset(int streamId, int errorCode) {
    if (requests.streams.isIdle(streamId)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final int slot = requests.streams.find(streamId);
    if (slot != StreamTable.NONE) {
      connection.failed(slot, Failure.RESET);
    }
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int setting(int id, long value) {
    switch (id) {
      case Setting.MAX_FRAME_SIZE -> output.maxFrameBytes((int) value);
      case Setting.HEADER_TABLE_SIZE -> connection.peerTable(value);
      case Setting.INITIAL_WINDOW_SIZE -> {
        if (!bodies.initialWindow((int) value)) {
          return ErrorCode.FLOW_CONTROL_ERROR;
        }
      }
      case Setting.MAX_CONCURRENT_STREAMS -> connection.peerMaxStreams(value);
      default -> {
        // Nothing that a client's requests depend on.
      }
    }
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int settingsEnd() {
    output.settingsAck();
    connection.opened();
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int ping(long data) {
    output.pingAck(data);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int goAway(int lastStreamId, int errorCode) {
    connection.retired(lastStreamId);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int windowUpdate(int streamId, int bytes) {
    if (streamId == 0) {
      return bodies.connectionGrows(bytes) ? ErrorCode.NO_ERROR : ErrorCode.FLOW_CONTROL_ERROR;
    }
    if (requests.streams.isIdle(streamId)) {
      return ErrorCode.PROTOCOL_ERROR;
    }
    final int slot = requests.streams.find(streamId);
    if (slot != StreamTable.NONE && !bodies.streamGrows(slot, bytes)) {
      connection.malformed(slot, ErrorCode.FLOW_CONTROL_ERROR);
    }
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int streamFault(int streamId, int errorCode) {
    final int slot = requests.streams.find(streamId);
    if (slot != StreamTable.NONE) {
      connection.malformed(slot, errorCode);
    }
    return ErrorCode.NO_ERROR;
  }
}
