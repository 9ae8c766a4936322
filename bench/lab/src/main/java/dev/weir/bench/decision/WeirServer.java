package dev.weir.bench.decision;

import dev.weir.bench.process.WeirLauncher;
import dev.weir.proxy.loop.TransportKind;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** The sidecar as users run it, by its launcher, with a decision API and without a proxy. */
final class WeirServer implements CallServer {
  /** Nobody is refused, and whoever was asked for owes something for seconds. */
  private static final String SETTINGS =
      """
      decision: 127.0.0.1:<port>
      admin: 'off'
      event-loops: 1
      transport: <transport>
      trusted-proxies: [127.0.0.1/32]
      ratelimit-config: <folder>/ratelimit
      table: {keys: 2000000}
      <redis>rules:
        - {id: search, match: {path: /search/**}, key: ip, limit: 100/1s}
        - {id: login, match: {path: /login, methods: [POST]}, key: ip, limit: 5/1m}
        - id: orders
          match: {path: /orders/**, methods: [GET, POST]}
          key: header:x-user-id
          limit: 2000/1h
          burst: 50000000
        - {id: others, limit: 1000/1s, key: ip}
      """;

  private static final String REDIS =
      """
      redis: {nodes: "127.0.0.1:<redis>", deadline: 1s}
      """;

  private static final String DESCRIPTORS =
      """
      domain: shop
      descriptors:
        - key: user
          rate_limit: {unit: hour, requests_per_unit: 4000000000}
        - key: path
          value: /orders
          descriptors:
            - key: user
              rate_limit: {unit: minute, requests_per_unit: 4000000000}
      """;

  private final TransportKind transport;
  private final InetSocketAddress redis;

  /**
   * @param redis that decides; null if the sidecar does.
   */
  WeirServer(TransportKind transport, InetSocketAddress redis) {
    this.transport = transport;
    this.redis = redis;
  }

  @Override
  public String name() {
    return "weir-" + transport;
  }

  @Override
  public Set<Ask> asks() {
    return EnumSet.allOf(Ask.class);
  }

  @Override
  public String version() throws IOException {
    return WeirLauncher.version(WeirLauncher.required());
  }

  @Override
  public List<String> command(Path folder, int port) throws IOException {
    Files.createDirectories(folder.resolve("ratelimit"));
    Files.writeString(folder.resolve("ratelimit/shop.yaml"), DESCRIPTORS);
    final String store =
        redis == null ? "" : REDIS.replace("<redis>", Integer.toString(redis.getPort()));
    final Path file = folder.resolve("weir.yaml");
    Files.writeString(
        file,
        SETTINGS
            .replace("<redis>", store)
            .replace("<port>", Integer.toString(port))
            .replace("<transport>", transport.toString())
            .replace("<folder>", folder.toString()));
    return List.of(WeirLauncher.required().toString(), "run", "-c", file.toString());
  }
}
