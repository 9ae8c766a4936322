package dev.weir.proxy.admission;

import dev.weir.proxy.rig.Rig;
import dev.weir.v1.RateLimiterGrpc;
import dev.weir.v1.ResetLimitRequest;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.stub.MetadataUtils;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Resets of a user's limits of the rule {@code r}, by the decision API. */
final class ResetCall {
  private static final String TOKEN = "0123456789abcdef";

  private ResetCall() {}

  /** A sidecar's file with the token that resets need. */
  static String withToken(Path folder, String file) throws IOException {
    Path tokens = Files.writeString(folder.resolve("tokens"), TOKEN + "\n");
    return file + "decision-tokens: " + tokens + "\n";
  }

  static void reset(Rig rig, String user) {
    Metadata token = new Metadata();
    token.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer " + TOKEN);
    ManagedChannel channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
    try {
      RateLimiterGrpc.newBlockingStub(channel)
          .withInterceptors(MetadataUtils.newAttachHeadersInterceptor(token))
          .resetLimit(
              ResetLimitRequest.newBuilder()
                  .setIdentifier(user)
                  .setDimensionName("header:x-user")
                  .setRuleId("r")
                  .build());
    } finally {
      channel.shutdownNow();
    }
  }
}
