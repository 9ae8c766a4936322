package dev.weir.proxy.cli.api;

import dev.weir.proxy.control.AddressText;
import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.ClientTls;
import dev.weir.proxy.tls.TlsFault;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.net.ssl.SSLSocketFactory;
import picocli.CommandLine.Option;

/** The flags of all commands that speak to the API. */
final class ApiOptions {
  private static final String TOKEN = "WEIR_TOKEN";
  private static final String TOKEN_FILE = "WEIR_TOKEN_FILE";
  private static final String HTTPS = "https://";
  private static final int MAX_TOKEN_BYTES = 4096;

  @Option(
      names = "--admin",
      paramLabel = "ADDRESS",
      defaultValue = "${env:WEIR_ADMIN:-127.0.0.1:9090}",
      description =
          "The admin port of a running sidecar: host:port, https://host:port or unix:/path"
              + " (default ${DEFAULT-VALUE}; WEIR_ADMIN).")
  private String admin;

  @Option(
      names = "--ca",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_CA}",
      description = "Who vouches for an https:// port (default whom the JDK trusts; WEIR_CA).")
  private Path authorities;

  @Option(
      names = "--certificate",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_CERTIFICATE}",
      description = "Your certificate for an https:// port, with its chain (WEIR_CERTIFICATE).")
  private Path certificate;

  @Option(
      names = "--key",
      paramLabel = "FILE",
      defaultValue = "${env:WEIR_KEY}",
      description = "Its key (default in the certificate's file; WEIR_KEY).")
  private Path key;

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description = {
        "The file with your token (default: the file that WEIR_TOKEN_FILE names, or the token in"
            + " WEIR_TOKEN). No flag takes the token itself, as others can see flags."
      })
  private Path tokenFile;

  @Option(
      names = "--output",
      paramLabel = "FORM",
      defaultValue = "table",
      description = "table (default; text is the same) or json.")
  private String output;

  /** Whether answers are printed as JSON. */
  boolean isJson() {
    return output.equals("json");
  }

  void checkOutput() throws ApiFault {
    if (!List.of("table", "text", "json").contains(output)) {
      throw new ApiFault(ExitCode.USAGE, "--output: unknown (expected: table or json)");
    }
  }

  /**
   * A client of the API.
   *
   * @param patience for each answer.
   */
  Api open(Map<String, String> environment, Duration patience) throws ApiFault {
    checkOutput();
    boolean isTls = admin.startsWith(HTTPS);
    String bare = isTls ? admin.substring(HTTPS.length()) : admin;
    try {
      if (isTls && bare.startsWith("unix:")) {
        throw new BadValueException(admin, "https://host:port");
      }
      return new Api(
          new AdminPort(AddressText.parseServer(bare), patience, isTls ? tls() : null),
          token(environment));
    } catch (TlsFault fault) {
      throw new ApiFault(ExitCode.USAGE, fault.getMessage());
    } catch (BadValueException bad) {
      throw new ApiFault(
          ExitCode.USAGE, "--admin: " + bad.value() + " (expected: " + bad.expected() + ")");
    }
  }

  private SSLSocketFactory tls() throws TlsFault, ApiFault {
    if (certificate == null && key != null) {
      throw new ApiFault(ExitCode.USAGE, "--key: " + key + " (expected: --certificate too)");
    }
    return ClientTls.sockets(
        authorities,
        certificate == null
            ? null
            : new CertificateFiles(certificate, key == null ? certificate : key, null));
  }

  /** Null without one. */
  private String token(Map<String, String> environment) throws ApiFault {
    String named = environment.get(TOKEN_FILE);
    Path file = tokenFile == null && named != null ? Path.of(named) : tokenFile;
    String token = file == null ? environment.get(TOKEN) : read(file);
    if (token != null && !token.matches("[!-~]+")) {
      throw new ApiFault(
          ExitCode.USAGE,
          (file == null ? TOKEN : file) + ": no token (expected: a line of visible ASCII)");
    }
    return token;
  }

  private static String read(Path file) throws ApiFault {
    try (InputStream in = Files.newInputStream(file)) {
      return new String(in.readNBytes(MAX_TOKEN_BYTES), StandardCharsets.UTF_8).strip();
    } catch (IOException e) {
      throw new ApiFault(ExitCode.USAGE, "token: cannot be read: " + e.getMessage());
    }
  }
}
