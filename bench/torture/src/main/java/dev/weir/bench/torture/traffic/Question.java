package dev.weir.bench.torture.traffic;

import java.util.List;

/**
 * What an honest client asks once.
 *
 * @param number tells the service who asks.
 * @param path with its slash.
 * @param identities the values of the three fields.
 * @param bodyLength 0 for a request without content.
 * @param chunked whether its content, and that of the answer, has no length told.
 * @param slow whether the service takes its time.
 */
record Question(
    long number,
    String path,
    List<Integer> identities,
    int bodyLength,
    boolean chunked,
    boolean slow) {
  static final String NUMBER = "x-number";
  static final String CONDUCT = "x-conduct";
}
