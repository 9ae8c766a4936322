package dev.weir.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.bench.load.LoadSink.Failure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class Http1ConnectionTest {
  private static final String OK = "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok\n";

  private final List<String> told = new ArrayList<>();
  private final Http1Connection connection = new Http1Connection(new Words());
  private final EmbeddedChannel channel = new EmbeddedChannel(connection);

  /** What is told, in words. */
  private final class Words implements LoadSink {
    @Override
    public void opened(LoadConnection opened) {
      told.add("opened");
    }

    @Override
    public void shakenHands(boolean resumed) {}

    @Override
    public void refused(Throwable cause) {
      told.add("refused");
    }

    @Override
    public void answered(int httpStatus, int grpcStatus, long dueNs, long startedNs) {
      assertEquals(-1, grpcStatus);
      told.add(httpStatus + " due " + dueNs + " started " + startedNs);
    }

    @Override
    public void failed(Failure failure, long dueNs, long startedNs) {
      told.add(failure + " due " + dueNs + " started " + startedNs);
    }

    @Override
    public void room(LoadConnection roomy) {
      assertTrue(roomy.hasRoom());
      told.add("room");
    }

    @Override
    public void closed(LoadConnection closed) {
      assertFalse(closed.hasRoom());
      assertEquals(0, closed.inFlight());
      told.add("closed");
    }
  }

  @AfterEach
  void end() {
    channel.close();
    channel.releaseOutbound();
  }

  private static Request request(boolean headMethod) {
    return new Request(bytes("GET / HTTP/1.1\r\n\r\n"), bytes("body"), headMethod);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  private static ByteBuf buffer(String text) {
    return Unpooled.directBuffer().writeBytes(bytes(text));
  }

  private void start() {
    start(false);
  }

  private void start(boolean headMethod) {
    assertTrue(connection.hasRoom());
    connection.start(request(headMethod), 1, 2);
    connection.flush();
    assertFalse(connection.hasRoom());
    assertEquals(1, connection.inFlight());
  }

  private void receive(String text) {
    channel.writeInbound(buffer(text));
  }

  private void expect(String... words) {
    final List<String> all = new ArrayList<>(List.of("opened"));
    all.addAll(List.of(words));
    assertEquals(all, told);
  }

  @Test
  void sendsHeadAndBody() {
    start();
    final ByteBuf sent = channel.readOutbound();
    assertEquals("GET / HTTP/1.1\r\n\r\nbody", sent.toString(StandardCharsets.US_ASCII));
    sent.release();
  }

  @Test
  void anAnswerMakesRoomForTheNext() {
    start();
    receive(OK);
    start();
    receive(OK);
    expect("200 due 1 started 2", "room", "200 due 1 started 2", "room");
    assertEquals(0, connection.inFlight());
  }

  /** Answers that leave the connection open, whatever their bytes look like. */
  @Test
  void everyKindOfAnswerEndsWhereItDoesHoweverItIsSplit() {
    final String[][] answers = {
      {OK, "200"},
      {"HTTP/1.1 429 Too Many Requests\r\ncontent-length: 0\r\n\r\n", "429"},
      {"HTTP/1.1 204 No Content\r\n\r\n", "204"},
      {"HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", "204"},
      {"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "304"},
      {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n" + OK, "200"},
      {
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
        "200"
      },
      {"HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", "500"},
      {"HTTP/1.0 200 OK\r\nConnection: keep-alive\r\nContent-Length: 1\r\n\r\na", "200"},
    };
    for (String[] answer : answers) {
      for (int split = 1; split < answer[0].length(); split++) {
        told.clear();
        start();
        receive(answer[0].substring(0, split));
        assertFalse(connection.hasRoom(), answer[0] + " split at " + split);
        receive(answer[0].substring(split));
        assertEquals(
            List.of(answer[1] + " due 1 started 2", "room"),
            told,
            answer[0] + " split at " + split);
      }
      told.clear();
      start();
      for (char one : answer[0].toCharArray()) {
        receive(Character.toString(one));
      }
      assertEquals(List.of(answer[1] + " due 1 started 2", "room"), told, answer[0]);
    }
  }

  @Test
  void anAnswerToHeadHasNoBodyWhateverItSays() {
    start(true);
    receive("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n");
    start(true);
    receive("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
    expect("200 due 1 started 2", "room", "200 due 1 started 2", "room");
  }

  @Test
  void aLargeBodyIsNotKept() {
    start();
    receive("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n");
    final String part = "x".repeat(1_000_000);
    for (int i = 0; i < 100; i++) {
      receive(part);
    }
    expect("200 due 1 started 2", "room");
  }

  @Test
  void anAnswerMayEndWithItsConnection() {
    start();
    receive("HTTP/1.1 200 OK\r\n\r\nsome");
    receive("thing");
    expect();
    channel.close();
    expect("200 due 1 started 2", "closed");
  }

  @Test
  void aResetDoesNotEndAnAnswer() {
    start();
    receive("HTTP/1.1 200 OK\r\n\r\nsome");
    channel.pipeline().fireExceptionCaught(new IOException("Connection reset by peer"));
    channel.close();
    expect("connection closed due 1 started 2", "closed");
  }

  @Test
  void aConnectionThatIsNotKeptIsClosed() {
    for (String answer :
        new String[] {
          "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na",
          "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\na",
        }) {
      told.clear();
      final Http1Connection one = new Http1Connection(new Words());
      final EmbeddedChannel its = new EmbeddedChannel(one);
      one.start(request(false), 1, 2);
      its.writeInbound(buffer(answer));
      assertEquals(List.of("opened", "200 due 1 started 2", "closed"), told);
      assertFalse(its.isOpen());
      its.releaseOutbound();
    }
  }

  @Test
  void whatIsNoAnswerIsMalformed() {
    for (String answer :
        new String[] {
          "garbage\r\n\r\n",
          "HTTP/2.0 200 OK\r\n\r\n",
          "HTTP/1.1 600 No\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
          "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nnone\r\n",
          "HTTP/1.1 101 Switching Protocols\r\n\r\n",
          "HTTP/1.1 200 OK\r\n" + "a: b\r\n".repeat(200) + "\r\n",
          "HTTP/1.1 200 OK\r\na: " + "b".repeat(70_000),
        }) {
      told.clear();
      final Http1Connection one = new Http1Connection(new Words());
      final EmbeddedChannel its = new EmbeddedChannel(one);
      one.start(request(false), 1, 2);
      its.writeInbound(buffer(answer));
      assertEquals(List.of("opened", "malformed answer due 1 started 2", "closed"), told, answer);
      assertFalse(its.isOpen());
      its.releaseOutbound();
    }
  }

  @Test
  void anAnswerWithoutARequestEndsTheConnection() {
    receive(OK);
    expect("closed");
    assertFalse(channel.isOpen());
  }

  @Test
  void aSecondAnswerEndsTheConnection() {
    start();
    receive(OK + OK);
    expect("200 due 1 started 2", "closed");
  }

  @Test
  void aCloseInTheMiddleFailsTheRequest() {
    start();
    receive(OK.substring(0, OK.length() - 1));
    channel.close();
    expect("connection closed due 1 started 2", "closed");
  }

  @Test
  void aCloseBetweenRequestsFailsNone() {
    start();
    receive(OK);
    channel.close();
    expect("200 due 1 started 2", "room", "closed");
  }

  @Test
  void givesUpWhatWasStartedTooLongAgo() {
    start();
    connection.expire(2);
    expect();
    connection.expire(3);
    expect("timed out due 1 started 2", "closed");
    assertFalse(channel.isOpen());
  }

  @Test
  void aRequestThatCannotBeWrittenFailsOnce() {
    start();
    channel.close();
    expect("connection closed due 1 started 2", "closed");
    connection.flush();
    connection.expire(100);
    expect("connection closed due 1 started 2", "closed");
  }

  @Test
  void tellsNothingOnceItIsClosedFromHere() {
    start();
    receive("HTTP/1.1 200 OK\r\nContent-");
    connection.close();
    expect();
    assertEquals(0, connection.inFlight());
  }
}
