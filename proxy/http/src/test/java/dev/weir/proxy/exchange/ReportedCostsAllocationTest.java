package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.http1.ResponseHead;
import dev.weir.proxy.http1.TrailerSection;
import dev.weir.proxy.request.FieldName;
import dev.weir.proxy.request.GrpcStatus;
import dev.weir.proxy.request.ReportedCost;
import dev.weir.proxy.request.RequestEnd;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** An exchange whose costs are read makes no object, whatever they are. */
@Tag("allocation")
class ReportedCostsAllocationTest {
  private static final int EXCHANGES = 2_000;

  private static final ReportedCost[] ALL = {
    ReportedCost.ofStatus(List.of(401), List.of(GrpcStatus.UNAUTHENTICATED)),
    ReportedCost.ofHeader(FieldName.of("x-head")),
    ReportedCost.ofTrailer(FieldName.of("x-trailer")),
    ReportedCost.ofBodyNumber("usage.total_tokens"),
    ReportedCost.ofBodyNumber("usage.prompt_tokens"),
    ReportedCost.ofResponseBytes(1024),
    ReportedCost.ofRequestBytes(1024)
  };

  private final ReportedCosts costs = new ReportedCosts();
  private final RequestEnd end = new RequestEnd();
  private final ResponseHead head = new ResponseHead(10);
  private final TrailerSection trailers = new TrailerSection(10);

  private static ByteBuf direct(String text) {
    return Unpooled.directBuffer().writeBytes(text.getBytes(StandardCharsets.US_ASCII));
  }

  @Test
  void readingCostsAllocatesNothing() {
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    ByteBuf content =
        direct(
            "data: {\"usage\": null}\n\n"
                + "data: {\"usage\": {\"prompt_tokens\": 7, \"total_tokens\": 42}}\n\n");
    ByteBuf lines = direct("X-Trailer: 3\r\n");
    try {
      byte[] bytes =
          "HTTP/1.1 401 No\r\nContent-Type: text/event-stream\r\nX-Head: 5\r\n\r\n"
              .getBytes(StandardCharsets.US_ASCII);
      assertEquals(bytes.length, head.scan(new UnsafeBuffer(bytes), 0, bytes.length));
      ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 8; round++) { // the first ones also load
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < EXCHANGES; i++) {
          exchange(content, lines);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(least < EXCHANGES, least / EXCHANGES + " bytes for each exchange");
      long[] expected = {1, 5, 3, 42, 7, 2, 1};
      for (int i = 0; i < ALL.length; i++) {
        assertEquals(expected[i], end.costReported(i), ALL[i].toString());
      }
    } finally {
      content.release();
      lines.release();
      ResourceLeakDetector.setLevel(level);
    }
  }

  private void exchange(ByteBuf content, ByteBuf lines) {
    costs.start();
    costs.want(ALL);
    costs.head(head);
    costs.content(content);
    costs.trailers(trailers.read(lines));
    costs.tell(end.set(RequestEnd.How.COMPLETE), 1, 1025);
  }
}
