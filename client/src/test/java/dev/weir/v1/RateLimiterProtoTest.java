package dev.weir.v1;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import com.google.protobuf.Descriptors.FieldDescriptor;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RateLimiterProtoTest {
  private static FileDescriptorSet descriptors() throws IOException {
    try (InputStream in =
        RateLimiterProto.class.getResourceAsStream("/weir/v1/rate_limiter.binpb")) {
      return FileDescriptorSet.parseFrom(in);
    }
  }

  @Test
  void descriptorSetIsThatOfTheGeneratedClasses() throws IOException {
    List<FileDescriptorProto> files = descriptors().getFileList();
    assertEquals(
        RateLimiterProto.getDescriptor().toProto(),
        withoutNamesInJson(files.get(files.size() - 1)));
  }

  /** Those follow from the names; generated classes do not keep them. */
  private static FileDescriptorProto withoutNamesInJson(FileDescriptorProto file) {
    FileDescriptorProto.Builder builder = file.toBuilder();
    builder
        .getMessageTypeBuilderList()
        .forEach(message -> message.getFieldBuilderList().forEach(field -> field.clearJsonName()));
    return builder.build();
  }

  @Test
  void descriptorSetHasEachFileBehindWhatItImports() throws IOException {
    Set<String> seen = new HashSet<>();
    for (FileDescriptorProto file : descriptors().getFileList()) {
      assertTrue(seen.containsAll(file.getDependencyList()), file.getName());
      seen.add(file.getName());
    }
  }

  @Test
  void whatFindsRuleAndBudgetsIsTheSameFieldInEachRequest() {
    for (FieldDescriptor field : ResetLimitRequest.getDescriptor().getFields()) {
      for (var message :
          List.of(
              CheckRateLimitRequest.getDescriptor(), GetRemainingQuotaRequest.getDescriptor())) {
        FieldDescriptor same = message.findFieldByName(field.getName());
        assertEquals(field.getNumber(), same.getNumber(), same.getFullName());
        assertEquals(field.getType(), same.getType(), same.getFullName());
      }
    }
  }
}
