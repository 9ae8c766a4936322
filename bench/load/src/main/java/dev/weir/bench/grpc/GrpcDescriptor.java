package dev.weir.bench.grpc;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.DescriptorValidationException;
import com.google.protobuf.Descriptors.FileDescriptor;
import com.google.protobuf.Descriptors.MethodDescriptor;
import com.google.protobuf.Descriptors.ServiceDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.TypeRegistry;
import dev.weir.proxy.rule.spec.BadValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Services as a descriptor set has them: what {@code protoc --include_imports
 * --descriptor_set_out=FILE} writes.
 */
public final class GrpcDescriptor {
  private static final String EXPECTED_FILE =
      "a descriptor set, of protoc --include_imports --descriptor_set_out=FILE";

  private final Path file;
  private final Map<String, FileDescriptorProto> unlinked = new LinkedHashMap<>();
  private final Map<String, FileDescriptor> linked = new LinkedHashMap<>();

  private GrpcDescriptor(Path file) {
    this.file = file;
  }

  /**
   * A unary method.
   *
   * @param fullMethod {@code package.Service/Method}.
   * @throws BadValueException if the file is no whole descriptor set, or does not have the method.
   */
  public static GrpcMethod method(Path descriptorSet, String fullMethod) {
    final GrpcDescriptor descriptors = new GrpcDescriptor(descriptorSet);
    descriptors.read();
    return descriptors.find(fullMethod);
  }

  private void read() {
    final FileDescriptorSet set;
    try {
      set = FileDescriptorSet.parseFrom(Files.readAllBytes(file));
    } catch (InvalidProtocolBufferException e) {
      throw new BadValueException(file.toString(), EXPECTED_FILE + "; " + e.getMessage());
    } catch (IOException e) {
      throw new BadValueException(file.toString(), "a file that can be read; " + e);
    }
    for (FileDescriptorProto proto : set.getFileList()) {
      unlinked.put(proto.getName(), proto);
    }
    for (FileDescriptorProto proto : set.getFileList()) {
      link(proto.getName(), List.of());
    }
  }

  private FileDescriptor link(String name, List<String> importers) {
    final FileDescriptor known = linked.get(name);
    if (known != null) {
      return known;
    }
    final FileDescriptorProto proto = unlinked.get(name);
    if (proto == null || importers.contains(name)) {
      throw new BadValueException(
          file.toString(), EXPECTED_FILE + "; " + name + " is not in it, or imports itself");
    }
    final List<String> path = new ArrayList<>(importers);
    path.add(name);
    final FileDescriptor[] imports =
        proto.getDependencyList().stream()
            .map(imported -> link(imported, path))
            .toArray(FileDescriptor[]::new);
    try {
      final FileDescriptor descriptor = FileDescriptor.buildFrom(proto, imports);
      linked.put(name, descriptor);
      return descriptor;
    } catch (DescriptorValidationException e) {
      throw new BadValueException(file.toString(), EXPECTED_FILE + "; " + e.getMessage());
    }
  }

  private GrpcMethod find(String fullMethod) {
    final int slash = fullMethod.indexOf('/');
    if (slash < 1 || slash == fullMethod.length() - 1) {
      throw new BadValueException(fullMethod, "package.Service/Method");
    }
    final Map<String, ServiceDescriptor> services = new TreeMap<>();
    final TypeRegistry.Builder types = TypeRegistry.newBuilder();
    for (FileDescriptor descriptor : linked.values()) {
      descriptor.getServices().forEach(service -> services.put(service.getFullName(), service));
      types.add(descriptor.getMessageTypes());
    }
    final ServiceDescriptor service = services.get(fullMethod.substring(0, slash));
    if (service == null) {
      throw new BadValueException(
          fullMethod,
          services.isEmpty()
              ? "a service of " + file + ", which has none"
              : "a service of " + file + ": " + String.join(", ", services.keySet()));
    }
    final MethodDescriptor method = service.findMethodByName(fullMethod.substring(slash + 1));
    if (method == null) {
      throw new BadValueException(
          fullMethod,
          "a method of "
              + service.getFullName()
              + ": "
              + String.join(
                  ", ", service.getMethods().stream().map(MethodDescriptor::getName).toList()));
    }
    if (method.isClientStreaming() || method.isServerStreaming()) {
      throw new BadValueException(
          fullMethod,
          "a method with one message each way; this one streams "
              + (method.isClientStreaming() ? "requests" : "answers"));
    }
    return new GrpcMethod("/" + fullMethod, method.getInputType(), types.build());
  }
}
