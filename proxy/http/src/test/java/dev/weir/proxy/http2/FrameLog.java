package dev.weir.proxy.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.ArrayList;
import java.util.List;

/** Writes down what a reader tells, a line each; content of a stream in succession is one. */
public final class FrameLog implements FrameSink {
  private final List<String> lines = new ArrayList<>();

  /** What every call returns. */
  int answer = ErrorCode.NO_ERROR;

  private final StringBuilder content = new StringBuilder();
  private int contentStreamId;
  private int contentCreditBytes;

  /** Writes down the content that was told since the last other line. */
  public List<String> lines() {
    content(false);
    return lines;
  }

  private void content(boolean endStream) {
    if (contentStreamId != 0) {
      lines.add(
          "data "
              + contentStreamId
              + " "
              + content
              + " of "
              + contentCreditBytes
              + (endStream ? " end" : ""));
      content.setLength(0);
      contentStreamId = 0;
      contentCreditBytes = 0;
    }
  }

  int told(String line) {
    content(false);
    lines.add(line);
    return answer;
  }

  @Override
  public void faultyHeaders() {
    told("faulty");
  }

  @Override
  public int headers(int streamId, ByteBuf block, int offset, int bytes, boolean endStream) {
    return told(
        "headers "
            + streamId
            + " "
            + ByteBufUtil.hexDump(block, offset, bytes)
            + (endStream ? " end" : ""));
  }

  @Override
  public int data(
      int streamId, ByteBuf in, int offset, int bytes, int creditBytes, boolean endStream) {
    if (streamId != contentStreamId) {
      content(false);
    }
    contentStreamId = streamId;
    content.append(ByteBufUtil.hexDump(in, offset, bytes));
    contentCreditBytes += creditBytes;
    if (endStream) {
      content(true);
    }
    return answer;
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
    return told("settings");
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
    return told("window " + streamId + " " + bytes);
  }

  @Override
  public int streamFault(int streamId, int errorCode) {
    return told("fault " + streamId + " " + errorCode);
  }
}
