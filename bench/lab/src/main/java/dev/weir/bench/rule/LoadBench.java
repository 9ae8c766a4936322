package dev.weir.bench.rule;

import dev.weir.bench.check.CheckBench;
import dev.weir.proxy.rule.RuleSet;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How long does a start take over its rules: reading the file, checking all of them, compiling?
 * Once in each JVM, which has compiled nothing of it yet, as at a start.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
public class LoadBench extends CheckBench {
  @Param({"PATH", "HOST", "VALUE"})
  RuleKind kind;

  @Param({"1", "10000"})
  int rules;

  private byte[] file;

  @Setup
  public void write() {
    file = kind.file(rules).getBytes(StandardCharsets.UTF_8);
  }

  @Benchmark
  public RuleSet load() {
    return RuleFile.compiled(file);
  }
}
