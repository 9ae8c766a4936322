package dev.weir.bench.grpc;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.DescriptorProtos.MethodDescriptorProto;
import com.google.protobuf.DescriptorProtos.ServiceDescriptorProto;
import com.google.protobuf.DurationProto;
import dev.weir.proxy.rule.spec.BadValueException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GrpcDescriptorTest {
  private static final String CHECK = "weir.v1.RateLimiter/CheckRateLimit";

  @TempDir Path folder;
  private Path file;

  @BeforeEach
  void write() throws IOException {
    write(FileDescriptorSet.newBuilder().addFile(service()).addFile(duration()).build());
  }

  private void write(FileDescriptorSet set) throws IOException {
    file = Files.write(folder.resolve("weir.pb"), set.toByteArray());
  }

  private static FileDescriptorProto duration() {
    return DurationProto.getDescriptor().toProto();
  }

  /** Stands before what it imports in the set, which protoc never does. */
  private static FileDescriptorProto service() {
    return FileDescriptorProto.newBuilder()
        .setName("weir/v1/limiter.proto")
        .setPackage("weir.v1")
        .setSyntax("proto3")
        .addDependency("google/protobuf/duration.proto")
        .addMessageType(
            DescriptorProto.newBuilder()
                .setName("Check")
                .addField(field("key", 1, FieldDescriptorProto.Type.TYPE_STRING))
                .addField(field("cost", 2, FieldDescriptorProto.Type.TYPE_UINT32))
                .addField(
                    field("wait", 3, FieldDescriptorProto.Type.TYPE_MESSAGE)
                        .setTypeName(".google.protobuf.Duration")))
        .addService(
            ServiceDescriptorProto.newBuilder()
                .setName("RateLimiter")
                .addMethod(method("CheckRateLimit"))
                .addMethod(method("Watch").setServerStreaming(true))
                .addMethod(method("Report").setClientStreaming(true)))
        .addService(ServiceDescriptorProto.newBuilder().setName("Admin"))
        .build();
  }

  private static FieldDescriptorProto.Builder field(
      String name, int number, FieldDescriptorProto.Type type) {
    return FieldDescriptorProto.newBuilder()
        .setName(name)
        .setNumber(number)
        .setType(type)
        .setLabel(FieldDescriptorProto.Label.LABEL_OPTIONAL);
  }

  private static MethodDescriptorProto.Builder method(String name) {
    return MethodDescriptorProto.newBuilder()
        .setName(name)
        .setInputType(".weir.v1.Check")
        .setOutputType(".weir.v1.Check");
  }

  private void assertBad(String method, String message) {
    BadValueException e =
        assertThrows(BadValueException.class, () -> GrpcDescriptor.method(file, method));
    assertEquals(message, e.getMessage());
  }

  @Test
  void encodesAMessageWithImportedTypes() {
    GrpcMethod method = GrpcDescriptor.method(file, CHECK);
    assertEquals("/" + CHECK, method.path());
    assertArrayEquals(
        new byte[] {0x0a, 2, 'u', '1', 0x10, 3, 0x1a, 2, 0x08, 2},
        method.encode("{\"key\": \"u1\", \"cost\": 3, \"wait\": \"2s\"}"));
  }

  @Test
  void namesTheServicesThatThereAre() {
    assertBad(
        "weir.v1.Limiter/CheckRateLimit",
        "weir.v1.Limiter/CheckRateLimit (expected: a service of "
            + file
            + ": weir.v1.Admin, weir.v1.RateLimiter)");
  }

  @Test
  void namesTheMethodsThatThereAre() {
    assertBad(
        "weir.v1.RateLimiter/Check",
        "weir.v1.RateLimiter/Check (expected: a method of weir.v1.RateLimiter: CheckRateLimit,"
            + " Watch, Report)");
  }

  @Test
  void refusesMethodsThatStream() {
    assertBad(
        "weir.v1.RateLimiter/Watch",
        "weir.v1.RateLimiter/Watch (expected: a method with one message each way; this one"
            + " streams answers)");
    assertBad(
        "weir.v1.RateLimiter/Report",
        "weir.v1.RateLimiter/Report (expected: a method with one message each way; this one"
            + " streams requests)");
  }

  @Test
  void refusesNamesThatAreNoMethods() {
    for (String name : new String[] {"weir.v1.RateLimiter", "/Check", "weir.v1.RateLimiter/"}) {
      assertBad(name, name + " (expected: package.Service/Method)");
    }
  }

  @Test
  void refusesAFileThatCannotBeRead() {
    file = folder.resolve("none.pb");
    assertBad(
        CHECK,
        file
            + " (expected: a file that can be read; java.nio.file.NoSuchFileException: "
            + file
            + ")");
  }

  @Test
  void refusesAFileThatIsNoDescriptorSet() throws IOException {
    Files.writeString(file, "syntax = \"proto3\";");
    BadValueException e =
        assertThrows(BadValueException.class, () -> GrpcDescriptor.method(file, CHECK));
    assertTrue(
        e.getMessage()
            .startsWith(
                file
                    + " (expected: a descriptor set, of protoc --include_imports"
                    + " --descriptor_set_out=FILE; "),
        e.getMessage());
  }

  @Test
  void refusesASetWithoutItsImports() throws IOException {
    write(FileDescriptorSet.newBuilder().addFile(service()).build());
    assertBad(
        CHECK,
        file
            + " (expected: a descriptor set, of protoc --include_imports"
            + " --descriptor_set_out=FILE; google/protobuf/duration.proto is not in it, or imports"
            + " itself)");
  }

  @Test
  void saysWhereJsonIsMalformed() {
    GrpcMethod method = GrpcDescriptor.method(file, CHECK);
    BadValueException e =
        assertThrows(BadValueException.class, () -> method.encode("{\n  \"key\" \"u1\"\n}"));
    assertTrue(e.expected().startsWith("a message weir.v1.Check as JSON; "), e.expected());
    assertTrue(e.expected().contains("line 2 column 10"), e.expected());
  }

  @Test
  void namesAFieldThatTheMessageDoesNotHave() {
    GrpcMethod method = GrpcDescriptor.method(file, CHECK);
    BadValueException e =
        assertThrows(BadValueException.class, () -> method.encode("{\"user\": \"u1\"}"));
    assertTrue(e.expected().contains("Cannot find field: user"), e.expected());
  }
}
