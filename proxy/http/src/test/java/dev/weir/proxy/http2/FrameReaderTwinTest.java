package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.DefaultHttp2FrameReader;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameAdapter;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The same bytes, right and wrong, to our reader of frames and to Netty's. */
class FrameReaderTwinTest {
  private static final int SEQUENCES = 4_000;
  private static final int MAX_FRAMES = 12;
  private static final int[] TYPES = {0, 0, 1, 1, 1, 2, 3, 4, 6, 7, 8, 8, 9, 0x10, 0xfa};
  private static final int[] USUAL_BYTES = {20, 9, 5, 4, 12, 0, 8, 8, 4, 9};
  private static final String BLOCK = "block";

  private static final ChannelHandlerContext CONTEXT =
      new EmbeddedChannel(new ChannelInboundHandlerAdapter()).pipeline().firstContext();

  /** Keeps a field block as it came: its fields are not what is compared. */
  private static final class Undecoded extends DefaultHttp2HeadersDecoder {
    @Override
    public Http2Headers decodeHeaders(int streamId, ByteBuf block) {
      return new DefaultHttp2Headers(false).add(BLOCK, ByteBufUtil.hexDump(block));
    }
  }

  /** What Netty's reader tells, in the words of ours. */
  private static final class Told extends Http2FrameAdapter {
    private final FrameLog log;

    Told(FrameLog log) {
      this.log = log;
    }

    @Override
    public int onDataRead(
        ChannelHandlerContext ctx, int streamId, ByteBuf data, int padding, boolean endStream) {
      final int bytes = data.readableBytes();
      log.data(streamId, data, data.readerIndex(), bytes, bytes + padding, endStream);
      return bytes + padding;
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx, int streamId, Http2Headers fields, int padding, boolean end) {
      log.told("headers " + streamId + " " + fields.get(BLOCK) + (end ? " end" : ""));
    }

    @Override
    public void onHeadersRead(
        ChannelHandlerContext ctx,
        int streamId,
        Http2Headers fields,
        int dependency,
        short weight,
        boolean exclusive,
        int padding,
        boolean end) {
      onHeadersRead(ctx, streamId, fields, padding, end);
    }

    @Override
    public void onRstStreamRead(ChannelHandlerContext ctx, int streamId, long errorCode) {
      log.reset(streamId, (int) errorCode);
    }

    @Override
    public void onSettingsRead(ChannelHandlerContext ctx, Http2Settings settings) {
      settings.keySet().stream().sorted().forEach(id -> log.setting(id, settings.get((char) id)));
      log.settingsEnd();
    }

    @Override
    public void onPingRead(ChannelHandlerContext ctx, long data) {
      log.ping(data);
    }

    @Override
    public void onGoAwayRead(
        ChannelHandlerContext ctx, int lastStreamId, long errorCode, ByteBuf debugData) {
      log.goAway(lastStreamId, (int) errorCode);
    }

    @Override
    public void onWindowUpdateRead(ChannelHandlerContext ctx, int streamId, int bytes) {
      log.windowUpdate(streamId, bytes);
    }
  }

  private static List<String> netty(ByteBuf in) {
    final FrameLog log = new FrameLog();
    final Told told = new Told(log);
    try (DefaultHttp2FrameReader reader = new DefaultHttp2FrameReader(new Undecoded())) {
      while (in.isReadable()) {
        final int start = in.readerIndex();
        try {
          reader.readFrame(CONTEXT, in, told);
          if (in.readerIndex() == start) {
            break;
          }
        } catch (Http2Exception.StreamException e) {
          if (isCutShort(e)) {
            log.told("error " + e.error().code());
            break;
          }
          log.streamFault(e.streamId(), (int) e.error().code());
        } catch (Http2Exception e) {
          log.told("error " + e.error().code());
          break;
        }
      }
    }
    return log.lines();
  }

  // Where fields or content are too short for their own flags Netty ends the stream alone. RFC
  // 9113, section 4.2: an error in a frame that could alter the whole connection's state ends that,
  // and so we do.
  private static boolean isCutShort(Http2Exception.StreamException e) {
    return e.getMessage().contains("Frame length") && !e.getMessage().contains("PRIORITY");
  }

