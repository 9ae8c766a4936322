package dev.weir.bench.compare;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** nginx with one worker, kept connections, no log of requests, and all its files in a folder. */
public final class NginxProcess {
  private static final String CONFIGURATION =
      """
      daemon off;
      worker_processes 1;
      pid <folder>/pid;
      error_log <folder>/error.log crit;
      events { worker_connections 4096; }
      http {
        access_log off;
        client_body_temp_path <folder>/body;
        proxy_temp_path <folder>/proxy;
        fastcgi_temp_path <folder>/fastcgi;
        uwsgi_temp_path <folder>/uwsgi;
        scgi_temp_path <folder>/scgi;
        keepalive_requests 1000000000;
        keepalive_timeout 60s;
      <http>}
      """;

  private static final String UPSTREAM =
      """
      upstream <name> {
        server 127.0.0.1:<port>;
        keepalive <idle>;
        keepalive_requests 1000000000;
        keepalive_timeout 60s;
      }
      """;

  private NginxProcess() {}

  /**
   * A server on 127.0.0.1, for the block of http.
   *
   * @param idle connections that are kept.
   */
  public static String upstream(String name, int port, int idle) {
    return UPSTREAM
        .replace("<name>", name)
        .replace("<port>", Integer.toString(port))
        .replace("<idle>", Integer.toString(idle));
  }

  /**
   * The whole configuration.
   *
   * @param http what is particular to it, in the block of that name.
   */
  public static String configuration(String http, Path folder) {
    return CONFIGURATION.replace("<http>", http.indent(2)).replace("<folder>", folder.toString());
  }

  /**
   * The command that starts it.
   *
   * @param folder where the configuration is put.
   */
  public static List<String> command(Path program, String configuration, Path folder)
      throws IOException {
    final Path file = Files.writeString(folder.resolve("nginx.conf"), configuration);
    return List.of(
        program.toString(),
        "-p",
        folder.toString(),
        "-e",
        folder.resolve("error.log").toString(),
        "-c",
        file.toString());
  }
}
