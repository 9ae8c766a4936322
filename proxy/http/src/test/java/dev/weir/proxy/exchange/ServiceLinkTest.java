package dev.weir.proxy.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.RequestEnd;
import dev.weir.proxy.request.RequestView;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServiceLinkTest {
  private final List<String> calls = new ArrayList<>();
  private final Service service = new Service();
  private final ServiceLink link = new ServiceLink();

  @Test
  void dropsWhatIsGivenAfterAFailureUntilTheRequestHasLooked() {
    link.start();
    link.open(service, new EncodedHead());
    service.fails = true;
    ByteBuf first = bytes();
    ByteBuf second = bytes();
    assertEquals(0, link.data(first, false));
    assertEquals(0, link.data(second, true));
    link.trailers(new RequestView(0));
    assertFalse(link.flush());
    assertEquals(RefusalReason.UPSTREAM_CLOSED, link.failure());
    assertEquals(List.of("head", "data"), calls);
    assertEquals(0, first.refCnt() + second.refCnt());
  }

  @Test
  void tellsTheServiceOfAResetUnlessItHasFailed() {
    link.start();
    link.open(service, new EncodedHead());
    link.reset(RequestEnd.How.CLIENT_GONE, 8);
    link.reset(RequestEnd.How.CLIENT_GONE, 8); // once
    assertFalse(link.isOpen());
    link.start();
    link.open(service, new EncodedHead());
    service.fails = true;
    assertFalse(link.flush());
    link.reset(RequestEnd.How.SERVICE_GONE, RequestEnd.NO_CODE);
    assertEquals(List.of("head", "reset CLIENT_GONE 8", "head", "flush"), calls);
  }

  @Test
  void startsTheNextRequestWithoutTheLastOnesFailure() {
    link.start();
    service.fails = true;
    link.open(service, new EncodedHead());
    assertEquals(RefusalReason.UPSTREAM_CLOSED, link.failure());
    link.ended();
    link.start();
    service.fails = false;
    link.open(service, new EncodedHead());
    assertNull(link.failure());
    assertEquals(3, link.data(bytes(), false));
    assertTrue(link.flush());
  }

  private static ByteBuf bytes() {
    return Unpooled.buffer().writeBytes(new byte[3]);
  }

  /** Holds all it is given, and fails when told so. */
  private final class Service implements ServiceSide {
    private boolean fails;

    @Override
    public void head(EncodedHead head) {
      calls.add("head");
      failIfTold();
    }

    @Override
    public int data(ByteBuf bytes, boolean end) {
      calls.add("data");
      int length = bytes.readableBytes();
      bytes.release();
      failIfTold();
      return length;
    }

    @Override
    public void trailers(RequestView fields) {
      calls.add("trailers");
      failIfTold();
    }

    @Override
    public void flush() {
      calls.add("flush");
      failIfTold();
    }

    private void failIfTold() {
      assertTrue(link.isCalling());
      if (fails) {
        link.failed(RefusalReason.UPSTREAM_CLOSED);
      }
    }

    @Override
    public void responseConsumed(int bytes) {
      calls.add("consumed " + bytes);
    }

    @Override
    public void reset(RequestEnd.How how, int errorCode) {
      calls.add("reset " + how + ' ' + errorCode);
    }
  }
}
