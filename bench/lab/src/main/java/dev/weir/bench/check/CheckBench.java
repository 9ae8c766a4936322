package dev.weir.bench.check;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Warmup;

/** How long all benches of a check measure, and in which JVM: their rows stand in one table. */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(
    value = 3,
    jvmArgs = {
      "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
      "-Dagrona.disable.bounds.checks=true",
      "-Xmx512m",
      "-XX:MaxDirectMemorySize=4g"
    })
public abstract class CheckBench {}
