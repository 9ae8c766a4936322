package dev.weir.proxy;

import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails each class of tests that has leaked a buffer, so that none is charged with what an earlier
 * one in its JVM has leaked. JUnit finds it by itself. What is left behind by connections to a
 * store, which only an {@code IT} has, is Lettuce's affair.
 */
public final class LeakCheck implements AfterAllCallback {
  @Override
  public void afterAll(ExtensionContext tests) throws InterruptedException {
    Class<?> all = tests.getRequiredTestClass();
    if (all.getEnclosingClass() != null) {
      return;
    }
    if (all.getSimpleName().endsWith("Test")) {
      LeakRecorder.assertNone();
    } else {
      LeakRecorder.forget();
    }
  }
}
