package dev.weir.proxy.downstream.answer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.weir.proxy.request.QuotaPolicy;
import dev.weir.proxy.request.RefusalAnswer;
import dev.weir.proxy.request.RefusalAnswer.Call;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.Verdict;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Each answer that Weir gives itself, byte by byte, but for the date. */
class RefusalWriterTest {
  private static final Pattern DATE = Pattern.compile("(?m)^Date: (.*)\r\n");
  private static final QuotaPolicy POLICY = new QuotaPolicy("free", 100, 60);
  private static final QuotaPolicy LARGEST =
      new QuotaPolicy("p".repeat(100), 999_999_999_999_999L, 31_536_000);
  private static final long SECOND_NS = 1_000_000_000L;

  private final RefusalWriter writer = writer(true, true);
  private final Verdict verdict = new Verdict();
  private final StringBuilder answers = new StringBuilder();

  private static RefusalWriter writer(boolean rateLimit, boolean xRateLimit) {
    return new RefusalWriter(
        new RateLimitFields(new AnswerSettings(rateLimit, xRateLimit)), new CurrentDate());
  }

  @Test
  void answersEachReasonAsEver() throws IOException {
    for (RefusalReason reason : RefusalReason.values()) {
      add(reason.name(), writer, new Verdict().refuse(reason), true, false, false);
    }
    assertEquals(kept("refusals.txt"), answers.toString());
  }

  @Test
  void answersWithAllThatTheVerdictSaysAsEver() throws IOException {
    add("retry", writer, overLimit(POLICY, 0, 90 * SECOND_NS, 1), false, false, false);
    add("never", writer, overLimit(POLICY, 3, 90 * SECOND_NS, 0), false, false, false);
    add("rounded", writer, overLimit(POLICY, 0, 1, 5 * SECOND_NS + 1), false, true, false);
    add("largest", writer, overLimit(LARGEST, 99, 1, Long.MAX_VALUE), true, true, false);
    add("head", writer, overLimit(POLICY, 0, 1, SECOND_NS), true, false, true);
    add("neither", writer(false, false), overLimit(POLICY, 0, 1, 1), true, false, false);
    add("only X", writer(false, true), overLimit(POLICY, 0, 1, 1), true, false, false);
    add("without X", writer(true, false), overLimit(POLICY, 0, 1, 1), true, false, false);
    verdict.refuse(RefusalReason.STORE_UNAVAILABLE, null, 0, 0, 0, SECOND_NS);
    add("no policy", writer, verdict, true, false, false);
    assertEquals(kept("verdicts.txt"), answers.toString());
  }

  @Test
  void datesAnAnswerByTheSecondInWhichItIsWritten() {
    ZonedDateTime before = ZonedDateTime.now().withNano(0);
    String answer = text(writer, new Verdict().refuse(RefusalReason.DENIED), true, false, false);
    ZonedDateTime after = ZonedDateTime.now();
    Matcher date = DATE.matcher(answer);
    assertTrue(date.find(), answer);
    DateTimeFormatter fixdate =
        DateTimeFormatter.ofPattern("EEE, dd MMM yyyy HH:mm:ss z", Locale.US);
    ZonedDateTime written = ZonedDateTime.parse(date.group(1), fixdate);
    assertTrue(!written.isBefore(before) && !written.isAfter(after), answer);
  }

  /** A phrase may be empty; the space before it may not be missing (RFC 9112, section 4). */
  @ParameterizedTest
  @CsvSource({
    "404,Not Found",
    "420,''",
    "425,Too Early",
    "451,Unavailable For Legal Reasons",
    "508,Loop Detected",
    "599,''"
  })
  void namesTheStatusOfARuleAsItsStandardDoes(int status, String phrase) {
    RefusalAnswer own = new RefusalAnswer(status, List.of(), null, null, Call.STANDARD);
    verdict.refuse(RefusalReason.DENIED).answeredBy(own);
    String line = text(writer, verdict, false, false, false).lines().findFirst().orElseThrow();
    assertEquals("HTTP/1.1 " + status + " " + phrase, line);
  }

  private Verdict overLimit(QuotaPolicy policy, long remaining, long resetNs, long retryNs) {
    return verdict.refuse(
        RefusalReason.OVER_LIMIT, policy, policy.quota(), remaining, resetNs, retryNs);
  }

  private void add(
      String name,
      RefusalWriter by,
      Verdict refused,
      boolean close,
      boolean http10,
      boolean headMethod) {
    String answer = text(by, refused, close, http10, headMethod);
    answers.append("== ").append(name).append('\n');
    answers.append(DATE.matcher(answer).replaceAll("").replace("\r\n", "\n"));
  }

  private static String text(
      RefusalWriter by, Verdict refused, boolean close, boolean http10, boolean headMethod) {
    ByteBuf answer = by.write(ByteBufAllocator.DEFAULT, refused, close, http10, headMethod);
    String text = answer.toString(StandardCharsets.US_ASCII);
    answer.release();
    return text;
  }

  private static String kept(String name) throws IOException {
    try (InputStream in = RefusalWriterTest.class.getResourceAsStream(name)) {
      return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.US_ASCII);
    }
  }
}
