package dev.weir.bench.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.Ignore;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.runner.JUnitCore;
import org.junit.runner.Request;
import org.junit.runner.Result;

/** Every case of gRPC's interop suite passes through a sidecar, as if that were not there. */
class GrpcInteropIT {
  /** Cases that assume what a plain class path does not have: they pass over themselves. */
  private static final Set<String> ASSUMING = Set.of("censusContextsPropagated");

  private static List<String> cases() {
    return Arrays.stream(InteropCases.class.getMethods())
        .filter(method -> method.isAnnotationPresent(org.junit.Test.class))
        .filter(method -> !method.isAnnotationPresent(Ignore.class))
        .map(Method::getName)
        .filter(name -> !ASSUMING.contains(name))
        .sorted()
        .toList();
  }

  @TestFactory
  Stream<DynamicTest> everyCasePasses() {
    return each(InteropCases.class);
  }

  @TestFactory
  Stream<DynamicTest> everyCasePassesOverTls() {
    return each(TlsInteropCases.class);
  }

  private static Stream<DynamicTest> each(Class<? extends InteropCases> suite) {
    return cases().stream().map(name -> DynamicTest.dynamicTest(name, () -> pass(suite, name)));
  }

  @Test
  void thereAreAllOfThem() {
    assertTrue(cases().size() >= 34, cases().toString());
  }

  private static void pass(Class<? extends InteropCases> suite, String name) throws Throwable {
    Result result = new JUnitCore().run(Request.method(suite, name));
    if (!result.getFailures().isEmpty()) {
      throw result.getFailures().get(0).getException();
    }
    assertTrue(result.getRunCount() == 1 && result.getIgnoreCount() == 0, name + " did not run");
  }
}
