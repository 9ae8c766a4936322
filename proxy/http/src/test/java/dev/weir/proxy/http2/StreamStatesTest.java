package dev.weir.proxy.http2;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Each frame in each state of its stream, as a server. The connection gets what follows the head of
 * a request whole, and byte by byte, and comes to the same.
 */
class StreamStatesTest {
  private static final int ID = 3;
  private static final String[] HEAD = {
    ":method: POST", ":scheme: http", ":path: /", ":authority: test"
  };

  private WatchedStreams server;
  private FramePeer client;

  private void start(int bytesPerRead) {
    server = WatchedStreams.open(Role.SERVER);
    client = server.peer();
    client.startAsClient().send();
    client.bytesPerRead = bytesPerRead;
    client.received();
  }

  /** Brings stream 3 into a state, with its user still there if it is not over. */
  private void enter(String state) {
    if (!state.equals("skipped")) {
      client.request(ID, state.contains("half-closed"), "POST", "/").send();
    }
    switch (state) {
      case "asking", "asking half-closed" -> {
        // The user has been told, and has said nothing.
      }
      case "open", "open half-closed" -> server.head(ID, false, ":status: 200");
      case "answered" -> {
        server.head(ID, true, ":status: 200");
        server.letGo(ID);
      }
      case "ended" -> {
        client.data(ID, true, "").send();
        server.head(ID, true, ":status: 200");
        server.letGo(ID);
      }
      case "reset by peer" -> {
        client.reset(ID, ErrorCode.CANCEL).send();
        server.letGo(ID);
      }
      case "reset by us" -> {
        server.connection.reset(server.slot(ID), ErrorCode.CANCEL);
        server.letGo(ID);
      }
      case "skipped" -> client.request(5, true, "GET", "/").send();
      case "reset, not let go" -> client.reset(ID, ErrorCode.CANCEL).send();
      default -> throw new AssertionError(state);
    }
    client.received();
    server.told();
  }

