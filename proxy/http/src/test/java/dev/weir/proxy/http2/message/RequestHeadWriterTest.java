package dev.weir.proxy.http2.message;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.http1.RequestHead;
import dev.weir.proxy.http2.hpack.FieldBlock;
import dev.weir.proxy.http2.hpack.FieldDecoder;
import dev.weir.proxy.request.IpAddress;
import dev.weir.proxy.request.Peer;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Heads of HTTP/1.1 on their way to a service of HTTP/2. */
class RequestHeadWriterTest {
  private final RequestHeadWriter writer = new RequestHeadWriter("service:80", false);
  private final RequestHead head = new RequestHead(100, 8192);
  private Peer peer = Peer.LOOPBACK;

  @Test
  void writesPseudoFieldsFirstAndNamesInLowerCase() {
    List<String> fields = write("GET /a?b=c HTTP/1.1\r\nHost: h.example\r\nX-Line:  1 \r\n\r\n");
    assertEquals(
        List.of(
            ":method: GET",
            ":scheme: http",
            ":authority: h.example",
            ":path: /a?b=c",
            "x-line: 1",
            "x-forwarded-for: 127.0.0.1",
            "x-forwarded-proto: http",
            "x-forwarded-host: h.example",
            "via: 1.1 weir"),
        fields.subList(0, fields.size() - 1));
    assertTrue(fields.get(fields.size() - 1).matches("x-request-id: [0-9a-f]{32}"), "" + fields);
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/?", "/?a", "/a/b", "/a?"})
  void writesTheTargetAsItCame(String target) {
    assertTrue(
        write("POST " + target + " HTTP/1.1\r\nHost: h\r\n\r\n").contains(":path: " + target));
  }

  @Test
  void writesAnyMethod() {
    assertTrue(write("PATCH / HTTP/1.1\r\nHost: h\r\n\r\n").contains(":method: PATCH"));
    assertTrue(write("get / HTTP/1.1\r\nHost: h\r\n\r\n").contains(":method: get"));
    assertTrue(write("OPTIONS * HTTP/1.1\r\nHost: h\r\n\r\n").contains(":path: *"));
  }

  @Test
  void dropsWhatIsOfTheConnectionAndWhatItNames() {
    List<String> fields =
        write(
            "POST / HTTP/1.1\r\nHost: h\r\nConnection: close, x-named\r\nKeep-Alive: 5\r\n"
                + "X-Named: 1\r\nProxy-Connection: close\r\nTransfer-Encoding: chunked\r\n"
                + "Upgrade: h2c\r\nHTTP2-Settings: x\r\nTE: gzip\r\nTrailer: x\r\nX-Kept: 1\r\n"
                + "\r\n");
    assertEquals("x-kept: 1", fields.get(4));
    assertTrue(fields.get(5).startsWith("x-forwarded-for"), "" + fields);
  }

  @Test
  void asksForTrailersWhereTheClientDoes() {
    assertTrue(
        write("POST / HTTP/1.1\r\nHost: h\r\nConnection: TE\r\nTE: gzip, trailers\r\n\r\n")
            .contains("te: trailers"));
  }

  @Test
  void keepsTheLengthOnce() {
    List<String> fields = write("POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 05\r\n\r\n");
    assertEquals(1, fields.stream().filter(f -> f.startsWith("content-length")).count());
    assertTrue(fields.contains("content-length: 5"), "" + fields);
  }

  @Test
  void namesTheServiceForAClientThatNamesNobody() {
    assertTrue(write("GET / HTTP/1.0\r\n\r\n").contains(":authority: service:80"));
  }

  @Test
  void takesTheAuthorityFromTheTarget() {
    List<String> fields = write("GET http://a.example/b HTTP/1.1\r\nHost: other\r\n\r\n");
    assertTrue(fields.contains(":authority: a.example"), "" + fields);
    assertFalse(fields.stream().anyMatch(f -> f.startsWith("host:")), "" + fields);
  }

  @Test
  void forbidsToKeepSecrets() {
    FieldBlock block =
        block("GET / HTTP/1.1\r\nHost: h\r\nAuthorization: a\r\nCookie: b\r\nX-A: c\r\n\r\n");
    assertTrue(block.neverIndexed(4));
    assertTrue(block.neverIndexed(5));
    assertFalse(block.neverIndexed(6));
  }

  @Test
  void writesTheTimeOfACallBehindAllOthers() {
    String text = "POST / HTTP/1.1\r\nHost: h\r\ngrpc-timeout: 5S\r\nX-A: 1\r\n\r\n";
    List<String> fields = write(text);
    assertEquals("grpc-timeout: 5S", fields.get(fields.size() - 1));
    assertEquals("x-a: 1", fields.get(4));
    ByteBuf out = writer.write(scan(text), UnpooledByteBufAllocator.DEFAULT);
    out.writerIndex(writer.timeoutOffset());
    List<String> without = decode(out);
    assertEquals(fields.subList(0, fields.size() - 2), without.subList(0, without.size() - 1));
    write("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
    assertEquals(-1, writer.timeoutOffset());
  }

  @Test
  void goesOnWithTheListOfThoseWhoAsked() {
    assertTrue(
        write("GET / HTTP/1.1\r\nHost: h\r\nX-Forwarded-For: 192.0.2.1\r\n\r\n")
            .contains("x-forwarded-for: 192.0.2.1, 127.0.0.1"));
  }

  @Test
  void believesNobodyButTrustedPeers() {
    String text = "GET / HTTP/1.1\r\nHost: h\r\nX-Real-IP: 192.0.2.1\r\n\r\n";
    assertFalse(write(text).contains("x-real-ip: 192.0.2.1"));
    peer = new Peer(IpAddress.LOOPBACK, true);
    assertTrue(write(text).contains("x-real-ip: 192.0.2.1"));
  }

  private List<String> write(String text) {
    return decode(writer.write(scan(text), UnpooledByteBufAllocator.DEFAULT));
  }

  private RequestHead scan(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
    int length = head.scan(new UnsafeBuffer(bytes), 0, bytes.length, peer);
    assertEquals(bytes.length, length, () -> "" + head.fault());
    head.source().set(Unpooled.wrappedBuffer(bytes), 0, length);
    return head;
  }

  private FieldBlock block(String text) {
    return fill(writer.write(scan(text), UnpooledByteBufAllocator.DEFAULT));
  }

  private static FieldBlock fill(ByteBuf encoded) {
    FieldBlock block = new FieldBlock(32 * 1024, 100, 32 * 1024);
    FieldDecoder.Outcome outcome =
        new FieldDecoder().decode(encoded, encoded.readerIndex(), encoded.readableBytes(), block);
    encoded.release();
    assertEquals(FieldDecoder.Outcome.DECODED, outcome);
    assertFalse(block.malformed());
    return block;
  }

  private static List<String> decode(ByteBuf encoded) {
    FieldBlock block = fill(encoded);
    List<String> fields = new ArrayList<>();
    for (int i = 0; i < block.count(); i++) {
      fields.add(
          block.text(block.nameOffset(i), block.nameLength(i))
              + ": "
              + block.text(block.valueOffset(i), block.valueLength(i)));
    }
    return fields;
  }
}
