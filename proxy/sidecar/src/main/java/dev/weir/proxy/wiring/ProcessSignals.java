package dev.weir.proxy.wiring;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Handles signals of the operating system. By reflection, as {@code sun.misc.Signal} is the only
 * way in Java, and the compiler's warning about it cannot be suppressed.
 */
public final class ProcessSignals {
  static final int HUP = 1;
  static final int INT = 2;
  static final int TERM = 15;

  private ProcessSignals() {}

  /**
   * Runs an action, on a thread of its own, for each signal, instead of the JVM's default.
   *
   * @param name without SIG.
   * @return false if signals cannot be handled here, or the JVM was told to leave them alone.
   */
  static boolean handle(String name, Runnable action) {
    try {
      Class<?> signalClass = Class.forName("sun.misc.Signal");
      Class<?> handlerClass = Class.forName("sun.misc.SignalHandler");
      Object handler =
          Proxy.newProxyInstance(
              handlerClass.getClassLoader(),
              new Class<?>[] {handlerClass},
              (self, method, args) ->
                  switch (method.getName()) {
                    case "handle" -> {
                      action.run();
                      yield null;
                    }
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == args[0];
                    default -> "signal handler";
                  });
      Object signal = signalClass.getConstructor(String.class).newInstance(name);
      signalClass.getMethod("handle", signalClass, handlerClass).invoke(null, signal, handler);
      return true;
    } catch (InvocationTargetException refused) {
      return false;
    } catch (ReflectiveOperationException absent) {
      return false;
    }
  }
}
