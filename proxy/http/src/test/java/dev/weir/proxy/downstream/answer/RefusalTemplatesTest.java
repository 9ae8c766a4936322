package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.TextWriter;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.AdaptiveByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.function.Supplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Answers to refusals, whose bytes are kept from one to the next, in each version of HTTP. */
class RefusalTemplatesTest {
  /** What the measuring itself may take. */
  private static final long NOISE_BYTES = 1_000;

  private static final long SECOND_NS = 1_000_000_000L;

  private static final QuotaPolicy[] POLICIES = {
    null,
    new QuotaPolicy("free", 100, 60),
    new QuotaPolicy("free", 100, 3600),
    new QuotaPolicy("p".repeat(100), 999_999_999_999_999L, 31_536_000)
  };

  /** Numbers of which neighbours differ in a digit or in how many they have. */
  private static final long[] SECONDS = {0, 1, 2, 9, 10, 11, 99, 100, 59, 3599, 3600, 86_400};

  private final Verdict verdict = new Verdict();

  /** How one version of HTTP has its answers made. */
  private enum Version {
    HTTP1 {
      @Override
      Supplier<RefusalTemplate> maker(AnswerSettings answers) {
        RateLimitFields fields = new RateLimitFields(answers);
        return () -> new Http1RefusalTemplate(fields);
      }
    },
    HTTP2 {
      @Override
      Supplier<RefusalTemplate> maker(AnswerSettings answers) {
        Http2RateLimitFields fields = new Http2RateLimitFields(answers);
        return () -> new Http2RefusalTemplate(fields);
      }
    };

    abstract Supplier<RefusalTemplate> maker(AnswerSettings answers);

    RefusalTemplates templates(AnswerSettings answers, CurrentDate date) {
      return new RefusalTemplates(date, maker(answers));
    }
  }

  /** One that has written nothing else has no bytes of before. */
  @ParameterizedTest
  @EnumSource
  void writesWhatTemplatesWriteThatHaveWrittenNothingBefore(Version version) {
    Random random = new Random(7);
    CurrentDate date = new CurrentDate();
    for (int settings = 0; settings < 4; settings++) {
      AnswerSettings answers = new AnswerSettings((settings & 1) != 0, (settings & 2) != 0);
      RefusalTemplates kept = version.templates(answers, date);
      for (int i = 0; i < 2_000; i++) {
        refuse(random);
        assertSame(kept, () -> version.templates(answers, date), date);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void writesTheDateOfEachSecond(Version version) {
    RefusalTemplate kept = version.maker(new AnswerSettings(true, true)).get();
    Refusal refusal = new Refusal().describe(verdict.refuse(RefusalReason.DENIED));
    ByteBuf head = Unpooled.buffer();
    for (String date : List.of("Sun, 22 Nov 2026 08:00:59 GMT", "Mon, 23 Nov 2026 18:01:00 GMT")) {
      kept.answer(refusal, RefusalTemplate.shape(refusal), TextWriter.ascii(date));
      kept.writeHead(head.clear());
      assertTrue(head.toString(StandardCharsets.US_ASCII).contains(date), date);
    }
  }

  private void refuse(Random random) {
    RefusalReason[] reasons = RefusalReason.values();
    verdict.refuse(
        random.nextBoolean() ? RefusalReason.OVER_LIMIT : reasons[random.nextInt(reasons.length)],
        POLICIES[random.nextInt(POLICIES.length)],
        100,
        SECONDS[random.nextInt(SECONDS.length)],
        SECOND_NS * SECONDS[random.nextInt(SECONDS.length)],
        SECOND_NS * SECONDS[random.nextInt(SECONDS.length)]);
  }

  private void assertSame(
      RefusalTemplates kept, Supplier<RefusalTemplates> unused, CurrentDate date) {
    byte[] before;
    byte[][] first;
    byte[][] known;
    do { // until both are of one second
      before = date.text();
      first = written(unused.get());
      known = written(kept);
    } while (before != date.text());
    assertArrayEquals(first[0], known[0], () -> "the head of " + text());
    assertArrayEquals(first[1], known[1], () -> "the body of " + text());
  }

  private String text() {
    return verdict.refusal() + ", " + verdict.policy() + ", r=" + verdict.remaining();
  }

  private byte[][] written(RefusalTemplates templates) {
    RefusalTemplate answer = templates.answer(verdict);
    ByteBuf head = Unpooled.buffer();
    answer.writeHead(head);
    return new byte[][] {ByteBufUtil.getBytes(head), ByteBufUtil.getBytes(answer.body())};
  }

  /** Of many keys, in a minute: the same limit, and seconds to wait that differ. */
  @ParameterizedTest
  @EnumSource
  void writesIntoADirectBufferWithoutAllocating(Version version) {
    RefusalTemplates templates =
        version.templates(new AnswerSettings(true, true), new CurrentDate());
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    ResourceLeakDetector.Level level = ResourceLeakDetector.getLevel();
    ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED); // it allocates to watch
    ByteBuf out = new AdaptiveByteBufAllocator().directBuffer(4096);
    try {
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 8 && least > NOISE_BYTES; round++) { // the first ones also load
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 20_000; i++) {
          long waitNs = i % 60 * SECOND_NS;
          verdict.refuse(RefusalReason.OVER_LIMIT, POLICIES[1], 100, 0, waitNs, waitNs);
          RefusalTemplate answer = templates.answer(verdict);
          answer.writeHead(out.clear());
          answer.writeBody(out);
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertTrue(least < NOISE_BYTES, least + " bytes");
    } finally {
      out.release();
      ResourceLeakDetector.setLevel(level);
    }
  }
}
