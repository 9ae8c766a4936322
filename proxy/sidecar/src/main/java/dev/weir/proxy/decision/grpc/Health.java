package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;

/**
 * {@code grpc.health.v1.Health} on one event loop: whether the process serves, checked once or
 * watched. Needs no token.
 */
final class Health {
  private static final String SERVICE = "/grpc.health.v1.Health/";

  /** A field of {@code HealthCheckRequest}, and one of {@code HealthCheckResponse}. */
  private static final int NAME = 1;

  private static final int STATUS = 1;

  /** The longest message; small, as it needs no token. */
  private static final int MAX_MESSAGE_BYTES = 1024;

  /** The most bytes of a service's name that are repeated in an answer. */
  private static final int SHOWN_BYTES = 100;

  /** Stands for a service that does not exist. */
  private static final String NO_SERVICE = "?";

  private static final int SERVING = 1;
  private static final int NOT_SERVING = 2;
  private static final int SERVICE_UNKNOWN = 3;

  private final Set<String> services;
  private final ProtoReader reader = new ProtoReader();

  /** The watching calls; a set, as thousands may leave at once. */
  private final Set<GrpcCall> watching = Collections.newSetFromMap(new IdentityHashMap<>());

  private boolean isServing = true;

  private abstract static class HealthMethod implements GrpcMethod {
    private final String path;

    HealthMethod(String name) {
      path = SERVICE + name;
    }

    @Override
    public final String path() {
      return path;
    }

    @Override
    public final DecisionCall kind() {
      return DecisionCall.HEALTH;
    }

    @Override
    public final boolean needsToken() {
      return false;
    }

    @Override
    public final int maxMessageBytes() {
      return MAX_MESSAGE_BYTES;
    }
  }

  /** Answers a check. */
  private final class Check extends HealthMethod {
    Check() {
      super("Check");
    }

    @Override
    public void call(GrpcCall call) {
      String service = service(call);
      if (service == null) {
        return;
      }
      if (status(service) == SERVICE_UNKNOWN) {
        call.fail(
            GrpcStatus.NOT_FOUND,
            "service: " + shown(service) + " (expected: one of this process)");
      } else {
        send(call, status(service));
      }
    }
  }

  private static String shown(String service) {
    return service.length() > SHOWN_BYTES ? service.substring(0, SHOWN_BYTES) + "..." : service;
  }

  /** Answers a watch, and again when the health changes. */
  private final class Watch extends HealthMethod {
    Watch() {
      super("Watch");
    }

    @Override
    public boolean isStreaming() {
      return true;
    }

    /**
     * A client that gets this status sends its calls without watching; with others it would send
     * none.
     */
    @Override
    public GrpcStatus whenTooMany() {
      return GrpcStatus.UNIMPLEMENTED;
    }

    @Override
    public void call(GrpcCall call) {
      if (call.attachment() != null) {
        leave(call);
        call.fail(GrpcStatus.INVALID_ARGUMENT, "a second message (expected: one)");
        return;
      }
      String service = service(call);
      if (service != null) {
        call.attach(status(service) == SERVICE_UNKNOWN ? NO_SERVICE : service);
        watching.add(call);
        send(call, status(service));
      }
    }

    @Override
    public void ended(GrpcCall call) {
      // It has asked, and watches on.
    }

    @Override
    public void cancelled(GrpcCall call) {
      leave(call);
    }
  }

  /**
   * @param services by all names that may be asked for.
   */
  Health(Set<String> services) {
    this.services = Set.copyOf(services);
  }

  List<GrpcMethod> methods() {
    return List.of(new Check(), new Watch());
  }

  /** Reports to all watches that the process is about to end, and ends them. */
  void stop() {
    isServing = false;
    List<GrpcCall> told = new ArrayList<>(watching);
    watching.clear();
    for (GrpcCall call : told) {
      send(call, status((String) call.attachment()));
      call.fail(GrpcStatus.UNAVAILABLE, "the process is about to end");
    }
  }

  private void leave(GrpcCall call) {
    watching.remove(call);
  }

  /** The service that a message names, empty for the whole process; null if it is unknown. */
  private String service(GrpcCall call) {
    DirectBuffer message = call.message();
    String service = "";
    reader.wrap(message, 0, message.capacity());
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      if (field == NAME) {
        service = reader.copyText();
      } else {
        reader.skip();
      }
    }
    if (reader.isMalformed()) {
      call.fail(GrpcStatus.INTERNAL, GrpcCall.NO_MESSAGE);
      return null;
    }
    return service;
  }

  private int status(String service) {
    if (!service.isEmpty() && !services.contains(service)) {
      return SERVICE_UNKNOWN;
    }
    return isServing ? SERVING : NOT_SERVING;
  }

  private static void send(GrpcCall call, int status) {
    call.answer().varint(STATUS, status);
    call.send();
  }
}
