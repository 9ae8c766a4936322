package dev.weir.proxy.decision.grpc;

import dev.weir.proxy.decision.proto.ProtoReader;
import dev.weir.proxy.decision.proto.ProtoWriter;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
import java.util.List;
import java.util.Set;
import org.agrona.DirectBuffer;

/**
 * Server reflection, {@code ServerReflectionInfo}: describes services and messages. Both versions
 * of it have the same messages.
 */
final class Reflection implements GrpcMethod {
  /** Fields of {@code ServerReflectionRequest}. */
  private static final int HOST = 1;

  private static final int FILE_BY_FILENAME = 3;
  private static final int FILE_CONTAINING_SYMBOL = 4;
  private static final int FILE_CONTAINING_EXTENSION = 5;
  private static final int ALL_EXTENSION_NUMBERS_OF_TYPE = 6;
  private static final int LIST_SERVICES = 7;

  /** Stands for a request without a query. */
  private static final int NOTHING = 0;

  /** Fields of {@code ServerReflectionResponse} and its messages. */
  private static final int VALID_HOST = 1;

  private static final int ORIGINAL_REQUEST = 2;
  private static final int FILE_DESCRIPTOR_RESPONSE = 4;
  private static final int FILE_DESCRIPTOR_PROTO = 1;
  private static final int ALL_EXTENSION_NUMBERS_RESPONSE = 5;
  private static final int BASE_TYPE_NAME = 1;
  private static final int LIST_SERVICES_RESPONSE = 6;
  private static final int SERVICE = 1;
  private static final int SERVICE_NAME = 1;
  private static final int ERROR_RESPONSE = 7;
  private static final int ERROR_CODE = 1;
  private static final int ERROR_MESSAGE = 2;

  /** The descriptors of the services, made by the build. */
  private static final Descriptors DESCRIPTORS =
      Descriptors.ofResources("/weir/v1/rate_limiter.binpb", "services.binpb");

  private final String path;
  private final List<String> services;
  private final ProtoReader reader = new ProtoReader();

  private Reflection(String version, List<String> services) {
    path = "/grpc.reflection." + version + ".ServerReflection/ServerReflectionInfo";
    this.services = services;
  }

  /**
   * The methods of both versions.
   *
   * @param offered the full names of the services; those with a descriptor are listed.
   */
  static List<GrpcMethod> methods(Set<String> offered) {
    List<String> services = DESCRIPTORS.services().stream().filter(offered::contains).toList();
    return List.of(new Reflection("v1", services), new Reflection("v1alpha", services));
  }

  @Override
  public String path() {
    return path;
  }

  @Override
  public DecisionCall kind() {
    return DecisionCall.REFLECTION;
  }

  @Override
  public boolean isStreaming() {
    return true;
  }

  @Override
  public void call(GrpcCall call) {
    DirectBuffer message = call.message();
    int asked = NOTHING;
    String host = "";
    String what = "";
    reader.wrap(message, 0, message.capacity());
    for (int field = reader.next(); field != ProtoReader.END; field = reader.next()) {
      switch (field) {
        case HOST -> host = reader.copyText();
        case FILE_BY_FILENAME,
            FILE_CONTAINING_SYMBOL,
            ALL_EXTENSION_NUMBERS_OF_TYPE,
            LIST_SERVICES -> {
          asked = field;
          what = reader.copyText();
        }
        case FILE_CONTAINING_EXTENSION -> {
          asked = field;
          reader.bytes();
        }
        default -> reader.skip();
      }
    }
    if (reader.isMalformed()) {
      call.fail(GrpcStatus.INTERNAL, GrpcCall.NO_MESSAGE);
      return;
    }
    ProtoWriter out = call.answer();
    out.text(VALID_HOST, host).bytes(ORIGINAL_REQUEST, message, 0, message.capacity());
    switch (asked) {
      case FILE_BY_FILENAME -> writeFile(out, what, what);
      case FILE_CONTAINING_SYMBOL -> writeFile(out, DESCRIPTORS.fileOf(what), what);
      case LIST_SERVICES -> writeServices(out);
      case ALL_EXTENSION_NUMBERS_OF_TYPE -> writeNoExtensions(out, what);
      case FILE_CONTAINING_EXTENSION ->
          writeError(out, GrpcStatus.NOT_FOUND, "there are no extensions");
      default ->
          writeError(
              out,
              GrpcStatus.INVALID_ARGUMENT,
              "message_request: missing (expected: a file's name, a symbol, an extension, a type's"
                  + " name or list_services)");
    }
    call.send();
  }

  private void writeFile(ProtoWriter out, String file, String asked) {
    List<byte[]> files = file == null ? List.of() : DESCRIPTORS.withDependencies(file);
    if (files.isEmpty()) {
      writeError(out, GrpcStatus.NOT_FOUND, asked + " is not known");
      return;
    }
    int begun = out.beginMessage(FILE_DESCRIPTOR_RESPONSE);
    files.forEach(each -> out.bytes(FILE_DESCRIPTOR_PROTO, each));
    out.endMessage(begun);
  }

  private void writeServices(ProtoWriter out) {
    int begun = out.beginMessage(LIST_SERVICES_RESPONSE);
    for (String service : services) {
      int one = out.beginMessage(SERVICE);
      out.text(SERVICE_NAME, service);
      out.endMessage(one);
    }
    out.endMessage(begun);
  }

  /** Writes an empty list of extensions, as no message here has any. */
  private void writeNoExtensions(ProtoWriter out, String type) {
    if (!DESCRIPTORS.isMessage(type)) {
      writeError(out, GrpcStatus.NOT_FOUND, type + " is no type of messages here");
      return;
    }
    int begun = out.beginMessage(ALL_EXTENSION_NUMBERS_RESPONSE);
    out.text(BASE_TYPE_NAME, type);
    out.endMessage(begun);
  }

  private static void writeError(ProtoWriter out, GrpcStatus status, String message) {
    int begun = out.beginMessage(ERROR_RESPONSE);
    out.varint(ERROR_CODE, status.code()).text(ERROR_MESSAGE, message);
    out.endMessage(begun);
  }
}