  private Consumer<FramePeer> event(String event) {
    return switch (event) {
      case "head" -> peer -> peer.headers(ID, false, HEAD);
      case "head end" -> peer -> peer.headers(ID, true, HEAD);
      case "trailers" -> peer -> peer.headers(ID, true, "a: b");
      case "malformed trailers" -> peer -> peer.headers(ID, true, "a: b\u0001");
      case "fields" -> peer -> peer.headers(ID, false, "a: b");
      case "data" -> peer -> peer.data(ID, false, "12345");
      case "data end" -> peer -> peer.data(ID, true, "12345");
      case "padded data" -> peer -> peer.padded(ID, false, "12345", 3);
      case "end" -> peer -> peer.data(ID, true, "");
      case "reset" -> peer -> peer.reset(ID, ErrorCode.INTERNAL_ERROR);
      case "window" -> peer -> peer.windowUpdate(ID, 1);
      case "window 0" -> peer -> peer.windowUpdate(ID, 0);
      case "window 2^31-1" -> peer -> peer.windowUpdate(ID, Integer.MAX_VALUE);
      case "priority" -> peer -> peer.frame(FrameType.PRIORITY, 0, ID, new byte[5]);
      case "short priority" -> peer -> peer.frame(FrameType.PRIORITY, 0, ID, new byte[4]);
      case "priority on itself" ->
          peer -> peer.frame(FrameType.PRIORITY, 0, ID, new byte[] {0, 0, 0, ID, 1});
      case "short reset" -> peer -> peer.frame(FrameType.RST_STREAM, 0, ID, new byte[3]);
      case "continuation" -> peer -> peer.frame(FrameType.CONTINUATION, 4, ID, new byte[0]);
      case "push promise" -> peer -> peer.frame(FrameType.PUSH_PROMISE, 4, ID, new byte[4]);
      case "unknown" -> peer -> peer.frame(0x55, 0xff, ID, new byte[70]);
      default -> throw new AssertionError(event);
    };
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          asking             | fields              | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | head                | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | head end            | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | trailers            | -                               | trailers 3 a: b
          asking             | malformed trailers  | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | data                | -                               | data 3 12345
          asking             | padded data         | -                               | data 3 12345
          asking             | data end            | -                               | data 3 12345 end
          asking             | end                 | -                               | data 3  end
          asking             | reset               | -                               | ended 3 PEER_RESET INTERNAL_ERROR
          asking             | window              | -                               | -
          asking             | window 0            | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | window 2^31-1       | RST_STREAM 3 FLOW_CONTROL_ERROR | ended 3 FAULT FLOW_CONTROL_ERROR
          asking             | priority            | -                               | -
          asking             | short priority      | RST_STREAM 3 FRAME_SIZE_ERROR   | ended 3 FAULT FRAME_SIZE_ERROR
          asking             | priority on itself  | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking             | short reset         | GOAWAY 3 FRAME_SIZE_ERROR       | ended 3 CONNECTION_LOST FRAME_SIZE_ERROR
          asking             | continuation        | GOAWAY 3 PROTOCOL_ERROR         | ended 3 CONNECTION_LOST PROTOCOL_ERROR
          asking             | push promise        | GOAWAY 3 PROTOCOL_ERROR         | ended 3 CONNECTION_LOST PROTOCOL_ERROR
          asking             | unknown             | -                               | -
          open               | fields              | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          open               | trailers            | -                               | trailers 3 a: b
          open               | data                | -                               | data 3 12345
          open               | data end            | -                               | data 3 12345 end
          open               | reset               | -                               | ended 3 PEER_RESET INTERNAL_ERROR
          open               | window              | -                               | -
          open               | window 0            | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          open               | window 2^31-1       | RST_STREAM 3 FLOW_CONTROL_ERROR | ended 3 FAULT FLOW_CONTROL_ERROR
          asking half-closed | trailers            | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          asking half-closed | head                | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          asking half-closed | data                | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          asking half-closed | end                 | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          asking half-closed | reset               | -                               | ended 3 PEER_RESET INTERNAL_ERROR
          asking half-closed | window              | -                               | -
          asking half-closed | window 0            | RST_STREAM 3 PROTOCOL_ERROR     | ended 3 FAULT PROTOCOL_ERROR
          asking half-closed | priority            | -                               | -
          open half-closed   | trailers            | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          open half-closed   | data end            | RST_STREAM 3 STREAM_CLOSED      | ended 3 FAULT STREAM_CLOSED
          open half-closed   | reset               | -                               | ended 3 PEER_RESET INTERNAL_ERROR
          open half-closed   | window              | -                               | -
          answered           | trailers            | -                               | -
          answered           | fields              | -                               | -
          answered           | malformed trailers  | -                               | -
          answered           | data                | -                               | -
          answered           | data end            | -                               | -
          answered           | reset               | -                               | -
          answered           | window              | -                               | -
          answered           | window 0            | -                               | -
          answered           | window 2^31-1       | -                               | -
          answered           | priority            | -                               | -
          ended              | head                | GOAWAY 3 STREAM_CLOSED          | -
          ended              | trailers            | GOAWAY 3 STREAM_CLOSED          | -
          ended              | data                | RST_STREAM 3 STREAM_CLOSED      | -
          ended              | data end            | RST_STREAM 3 STREAM_CLOSED      | -
          ended              | reset               | -                               | -
          ended              | window              | -                               | -
          ended              | window 0            | RST_STREAM 3 PROTOCOL_ERROR     | -
          ended              | window 2^31-1       | -                               | -
          ended              | priority            | -                               | -
          ended              | short priority      | RST_STREAM 3 FRAME_SIZE_ERROR   | -
          ended              | continuation        | GOAWAY 3 PROTOCOL_ERROR         | -
          reset by peer      | head                | GOAWAY 3 STREAM_CLOSED          | -
          reset by peer      | data                | RST_STREAM 3 STREAM_CLOSED      | -
          reset by peer      | reset               | -                               | -
          reset by peer      | window              | -                               | -
          reset by us        | head                | -                               | -
          reset by us        | trailers            | -                               | -
          reset by us        | malformed trailers  | -                               | -
          reset by us        | data                | -                               | -
          reset by us        | data end            | -                               | -
          reset by us        | reset               | -                               | -
          reset by us        | window              | -                               | -
          reset by us        | window 0            | -                               | -
          reset by us        | priority            | -                               | -
          reset by us        | short priority      | -                               | -
          reset, not let go  | data                | RST_STREAM 3 STREAM_CLOSED      | -
          reset, not let go  | head                | GOAWAY 3 STREAM_CLOSED          | -
          reset, not let go  | window              | -                               | -
          reset, not let go  | reset               | -                               | -
          skipped            | head                | GOAWAY 5 PROTOCOL_ERROR         | ended 5 CONNECTION_LOST PROTOCOL_ERROR
          skipped            | data                | GOAWAY 5 PROTOCOL_ERROR         | ended 5 CONNECTION_LOST PROTOCOL_ERROR
          skipped            | reset               | -                               | -
          skipped            | window              | -                               | -
          """)
  void aFrameComesToWhatItsStreamsStateSays(
      String state, String event, String frames, String told) {
    for (int bytesPerRead : new int[] {0, 1, 2, 7, 13}) {
      start(bytesPerRead);
      enter(state);
      event(event).accept(client);
      client.send();
      assertEquals(frames == null ? List.of() : List.of(frames), client.received());
      final boolean inPieces = told != null && told.startsWith("data") && bytesPerRead > 0;
      final List<String> lines = server.told();
      lines.removeIf(line -> line.equals("connection ended"));
      if (inPieces) {
        final String whole =
            String.join("", lines).replaceAll("data 3 ", "").replaceAll("^", "data 3 ");
        assertEquals(told, whole);
      } else {
        assertEquals(told == null ? List.of() : List.of(told), lines);
      }
      final boolean connectionEnds = frames != null && frames.startsWith("GOAWAY");
      assertEquals(!connectionEnds, server.embedded().isOpen());
      if (!connectionEnds) {
        tableStillDecodes();
      }
      server.embedded().finishAndReleaseAll();
      assertEquals(0, server.connection.heldBytes());
    }
  }

  /** Whatever came, the next request is read as it was sent. */
  private void tableStillDecodes() {
    client.bytesPerRead = 0;
    client.request(7, true, "GET", "/next").send();
    final List<String> lines = server.told();
    assertTrue(lines.get(lines.size() - 1).contains(":path: /next"), lines.toString());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      nullValues = "-",
      textBlock =
          """
          data               | GOAWAY 0 PROTOCOL_ERROR
          reset              | GOAWAY 0 PROTOCOL_ERROR
          window             | GOAWAY 0 PROTOCOL_ERROR
          window 0           | GOAWAY 0 PROTOCOL_ERROR
          priority           | -
          short priority     | GOAWAY 0 FRAME_SIZE_ERROR
          priority on itself | GOAWAY 0 PROTOCOL_ERROR
          continuation       | GOAWAY 0 PROTOCOL_ERROR
          unknown            | -
          """)
  void aFrameOfAnIdleStreamEndsTheConnectionUnlessItIsOfNoConsequence(String event, String frames) {
    for (int bytesPerRead : new int[] {0, 1}) {
      start(bytesPerRead);
      event(event).accept(client);
      client.send();
      assertEquals(frames == null ? List.of() : List.of(frames), client.received());
      server.embedded().finishAndReleaseAll();
    }
  }
}
