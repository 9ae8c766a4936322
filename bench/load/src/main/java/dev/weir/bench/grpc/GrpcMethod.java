package dev.weir.bench.grpc;

import com.google.protobuf.Descriptors.Descriptor;
import com.google.protobuf.DynamicMessage;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TypeRegistry;
import com.google.protobuf.UninitializedMessageException;
import com.google.protobuf.util.JsonFormat;
import dev.weir.proxy.rule.spec.BadValueException;

/** A unary method, and the messages that it takes. Immutable. */
public final class GrpcMethod {
  private final String path;
  private final Descriptor input;
  private final JsonFormat.Parser parser;

  GrpcMethod(String path, Descriptor input, TypeRegistry types) {
    this.path = path;
    this.input = input;
    parser = JsonFormat.parser().usingTypeRegistry(types);
  }

  /** {@code /package.Service/Method}. */
  public String path() {
    return path;
  }

  /**
   * A request's message, without the prefix that it has on the wire.
   *
   * @param json as protobuf's JSON mapping has it.
   * @throws BadValueException if it is not JSON, or not this method's message.
   */
  public byte[] encode(String json) {
    final DynamicMessage.Builder message = DynamicMessage.newBuilder(input);
    try {
      parser.merge(json, message);
      return message.build().toByteArray();
    } catch (InvalidProtocolBufferException | UninitializedMessageException e) {
      throw new BadValueException(
          json, "a message " + input.getFullName() + " as JSON; " + e.getMessage());
    }
  }
}
