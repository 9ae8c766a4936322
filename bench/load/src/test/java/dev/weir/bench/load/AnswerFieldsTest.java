package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.load.AnswerFields.GrpcStatus;
import dev.weir.proxy.http2.ErrorCode;
import dev.weir.proxy.http2.hpack.HpackEncoder;
import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class AnswerFieldsTest {
  private final AnswerFields fields = new AnswerFields(AnswerFields.newBlock());

  private void decode(String... namesAndValues) {
    HpackEncoder encoder = new HpackEncoder();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      encoder.add(namesAndValues[i], namesAndValues[i + 1]);
    }
    byte[] block = encoder.bytes();
    assertEquals(ErrorCode.NO_ERROR, fields.decode(Unpooled.wrappedBuffer(block), 0, block.length));
  }

  @Test
  void readsStatuses() {
    decode(":status", "429", "grpc-status", "8");
    assertTrue(fields.hasStatus());
    assertEquals(429, fields.status());
    assertEquals(8, fields.grpcStatus());
    for (String none : new String[] {"", "20", "2000", "2x0", "-20"}) {
      decode(":status", none);
      assertEquals(0, fields.status(), none);
    }
    decode("grpc-status", "0");
    assertFalse(fields.hasStatus());
    assertEquals(0, fields.status());
    assertEquals(0, fields.grpcStatus());
    decode("grpc-status", "16");
    assertEquals(16, fields.grpcStatus());
    for (String unknown : new String[] {"", "17", "-1", "008", "x"}) {
      decode("grpc-status", unknown);
      assertEquals(GrpcStatus.UNKNOWN, fields.grpcStatus(), unknown);
    }
    decode(":status", "200");
    assertEquals(GrpcStatus.UNKNOWN, fields.grpcStatus());
  }

  @Test
  void blamesTheStreamForFieldsThatNoAnswerMayHave() {
    decode(":status", "200");
    assertEquals(ErrorCode.NO_ERROR, fields.fault());
    decode(":status", "200", ":status", "200");
    assertEquals(ErrorCode.PROTOCOL_ERROR, fields.fault());
    decode(":status", "200", "x", "v".repeat(AnswerFields.MAX_LIST_BYTES));
    assertEquals(ErrorCode.PROTOCOL_ERROR, fields.fault());
  }
}
