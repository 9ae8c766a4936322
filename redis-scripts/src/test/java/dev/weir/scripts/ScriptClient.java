package dev.weir.scripts;

import dev.weir.scripts.server.RedisServer;
import dev.weir.scripts.server.RespClient;
import dev.weir.scripts.server.RespError;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Calls scripts, and commands beside them. */
final class ScriptClient implements AutoCloseable {
  private final RespClient connection;

  /** The digest of each script that this client has sent to the server. */
  private final Map<String, byte[]> digests = new HashMap<>();

  ScriptClient(RedisServer server) throws IOException {
    connection = server.connect();
  }

  /** See {@link RespClient#text}. */
  String text(String... parts) throws IOException {
    return connection.text(parts);
  }

  /** The reply, an error's message with its minus sign. */
  byte[] send(byte[]... parts) throws IOException {
    final Object reply = connection.call(parts);
    if (reply instanceof RespError error) {
      return RespClient.bytes("-" + error.message());
    }
    return reply instanceof byte[] bulk ? bulk : RespClient.bytes(String.valueOf(reply));
  }

  /** Evaluates a script that takes the time, for tests, as its second argument. */
  byte[] eval(String script, String time, CheckCall call, String... keys) throws IOException {
    final List<byte[]> parts = new ArrayList<>();
    parts.add(RespClient.bytes("EVALSHA"));
    parts.add(digest(script));
    parts.add(RespClient.bytes(Integer.toString(keys.length)));
    for (String key : keys) {
      parts.add(RespClient.bytes(key));
    }
    parts.add(Arrays.copyOf(call.array(), call.length()));
    parts.add(RespClient.bytes(time));
    return send(parts.toArray(new byte[0][]));
  }

  private byte[] digest(String script) throws IOException {
    byte[] digest = digests.get(script);
    if (digest == null) {
      digest = RespClient.bytes(text("SCRIPT", "LOAD", script));
      digests.put(script, digest);
    }
    return digest;
  }

  @Override
  public void close() throws IOException {
    connection.close();
  }
}
