package dev.weir.bench.http2;

import dev.weir.bench.process.TemporaryFolder;
import java.io.IOException;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** Runs the proofs that are named, and prints what they found. */
public final class Http2Proofs {
  private static final Map<String, Supplier<Proof>> PROOFS =
      new TreeMap<>(
          Map.of(
              "abuse", () -> new AbuseCost(false),
              "abuse-tls", () -> new AbuseCost(true),
              "leaks", () -> new LeakRun(Integer.getInteger("streams", 1_000_000)),
              "memory", OpenStreams::new,
              "stream", () -> new LongStream(Integer.getInteger("seconds", 600)),
              "unread", UnreadAnswers::new));

  private Http2Proofs() {}

  /** Runs a proof; ends with 1 if it fails. */
  public static void main(String[] args) throws IOException {
    if (args.length != 1 || !PROOFS.containsKey(args[0])) {
      System.err.println(
          "http2: " + String.join(" ", args) + " (expected: one of " + PROOFS.keySet() + ")");
      System.exit(2);
    }
    final ProofReport report = new ProofReport();
    try (TemporaryFolder folder = new TemporaryFolder("weir-http2")) {
      PROOFS.get(args[0]).get().run(folder.path(), report);
    }
    System.out.print(report);
  }
}
