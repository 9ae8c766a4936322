package dev.weir.proxy.rig;

import dev.weir.proxy.http2.FramePeer;
import dev.weir.v1.CheckRateLimitRequest;
import dev.weir.v1.CheckRateLimitResponse;
import dev.weir.v1.Dimension;
import dev.weir.v1.RateLimiterGrpc;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One sidecar, asked about the same request in each way that there is: proxied over HTTP/1.1 and
 * HTTP/2, as a check of a proxy by HTTP, and as a check of the decision API. Its file needs {@link
 * #SETTINGS}.
 */
public final class FourWays implements AutoCloseable {
  /** What a file needs to be asked in all ways. */
  public static final String SETTINGS =
      "decision: 127.0.0.1:0\ntrusted-proxies: [127.0.0.1]\ntimeouts: {idle: 1h}\n";

  private static final Pattern RETRY_AFTER =
      Pattern.compile("(?mi)^r(?:etry-after: |atelimit: .*;t=)(\\d+)");

  /** One of the ways. */
  @FunctionalInterface
  public interface Way {
    /**
     * Asks for a GET by a user.
     *
     * @return the refusal's first quota policy or status; empty if the request passes.
     */
    String ask(String path, String user) throws Exception;
  }

  private final RawClient http1;
  private final FramePeer http2;
  private final RawClient proxy;
  private final ManagedChannel channel;
  private final RateLimiterGrpc.RateLimiterBlockingStub stub;
  private int streamId = -1;
  private String host = "a";
  private String address = "192.0.2.1";
  private String plan = "";
  private long retryAfterSeconds;

  public FourWays(Rig rig) throws IOException {
    http1 = rig.connect();
    http2 = new FramePeer(rig.sidecar.listenAddress());
    proxy = new RawClient(new InetSocketAddress("127.0.0.1", rig.decisionPort()));
    channel =
        ManagedChannelBuilder.forAddress("127.0.0.1", rig.decisionPort()).usePlaintext().build();
    stub = RateLimiterGrpc.newBlockingStub(channel).withDeadlineAfter(50, TimeUnit.SECONDS);
  }

  /** From now on requests are for another host, and from another address. */
  public FourWays as(String newHost, String newAddress) {
    host = newHost;
    address = newAddress;
    return this;
  }

  /** From now on requests name a plan in {@code X-Plan}; empty for none. */
  public FourWays plan(String name) {
    plan = name;
    return this;
  }

  /** The ways, in the order of the class's sentence. */
  public List<Way> all() {
    return List.of(this::overHttp1, this::overHttp2, this::byHttpCheck, this::byDecisionApi);
  }

  /** Of the last refusal, as the client was told. */
  public long retryAfterSeconds() {
    return retryAfterSeconds;
  }

  private String overHttp1(String path, String user) throws Exception {
    return refusal(http1.send(get(path, user, "")).read());
  }

  private String byHttpCheck(String path, String user) throws Exception {
    String of = "X-Forwarded-Method: GET\r\nX-Forwarded-Uri: " + path + "\r\n";
    return refusal(proxy.send(get("/v1/check", user, of)).read());
  }

  private String get(String path, String user, String more) {
    return "GET "
        + path
        + " HTTP/1.1\r\nHost: "
        + host
        + "\r\nX-Forwarded-For: "
        + address
        + "\r\nX-User-Id: "
        + user
        + "\r\n"
        + (plan.isEmpty() ? "" : "X-Plan: " + plan + "\r\n")
        + more
        + "\r\n";
  }

  private String refusal(RawClient.Response answer) {
    return answer.status() == 200 ? "" : policy(answer.head(), answer.status());
  }

  private String policy(String head, Object otherwise) {
    Matcher wait = RETRY_AFTER.matcher(head);
    retryAfterSeconds = wait.find() ? Long.parseLong(wait.group(1)) : 0;
    for (String line : head.lines().toList()) {
      if (line.toLowerCase(Locale.ROOT).startsWith("ratelimit: \"")) {
        return line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
      }
    }
    return otherwise.toString();
  }

  private String overHttp2(String path, String user) {
    return overHttp2("GET", path, user);
  }

  /** Asks for a proxied call of gRPC: a way beside those of {@link #all}. */
  public String overGrpc(String path, String user) {
    return overHttp2("POST", path, user, "content-type: application/grpc", "te: trailers");
  }

  private String overHttp2(String method, String path, String user, String... more) {
    streamId += 2;
    List<String> fields =
        new ArrayList<>(
            List.of(
                ":method: " + method,
                ":scheme: http",
                ":path: " + path,
                ":authority: " + host,
                "x-forwarded-for: " + address,
                "x-user-id: " + user));
    if (!plan.isEmpty()) {
      fields.add("x-plan: " + plan);
    }
    fields.addAll(List.of(more));
    http2.headers(streamId, true, fields.toArray(String[]::new)).send();
    String head = http2.next();
    for (String frame = head; !frame.endsWith(" end"); ) {
      frame = http2.next();
    }
    boolean passes = head.contains(":status: 200") && !head.contains("grpc-status: 8");
    return passes ? "" : policy(head.replace(", ", "\n"), head);
  }

  private String byDecisionApi(String path, String user) {
    CheckRateLimitRequest.Builder check =
        CheckRateLimitRequest.newBuilder()
            .setIdentifier(user)
            .setDimension(Dimension.USER)
            .setEndpoint(path)
            .setMethod("GET");
    check.addOtherIdentitiesBuilder().setIdentifier(address).setDimension(Dimension.IP);
    check.addOtherIdentitiesBuilder().setIdentifier(host).setDimensionName("header:host");
    if (!plan.isEmpty()) {
      check.addOtherIdentitiesBuilder().setIdentifier(plan).setDimensionName("header:x-plan");
    }
    CheckRateLimitResponse answer = stub.checkRateLimit(check.build());
    retryAfterSeconds = answer.getRetryAfterSeconds();
    return answer.getAllowed() ? "" : "limit of " + answer.getLimit();
  }

  @Override
  public void close() throws IOException {
    http1.close();
    http2.close();
    proxy.close();
    channel.shutdownNow();
  }
}
