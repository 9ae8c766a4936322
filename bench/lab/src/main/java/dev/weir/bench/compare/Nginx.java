package dev.weir.bench.compare;

import dev.weir.bench.compare.Contender.Outcome;
import dev.weir.bench.compare.Contender.Site;
import dev.weir.bench.process.Programs;
import dev.weir.bench.scenario.Protocol;
import java.io.IOException;
import java.util.List;

/** nginx with {@code limit_req}, one worker. */
final class Nginx implements Contender {
  /**
   * In one millisecond it lets through no more than the burst. It knows no rate below one request
   * per minute.
   */
  private static final String PASS_ZONE = "rate=1000000r/s";

  private static final String PASS_BURST = " burst=1000000 nodelay";
  private static final String REFUSE_ZONE = "rate=1r/m";

  private static final String TLS =
      """
      ssl_certificate <certificates>/certificate.pem;
      ssl_certificate_key <certificates>/key.pem;
      ssl_protocols TLSv1.3;
      ssl_conf_command Ciphersuites TLS_AES_128_GCM_SHA256;
      """;

  private static final String PASS_REQUEST =
      """
          proxy_pass http://service;
          proxy_http_version 1.1;
          proxy_set_header Connection "";
          proxy_set_header Host $host;
          proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
      """;

  /** One call at a time on each connection to the service: nginx knows no more. */
  private static final String PASS_CALL =
      """
          grpc_pass grpc://service;
          grpc_set_header Host $host;
          grpc_set_header X-Forwarded-For $proxy_add_x_forwarded_for;
          error_page 429 = /limited;
        }
        location = /limited {
          internal;
          default_type application/grpc;
          add_header grpc-status 8;
          return 200 "";
      """;

  private static final String HTTP =
      """
      limit_req_zone $http_x_user_id zone=users:64m <zone>;
      limit_req_status 429;
      server {
        listen 127.0.0.1:<port> backlog=1024<listen>;<tls>
        location / {
          limit_req zone=users<burst>;
      <pass>  }
      }
      """;

  @Override
  public String name() {
    return "nginx";
  }

  @Override
  public boolean isPeer() {
    return true;
  }

  @Override
  public String version() throws IOException {
    return Programs.output(List.of(Programs.required("nginx").toString(), "-v"))
        .replaceFirst("(?s)^.*nginx version: (\\S+).*$", "$1");
  }

  @Override
  public String setUp(Site site) {
    final boolean pass = site.outcome() == Outcome.PASS;
    final int idle = site.wire().servedByHttp2() ? 1024 : 256;
    final String http =
        NginxProcess.upstream("service", site.upstreamPort(), idle)
            + HTTP.replace("<zone>", pass ? PASS_ZONE : REFUSE_ZONE)
                .replace("<burst>", pass ? PASS_BURST : "")
                .replace("<port>", Integer.toString(site.port()))
                .replace("<pass>", site.wire().servedByHttp2() ? PASS_CALL : PASS_REQUEST)
                .replace("<listen>", listen(site.wire()))
                .replace("<tls>", site.wire().tls ? "\n" + TLS.indent(2).stripTrailing() : "")
                .replace("<certificates>", site.certificate().chain().getParent().toString());
    return NginxProcess.configuration(http, site.folder());
  }

  private static String listen(Wire wire) {
    return (wire.tls ? " ssl" : "") + (wire.protocol == Protocol.HTTP1 ? "" : " http2");
  }

  @Override
  public List<String> command(Site site) throws IOException {
    return NginxProcess.command(Programs.required("nginx"), setUp(site), site.folder());
  }
}
