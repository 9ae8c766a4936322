package dev.weir.scripts;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real server as a child process on a free port, without persistence, and a client for it. */
final class RedisProcess implements AutoCloseable {
  private final Process process;
  private final int port;

  RedisProcess(Path binary, Path directory) throws Exception {
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      port = free.getLocalPort();
    }
    process =
        new ProcessBuilder(
                binary.toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                Integer.toString(port),
                "--save",
                "",
                "--dir",
                directory.toString())
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("log").toFile())
            .start();
    final long end = System.nanoTime() + 10_000_000_000L;
    while (true) {
      try (Client client = connect()) {
        client.text("PING");
        return;
      } catch (IOException e) {
        if (System.nanoTime() > end || !process.isAlive()) {
          process.destroyForcibly();
          throw new IllegalStateException(Files.readString(directory.resolve("log")), e);
        }
        Thread.onSpinWait();
      }
    }
  }

  /** The server of the test library, copied out of its jar. */
  static Path embedded(Path directory) throws IOException {
    final String name =
        System.getProperty("os.arch").equals("aarch64")
            ? "/redis-server-6.2.7-linux-arm64"
            : "/redis-server-6.2.6-v5-linux-amd64";
    final Path copy = directory.resolve("redis-server");
    try (InputStream in = RedisProcess.class.getResourceAsStream(name)) {
      Files.copy(in, copy);
    }
    copy.toFile().setExecutable(true);
    return copy;
  }

  Client connect() throws IOException {
    return new Client(new Socket(InetAddress.getLoopbackAddress(), port));
  }

  @Override
  public void close() {
    process.destroy();
    process.onExit().join();
  }

  /** As much of RESP2 as these tests need: bulk strings out; one reply, its bytes, back. */
  static final class Client implements AutoCloseable {
    private final Socket socket;
    private final DataInputStream in;
    private final OutputStream out;

    Client(Socket socket) throws IOException {
      this.socket = socket;
      in = new DataInputStream(new java.io.BufferedInputStream(socket.getInputStream()));
      out = socket.getOutputStream();
    }

    static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }

    byte[] send(byte[]... parts) throws IOException {
      final ByteArrayOutputStream frame = new ByteArrayOutputStream();
      frame.write(bytes("*" + parts.length + "\r\n"));
      for (byte[] part : parts) {
        frame.write(bytes("$" + part.length + "\r\n"));
        frame.write(part);
        frame.write(bytes("\r\n"));
      }
      out.write(frame.toByteArray());
      return reply();
    }

    String text(String... parts) throws IOException {
      final byte[][] sent = new byte[parts.length][];
      for (int i = 0; i < parts.length; i++) {
        sent[i] = bytes(parts[i]);
      }
      final byte[] reply = send(sent);
      return reply == null ? null : new String(reply, StandardCharsets.ISO_8859_1);
    }

    private byte[] reply() throws IOException {
      final StringBuilder line = new StringBuilder();
      for (int c = in.readUnsignedByte(); c != '\r'; c = in.readUnsignedByte()) {
        line.append((char) c);
      }
      in.readUnsignedByte();
      if (line.charAt(0) != '$') {
        return bytes(line.toString());
      }
      final int length = Integer.parseInt(line.substring(1));
      if (length < 0) {
        return null;
      }
      final byte[] body = in.readNBytes(length);
      in.readNBytes(2);
      return body;
    }

    byte[] eval(String script, String time, CheckCall call, String... keys) throws IOException {
      final byte[][] parts = new byte[3 + keys.length + 2][];
      parts[0] = bytes("EVAL");
      parts[1] = bytes(script);
      parts[2] = bytes(Integer.toString(keys.length));
      for (int i = 0; i < keys.length; i++) {
        parts[3 + i] = bytes(keys[i]);
      }
      parts[3 + keys.length] = java.util.Arrays.copyOf(call.array(), call.length());
      parts[4 + keys.length] = bytes(time);
      return send(parts);
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
