package dev.weir.proxy;

import dev.weir.proxy.http2.hpack.HpackEncoder;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/** Asks the same thing again and again on one connection, each time when it has its answer. */
abstract class AskingClient {
  final DataInputStream in;
  final OutputStream out;

  private AskingClient(Socket socket) throws IOException {
    in = new DataInputStream(socket.getInputStream());
    out = socket.getOutputStream();
  }

  /** Asks, and reads until the answer has ended; its status. */
  abstract int ask() throws IOException;

  /** One that speaks HTTP/1.1, or HTTP/2. */
  static AskingClient of(Socket socket, boolean http2, String contentType) throws IOException {
    return http2 ? new Http2(socket, contentType) : new Http1(socket, contentType);
  }

  private static final class Http1 extends AskingClient {
    private final byte[] request;
    private final byte[] answer = new byte[4096];

    Http1(Socket socket, String contentType) throws IOException {
      super(socket);
      request =
          ("GET /a/b HTTP/1.1\r\nHost: a\r\nUser-Agent: test\r\nConnection: keep-alive\r\n"
                  + "Content-Type: "
                  + contentType
                  + "\r\nX-User-Id: 7\r\n\r\n")
              .getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    int ask() throws IOException {
      out.write(request);
      int length = 0;
      String text = "";
      while (!isWhole(text)) {
        length += in.read(answer, length, answer.length - length);
        text = new String(answer, 0, length, StandardCharsets.US_ASCII);
      }
      return Integer.parseInt(text.substring(9, 12));
    }

    private static boolean isWhole(String text) {
      int head = text.indexOf("\r\n\r\n");
      return head >= 0
          && text.length()
              == head
                  + 4
                  + Integer.parseInt(text.replaceFirst("(?is).*content-length: (\\d+).*", "$1"));
    }
  }

  /** One stream after the other. */
  private static final class Http2 extends AskingClient {
    private static final int HEADER_BYTES = 9;
    private static final int END_STREAM = 1;
    private static final int ID_OFFSET = 5;

    /** The field {@code :status: 200} of the static table. */
    private static final byte INDEXED_200 = (byte) 0x88;

    private static final byte[] PREFACE =
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    private final ByteBuffer request;
    private int streamId = 1;

    Http2(Socket socket, String contentType) throws IOException {
      super(socket);
      byte[] block =
          new HpackEncoder()
              .add(":method", "GET")
              .add(":scheme", "http")
              .add(":path", "/a/b")
              .add(":authority", "a")
              .add("user-agent", "test")
              .add("content-type", contentType)
              .add("x-user-id", "7")
              .bytes();
      request = ByteBuffer.allocate(HEADER_BYTES + block.length);
      request.put(new byte[] {0, 0, (byte) block.length, 1, 5, 0, 0, 0, 0}).put(block);
      out.write(PREFACE);
      out.write(new byte[] {0, 0, 0, 4, 0, 0, 0, 0, 0}); // SETTINGS
      out.write(new byte[] {0, 0, 4, 8, 0, 0, 0, 0, 0, 0x70, 0, 0, 0}); // a window for all
      out.write(new byte[] {0, 0, 0, 4, 1, 0, 0, 0, 0}); // SETTINGS, acknowledged
    }

    @Override
    int ask() throws IOException {
      request.putInt(ID_OFFSET, streamId);
      out.write(request.array());
      int status = 0;
      boolean ended = false;
      while (!ended) {
        int bytes = in.readUnsignedByte() << 16 | in.readUnsignedShort();
        int type = in.readUnsignedByte();
        int flags = in.readUnsignedByte();
        int id = in.readInt();
        byte[] payload = in.readNBytes(bytes);
        if (id == streamId) {
          ended = (flags & END_STREAM) != 0;
          if (type == 1 && status == 0) {
            status =
                payload[0] == INDEXED_200
                    ? 200
                    : Integer.parseInt(new String(payload, 2, 3, StandardCharsets.US_ASCII));
          }
        }
      }
      streamId += 2;
      return status;
    }
  }
}
