package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.bench.load.FieldLines.FieldLine;
import dev.weir.bench.scenario.Field;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http2.DefaultHttp2HeadersDecoder;
import io.netty.handler.codec.http2.Http2Exception;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** Blocks of fields as Netty reads them, whose decoder is a server's. */
class FieldTableTest {
  private final FieldLines lines = new FieldLines();
  private final FieldTable table = new FieldTable();
  private final DefaultHttp2HeadersDecoder decoder = new DefaultHttp2HeadersDecoder(true, 1 << 20);

  private static Request request(FieldLine[]... fields) {
    return new Request(fields, Request.NO_BODY, false);
  }

  private List<String> sent(Request request) throws Http2Exception {
    table.encode(request);
    ByteBuf block = Unpooled.wrappedBuffer(table.block(), 0, table.blockBytes());
    List<String> fields = new ArrayList<>();
    decoder
        .decodeHeaders(1, block)
        .forEach(field -> fields.add(field.getKey() + ": " + field.getValue()));
    return fields;
  }

  @Test
  void namesWhatWasSentBeforeByItsPlaceInTheTable() throws Http2Exception {
    Request get =
        Http2RequestsTest.of(Http2RequestsTest.spec("GET", "/a", null, new Field("x-y", "1")), "");
    List<String> first = sent(get);
    int firstBytes = table.blockBytes();
    assertEquals(first, sent(get));
    assertEquals(5, table.blockBytes(), "a byte for each field");
    assertTrue(firstBytes > 15, firstBytes + " bytes");
  }

  @Test
  void sendsStringsInHuffmansCodeWhereItIsShorter() throws Http2Exception {
    sent(request(lines.of("x", "aaaaaaaa")));
    // 0x40, the name of one byte with its length, the value's length and its 40 bits.
    assertEquals(1 + 2 + 1 + 5, table.blockBytes());
    assertEquals(List.of("x: \u00ff"), sent(request(lines.of("x", "\u00ff"))));
    assertEquals(1 + 1 + 1, table.blockBytes(), "longer in the code, and the name is known");
  }

  @Test
  void movesAllOthersWithAValueThatNeverComesAgain() throws Http2Exception {
    Request call = Http2RequestsTest.call(Http2RequestsTest.spec("POST", "/a.B/C", null), "");
    assertEquals("grpc-timeout: 4999999u", sent(call).get(6));
    byte[] second = null;
    for (int i = 2; i <= 5_000; i++) {
      List<String> fields = sent(call);
      assertEquals("grpc-timeout: " + (5_000_000 - (i - 1) % 4096 - 1) + "u", fields.get(6));
      assertEquals(":authority: localhost", fields.get(2));
      second = second == null ? Arrays.copyOf(table.block(), table.blockBytes()) : second;
    }
    assertTrue(second.length < 20, second.length + " bytes");
  }

  /** Many fields in tables of any size that also change: whatever is evicted, it is understood. */
  @Test
  void isUnderstoodWhateverIsEvicted() throws Http2Exception {
    SplittableRandom random = new SplittableRandom(7);
    for (int i = 0; i < 4_000; i++) {
      if (random.nextInt(200) == 0) {
        for (int changes = random.nextInt(3); changes > 0; changes--) {
          int bytes = random.nextInt(4) == 0 ? random.nextInt(200) : random.nextInt(6_000);
          // As Netty's own frames would: the least of all, then the last.
          decoder.configuration().maxHeaderTableSize(bytes);
          table.resize(bytes);
        }
      }
      FieldLine[][] fields = new FieldLine[random.nextInt(12)][];
      List<String> expected = new ArrayList<>();
      for (int j = 0; j < fields.length; j++) {
        String name = "n" + random.nextInt(30);
        String value =
            random.nextInt(3) + "v".repeat(random.nextInt(300) == 0 ? 5_000 : random.nextInt(90));
        fields[j] = lines.of(name, value);
        expected.add(name + ": " + value);
      }
      List<String> got = sent(request(fields));
      expected.sort(null);
      got.sort(null);
      assertEquals(expected, got);
    }
  }

  @Test
  void allocatesNothingPerRequest() throws Http2Exception {
    Request call = Http2RequestsTest.call(Http2RequestsTest.spec("POST", "/a.B/C", null), "");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long least = Long.MAX_VALUE;
    for (int round = 0; round < 5 && least > 1_000; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 100_000; i++) {
        table.encode(call);
      }
      least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
    }
    assertTrue(least < 1_000, least + " bytes");
  }
}
