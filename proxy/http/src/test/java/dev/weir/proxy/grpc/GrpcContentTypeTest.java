package dev.weir.proxy.grpc;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.weir.proxy.request.TextRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GrpcContentTypeTest {
  @ParameterizedTest
  @CsvSource({
    "application/grpc, GRPC",
    "application/grpc+proto, GRPC",
    "application/grpc+, GRPC",
    "application/grpc;charset=utf-8, GRPC",
    "Application/gRPC+JSON, GRPC",
    "application/grpc-web, WEB",
    "application/grpc-web+proto, WEB",
    "APPLICATION/GRPC-WEB;x=y, WEB",
    "application/grpc-web-text, WEB_TEXT",
    "application/grpc-web-text+proto, WEB_TEXT",
    "application/grpc-web-texts, NONE",
    "application/grpc-webs, NONE",
    "application/grpc-, NONE",
    "application/grpcs, NONE",
    "'application/grpc ', NONE",
    "application/grp, NONE",
    "application/json, NONE",
    "text/plain; application/grpc, NONE"
  })
  void isToldByWhatFollowsTheName(String contentType, GrpcContentType expected) {
    assertEquals(
        expected, GrpcContentType.of(TextRequest.of("POST", "/s/m", "Content-Type", contentType)));
  }

  @Test
  void aRequestWithoutContentTypeIsNoCall() {
    assertEquals(GrpcContentType.NONE, GrpcContentType.of(TextRequest.of("POST", "/s/m")));
    assertEquals(
        GrpcContentType.NONE,
        GrpcContentType.of(TextRequest.of("POST", "/s/m", "content-type", "")));
  }
}
