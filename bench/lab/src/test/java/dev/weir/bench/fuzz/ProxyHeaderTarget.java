package dev.weir.bench.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.downstream.listen.ProxyHeader;
import dev.weir.proxy.request.IpAddress;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.function.Consumer;

/**
 * The header of the PROXY protocol: fed in pieces it says the same as at once, what is behind it
 * changes nothing, and no more bytes than came are taken for it.
 */
final class ProxyHeaderTarget implements Consumer<byte[]> {
  private final ProxyHeader header = new ProxyHeader();

  @Override
  public void accept(byte[] input) {
    ByteBuf in = Unpooled.wrappedBuffer(input);
    int whole = header.read(in);
    IpAddress client = header.client();
    assertTrue(whole <= input.length, () -> "length " + whole);
    for (int length = 0; length < input.length; length++) {
      int part = header.read(in.slice(0, length));
      assertTrue(part <= length, "length " + part + " of " + length);
      if (whole > 0 && length >= whole || part != ProxyHeader.INCOMPLETE) {
        assertEquals(whole, part, "cut at " + length);
        assertEquals(client, header.client(), "cut at " + length);
      }
    }
    assertEquals(0, in.readerIndex());
  }
}
