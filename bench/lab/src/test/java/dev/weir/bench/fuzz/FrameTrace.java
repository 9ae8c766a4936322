package dev.weir.bench.fuzz;

import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.FrameSink;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;

/** Writes down what a reader of frames tells; content of a stream in succession is one line. */
final class FrameTrace implements FrameSink {
  private final List<String> lines = new ArrayList<>();
  private final StringBuilder content = new StringBuilder();
  private int contentStreamId;
  private long creditBytes;

  List<String> lines() {
    content(false);
    return lines;
  }

  private int content(boolean end) {
    if (contentStreamId != 0) {
      lines.add("data " + contentStreamId + " " + content + " " + creditBytes + " " + end);
      contentStreamId = 0;
      creditBytes = 0;
      content.setLength(0);
    }
    return ErrorCode.NO_ERROR;
  }

  private int told(String line) {
    content(false);
    lines.add(line);
    return ErrorCode.NO_ERROR;
  }

  @Override
  public int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream) {
    return told(
        "headers " + streamId + " " + ByteBufUtil.hexDump(block, offset, bytes) + " " + endStream);
  }

  @Override
  public int data(int streamId, ByteBuf in, int offset, int bytes, int credit, boolean endStream) {
    if (streamId != contentStreamId) {
      content(false);
    }
    contentStreamId = streamId;
    content.append(ByteBufUtil.hexDump(in, offset, bytes));
    creditBytes += credit;
    return endStream ? content(true) : ErrorCode.NO_ERROR;
  }

  @Override
  public int reset(int streamId, int errorCode) {
    return told("reset " + streamId + " " + errorCode);
  }

  @Override
  public int setting(int id, long value) {
    return told("setting " + id + " " + value);
  }

  @Override
  public int settingsEnd() {
    return told("settings end");
  }

  @Override
  public int ping(long data) {
    return told("ping " + data);
  }

  @Override
  public int goAway(int lastStreamId, int errorCode) {
    return told("goaway " + lastStreamId + " " + errorCode);
  }

  @Override
  public int windowUpdate(int streamId, int bytes) {
    return told("window update " + streamId + " " + bytes);
  }

  @Override
  public int streamFault(int streamId, int errorCode) {
    return told("fault " + streamId + " " + errorCode);
  }
}
