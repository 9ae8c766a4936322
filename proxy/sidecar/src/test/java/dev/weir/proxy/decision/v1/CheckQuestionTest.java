package dev.weir.proxy.decision.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import dev.weir.proxy.request.Operation;
import dev.weir.proxy.request.Question;
import dev.weir.v1.CheckRateLimitRequest;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** Questions of checks, made of messages. */
class CheckQuestionTest {
  private final AskedCheck asked = new AskedCheck();
  private final CheckQuestion made = new CheckQuestion();

  private String dimension(String name) {
    byte[] message =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier("a")
            .setDimensionName(name)
            .setEndpoint("/")
            .build()
            .toByteArray();
    asked.read(new UnsafeBuffer(message), 0, message.length, true);
    return made.make(asked, Operation.CHECK, Question.NO_DEADLINE).question().identityName(0);
  }

  /** So many names do not all fit into the cache of an event loop. */
  @Test
  void readsEachNameOfADimensionOnce() {
    List<String> names = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      names.add(dimension("header:x-of-" + i));
      assertEquals("header:x-of-" + i, names.get(i));
    }
    for (int i = 0; i < 300; i++) {
      assertSame(names.get(i), dimension("header:x-of-" + i));
    }
  }
}
