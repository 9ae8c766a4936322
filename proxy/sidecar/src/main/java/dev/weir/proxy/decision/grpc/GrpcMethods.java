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
 * The methods that one event loop answers, found by their paths: those that it is given, and health
 * and reflection of their services.
 */
public final class GrpcMethods {
  private final Health health;
  private final GrpcMethod[] methods;
  private final byte[][] paths;
  private final int mask;

  /**
   * @param offered with a path each of its own; health and reflection are not among them.
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

  /** The services that methods belong to, by their full names. */
  private static Set<String> services(List<GrpcMethod> methods) {
    return methods.stream()
        .map(method -> method.path().substring(1, method.path().lastIndexOf('/')))
        .collect(Collectors.toSet());
  }

  /** The names that health checks may ask for: services, and other names of them. */
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

  /** The process is about to end: whoever watches its health is told. */
  public void stopServing() {
    health.stop();
  }
}
