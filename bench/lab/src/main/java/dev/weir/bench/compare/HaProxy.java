package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.Programs;
import dev.weir.bench.scenario.Protocol;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** HAProxy with a stick table that counts requests, one thread. */
final class HaProxy implements Contender {
  private static final String REFUSE_CALL =
      "return status 200 content-type application/grpc hdr grpc-status 8";

  private static final String CONFIGURATION =
      """
      global
        nbthread 1
        maxconn 4096
      defaults
        mode http
        timeout connect 5s
        timeout client 60s
        timeout server 60s
        timeout http-keep-alive 60s
      frontend clients
        bind 127.0.0.1:<port> backlog 1024<listen>
        stick-table type string len 32 size 1m expire <memory> store http_req_rate(<window>)
        http-request track-sc0 req.hdr(x-user-id)
        http-request <refuse> if { sc0_http_req_rate gt <most> }
        default_backend service
      backend service
        http-reuse always
        option forwardfor
        server one 127.0.0.1:<upstream> pool-purge-delay 60s<service>
      """;

  @Override
  public String name() {
    return "haproxy";
  }

  @Override
  public boolean isPeer() {
    return true;
  }

  @Override
  public String version() throws IOException {
    return Programs.output(List.of(Programs.required("haproxy").toString(), "-v"))
        .replaceFirst("(?s)^HAProxy version (\\S+).*$", "HAProxy $1");
  }

  @Override
  public String setUp(Site site) {
    final boolean pass = site.outcome() == Outcome.PASS;
    return CONFIGURATION
        .replace("<upstream>", Integer.toString(site.upstreamPort()))
        .replace("<port>", Integer.toString(site.port()))
        .replace("<window>", pass ? "1s" : "1h")
        .replace("<memory>", pass ? "60s" : "1h")
        .replace("<most>", pass ? "1000000000" : "1")
        .replace("<service>", site.wire().servedByHttp2() ? " proto h2" : "")
        .replace("<refuse>", site.wire() == Wire.GRPC ? REFUSE_CALL : "deny deny_status 429")
        .replace("<listen>", listen(site));
  }

  private static String listen(Site site) {
    final Wire wire = site.wire();
    if (!wire.tls) {
      return wire.protocol == Protocol.HTTP1 ? "" : " proto h2";
    }
    return " ssl crt "
        + site.certificate().both()
        + " ssl-min-ver TLSv1.3 ciphersuites TLS_AES_128_GCM_SHA256 alpn "
        + (wire.protocol == Protocol.HTTP1 ? "http/1.1" : "h2");
  }

  @Override
  public List<String> command(Site site) throws IOException {
    final Path file = Files.writeString(site.folder().resolve("haproxy.cfg"), setUp(site));
    return List.of(Programs.required("haproxy").toString(), "-db", "-f", file.toString());
  }
}
