package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.http.HttpRoute;
import dev.weir.proxy.request.Ascii;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;

/**
 * The methods of one event loop by path: those given, and health and reflection for their services.
 */
public final class GrpcMethods {
  private final Health health;
  private final GrpcMethod[] methods;
  private final byte[][] paths;
  private final int mask;

  /**
   * @param offered methods, each with a path of its own, without health and reflection.
   */
  public GrpcMethods(List<GrpcMethod> offered) {
    health = new Health(healthNames(offered));
    List<GrpcMethod> all = new ArrayList<>(offered);
    all.addAll(health.methods());
    all.addAll(Reflection.methods(services(all)));
    int slots = Integer.highestOneBit(4 * Math.max(1, all.size()));
    mask = slots - 1;
    methods = new GrpcMethod[slots];
    paths = new byte[slots][];
    for (GrpcMethod method : all) {
      byte[] path = HttpRoute.ascii(method.path());
      int slot = slot(path.length, path[path.length - 1], path[path.length - 2]);
      while (methods[slot] != null) {
        slot = slot + 1 & mask;
      }
      methods[slot] = method;
      paths[slot] = path;
    }
  }

  /** The full names of the methods' services. */
  private static Set<String> services(List<GrpcMethod> methods) {
    return methods.stream()
        .map(method -> method.path().substring(1, method.path().lastIndexOf('/')))
        .collect(Collectors.toSet());
  }

  /** The names that health checks may ask for. */
  private static Set<String> healthNames(List<GrpcMethod> methods) {
    Set<String> names = new HashSet<>(services(methods));
    methods.forEach(method -> names.addAll(method.healthNames()));
    return names;
  }

  private int slot(int length, byte last, byte beforeLast) {
    return length + 31 * last + 7 * beforeLast & mask;
  }

  /** The method of a path; null if there is none. */
  public GrpcMethod find(DirectBuffer bytes, int offset, int length) {
    if (length < 2) {
      return null;
    }
    int last = offset + length - 1;
    int slot = slot(length, bytes.getByte(last), bytes.getByte(last - 1));
    while (methods[slot] != null) {
      if (Ascii.equals(bytes, offset, length, paths[slot])) {
        return methods[slot];
      }
      slot = slot + 1 & mask;
    }
    return null;
  }

  /** Reports to health checks and watches that the process is about to end. */
  public void stopServing() {
    health.stop();
  }
}
