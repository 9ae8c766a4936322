package dev.weir.bench.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;

/**
 * The parsers, on the inputs that are committed: those that once went wrong, and those from which
 * {@code bench/scripts/fuzz} sets out. That runs the same methods with ever new inputs.
 */
class CorpusTest {
  private static final String AS_LONG_AS_ASKED = "";

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void http1Request(byte[] input) {
    FuzzTarget.HTTP1_REQUEST.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void http1Response(byte[] input) {
    FuzzTarget.HTTP1_RESPONSE.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void chunks(byte[] input) {
    FuzzTarget.CHUNKS.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void frames(byte[] input) {
    FuzzTarget.FRAMES.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void fields(byte[] input) {
    FuzzTarget.FIELDS.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void proxyHeader(byte[] input) {
    FuzzTarget.PROXY_HEADER.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void path(byte[] input) {
    FuzzTarget.PATH.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void address(byte[] input) {
    FuzzTarget.ADDRESS.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void time(byte[] input) {
    FuzzTarget.TIME.run(input);
  }

  @FuzzTest(maxDuration = AS_LONG_AS_ASKED)
  void message(byte[] input) {
    FuzzTarget.MESSAGE.run(input);
  }
}
