package dev.weir.proxy.exchange;

import dev.weir.proxy.rig.RecordingOrigin;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Function;

/**
 * A service that reads what it gets by {@link StrictReader}, and nothing else, and keeps what it
 * could not read. What it answers is up to the test.
 */
final class FuzzOrigin implements RecordingOrigin.Script {
  private final Function<StrictReader.Message, String> answer;
  final Queue<StrictReader.Message> requests = new ConcurrentLinkedQueue<>();
  final Queue<String> unreadable = new ConcurrentLinkedQueue<>();

  /**
   * @param answer the bytes that a request is answered with; those that do not say where they end
   *     end the connection.
   */
  FuzzOrigin(Function<StrictReader.Message, String> answer) {
    this.answer = answer;
  }

  @Override
  public void run(RecordingOrigin.Conversation conversation) throws IOException {
    StringBuilder got = new StringBuilder();
    byte[] buffer = new byte[8192];
    for (int length = conversation.in().read(buffer);
        length >= 0;
        length = conversation.in().read(buffer)) {
      got.append(new String(buffer, 0, length, StandardCharsets.ISO_8859_1));
      StrictReader reader = new StrictReader(got.toString());
      for (var request = reader.request(); request != null; request = reader.request()) {
        requests.add(request);
        String response = answer.apply(request);
        conversation.send(response);
        if (!keepsOpen(request, response)) {
          conversation.end();
          return;
        }
      }
      if (reader.isBroken()) {
        unreadable.add(got.toString());
        conversation.end();
        return;
      }
      got.setLength(0);
      got.append(reader.rest());
    }
    conversation.end();
  }

  private static boolean keepsOpen(StrictReader.Message request, String response) {
    return new StrictReader(response).response(request.start().startsWith("HEAD "), false) != null;
  }
}
