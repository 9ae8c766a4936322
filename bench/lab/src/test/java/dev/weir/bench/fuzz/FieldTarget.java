package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Field blocks of one connection: our decoder and Netty's agree on what can be decoded, and on the
 * fields. An input is blocks, each behind a byte that gives its length.
 */
final class FieldTarget implements Consumer<byte[]> {
  private static final int MAX_LIST_BYTES = 64 * 1024;
  private static final int MAX_BLOCK_BYTES = 4096;

  private final FieldBlock block = new FieldBlock(MAX_LIST_BYTES, 500, MAX_BLOCK_BYTES);

  @Override
  public void accept(byte[] input) {
    FieldDecoder ours = new FieldDecoder();
    NettyFields netty = new NettyFields();
    int at = 0;
    boolean readable = true;
    while (readable && at < input.length) {
      int length = Math.min(input[at] & 0xff, input.length - at - 1);
      ByteBuf bytes = Unpooled.wrappedBuffer(input, at + 1, length);
      readable = agree(ours, netty, bytes);
      at += 1 + length;
    }
  }

  /** Whether the next block can be decoded. */
  private boolean agree(FieldDecoder ours, NettyFields netty, ByteBuf bytes) {
    FieldDecoder.Outcome outcome =
        ours.decode(bytes, bytes.readerIndex(), bytes.readableBytes(), block);
    if (outcome == FieldDecoder.Outcome.EXCESSIVE) {
      return false;
    }
    boolean isStricter = StricterFields.refuses(bytes);
    try {
      List<String> theirs = netty.decode(bytes);
      assertTrue(
          outcome == FieldDecoder.Outcome.DECODED || isStricter, () -> "Netty reads " + theirs);
      if (outcome == FieldDecoder.Outcome.DECODED) {
        assertTrue(block.tooLarge() || block.count() == theirs.size());
        assertEquals(theirs.subList(0, block.count()), fields());
      }
    } catch (Http2Exception | IllegalArgumentException refused) {
      assertEquals(
          FieldDecoder.Outcome.MALFORMED, outcome, () -> "we read " + fields() + ": " + refused);
    }
    return outcome == FieldDecoder.Outcome.DECODED;
  }

  private List<String> fields() {
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < block.count(); i++) {
      fields.add(
          block.text(block.nameOffset(i), block.nameLength(i))
              + "="
              + block.text(block.valueOffset(i), block.valueLength(i)));
    }
    return fields;
  }

  /** Netty's decoder, whose headers forget the order of pseudo fields and others. */
  private static final class NettyFields extends DefaultHttp2HeadersDecoder {
    private final List<String> fields = new ArrayList<>();

    NettyFields() {
      super(false, Long.MAX_VALUE >> 1);
    }

    List<String> decode(ByteBuf block) throws Http2Exception {
      fields.clear();
      decodeHeaders(1, block);
      return List.copyOf(fields);
    }

    @Override
    protected DefaultHttp2Headers newHeaders() {
      return new DefaultHttp2Headers(false) {
        @Override
        public Http2Headers add(CharSequence name, CharSequence value) {
          fields.add(name + "=" + value);
          return this;
        }
      };
    }
  }
}