  private static List<String> ours(ByteBuf in, Random random) {
    final FrameLog log = new FrameLog();
    final FrameReader reader = new FrameReader(1 << 20);
    final ByteBuf there = Unpooled.buffer();
    int error = ErrorCode.NO_ERROR;
    while (in.isReadable() && error == ErrorCode.NO_ERROR) {
      there.writeBytes(in, Math.min(in.readableBytes(), 1 + random.nextInt(30)));
      int before = -1;
      while (error == ErrorCode.NO_ERROR && before != there.readableBytes()) {
        before = there.readableBytes();
        error = reader.read(there, log);
      }
    }
    reader.close();
    if (error != ErrorCode.NO_ERROR) {
      // Netty checks all settings of a frame before it tells any.
      final List<String> lines = log.lines();
      while (!lines.isEmpty() && lines.get(lines.size() - 1).startsWith("setting ")) {
        lines.remove(lines.size() - 1);
      }
      log.told("error " + error);
    }
    return log.lines();
  }

  private static ByteBuf sequence(Random random) {
    final ByteBuf bytes = Unpooled.buffer();
    boolean within = false;
    for (int frames = 1 + random.nextInt(MAX_FRAMES); frames > 0; frames--) {
      final int type =
          within && random.nextInt(10) > 0
              ? FrameType.CONTINUATION
              : TYPES[random.nextInt(TYPES.length)];
      final int flags = random.nextInt(8) == 0 ? random.nextInt(256) : flags(type, random);
      within =
          (type == FrameType.HEADERS || type == FrameType.CONTINUATION)
              && (flags & FrameFlag.END_HEADERS) == 0;
      bytes.writeBytes(frame(type, flags, random));
    }
    return bytes;
  }

  private static int flags(int type, Random random) {
    return switch (type) {
      case FrameType.DATA -> random.nextInt(4) == 0 ? FrameFlag.PADDED : random.nextInt(2);
      case FrameType.HEADERS, FrameType.CONTINUATION ->
          (random.nextInt(3) > 0 ? FrameFlag.END_HEADERS : 0) | random.nextInt(2);
      default -> 0;
    };
  }

  private static ByteBuf frame(int type, int flags, Random random) {
    final boolean usual = random.nextInt(12) > 0;
    final byte[] payload =
        new byte[usual && type < USUAL_BYTES.length ? USUAL_BYTES[type] : random.nextInt(40)];
    random.nextBytes(payload);
    if ((flags & FrameFlag.PADDED) != 0 && payload.length > 0) {
      payload[0] = (byte) random.nextInt(payload.length + 1);
    }
    if (type == FrameType.SETTINGS) {
      settings(payload, random);
    }
    if (type == FrameType.WINDOW_UPDATE && random.nextInt(8) == 0) {
      Arrays.fill(payload, (byte) 0);
    }
    final boolean ofConnection = type == 4 || type == 6 || type == 7;
    final int streamId = ofConnection == usual ? 0 : 1 + 2 * random.nextInt(3);
    final int reserved = random.nextInt(5) == 0 ? 1 << 31 : 0;
    return FrameBytes.frame(type, flags, streamId | reserved, payload);
  }

  /** Identifiers that rise, so that a frame has each once and in the order that Netty tells. */
  private static void settings(byte[] payload, Random random) {
    int id = random.nextInt(4);
    for (int at = 0; at + 6 <= payload.length; at += 6) {
      payload[at] = 0;
      payload[at + 1] = (byte) id;
      payload[at + 2] = (byte) (random.nextInt(6) == 0 ? 0x80 : 0);
      payload[at + 3] = (byte) (random.nextInt(6) == 0 ? 1 : 0);
      id += 1 + random.nextInt(3);
    }
  }

  @Test
  void bothTellTheSameAndFailOverTheSame() {
    int failed = 0;
    final List<String> kinds = new ArrayList<>();
    for (int seed = 0; seed < SEQUENCES; seed++) {
      final Random random = new Random(seed);
      final ByteBuf bytes = sequence(random);
      final List<String> expected = netty(bytes.duplicate());
      final String hex = ByteBufUtil.hexDump(bytes);
      assertEquals(expected, ours(bytes, random), () -> hex);
      final String last = expected.isEmpty() ? "" : expected.get(expected.size() - 1);
      failed += last.startsWith("error") ? 1 : 0;
      expected.forEach(line -> kinds.add(line.substring(0, line.indexOf(' ') + 1)));
    }
    assertTrue(failed > SEQUENCES / 10 && failed < SEQUENCES, failed + " sequences failed");
    for (String kind :
        List.of("data ", "headers ", "reset ", "ping ", "goaway ", "window ", "fault ")) {
      assertTrue(kinds.contains(kind), kind);
    }
  }
}
