package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.NAME;
import static dev.weir.proxy.control.SettingKind.SWITCH;

import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.UpstreamTlsSettings;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;

/** The settings of TLS to the service, those below {@code upstream-tls}. */
final class UpstreamTlsTable {
  /** A row each. */
  static final List<SettingRow<UpstreamTlsTable>> ALL =
      List.of(
          row(
              "ca",
              FILE,
              null,
              "Who vouches for an https:// service (default whom the JDK trusts).",
              (t, text) -> t.authorities = Texts.parseFile(text)),
          row(
              "certificate",
              FILE,
              null,
              "What it is shown, with its chain.",
              (t, text) -> t.certificate = Texts.parseFile(text)),
          row(
              "key",
              FILE,
              null,
              "Its key (default in the certificate's file).",
              (t, text) -> t.key = Texts.parseFile(text)),
          row(
              "key-passphrase-file",
              FILE,
              null,
              "Its first line is that of an encrypted key.",
              (t, text) -> t.passphrase = Texts.parseFile(text)),
          row(
              "server-name",
              NAME,
              null,
              "What the service is verified by (default its host).",
              (t, text) -> t.serverName = AddressText.parseHost(text)),
          row(
              "insecure-skip-verify",
              SWITCH,
              "false",
              "Take any certificate, for any name.",
              (t, text) -> t.insecureSkipVerify = Texts.parseBoolean(text)));

  private Path authorities;
  private Path certificate;
  private Path key;
  private Path passphrase;
  private String serverName;
  private boolean insecureSkipVerify;

  private static SettingRow<UpstreamTlsTable> row(
      String name,
      SettingKind kind,
      String standard,
      String help,
      BiConsumer<UpstreamTlsTable, String> reader) {
    return SettingRow.of("upstream-tls." + name, kind, standard, help, reader);
  }

  /**
   * Reports what does not go together, by the name of a setting.
   *
   * @param isUsed whether the service is spoken to by TLS.
   */
  void check(boolean isUsed, Misfits misfits) {
    if (certificate == null && (key != null || passphrase != null)) {
      misfits.add("upstream-tls.certificate", "none", "the file of a certificate, for the key");
    }
    boolean isSet =
        authorities != null || certificate != null || serverName != null || insecureSkipVerify;
    if (isSet && !isUsed) {
      misfits.add("upstream-tls", "set", "none, as upstream is not https://");
    }
  }

  /** The settings, once they have been checked. */
  UpstreamTlsSettings build() {
    CertificateFiles files =
        certificate == null
            ? null
            : new CertificateFiles(certificate, key == null ? certificate : key, passphrase);
    return new UpstreamTlsSettings(authorities, files, serverName, insecureSkipVerify);
  }
}
