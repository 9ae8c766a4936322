package dev.weir.proxy.control;

import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.UpstreamTlsSettings;
import java.nio.file.Path;
import java.util.List;

/** The settings of TLS to the service, those below {@code upstream-tls}. */
final class UpstreamTlsTable {
  private static final String CERTIFICATE = "upstream-tls.certificate";
  private static final String KEY = "upstream-tls.key";
  private static final String PASSPHRASE = "upstream-tls.key-passphrase-file";

  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.file(
              "upstream-tls.ca",
              "Who vouches for an https:// service (default whom the JDK trusts)."),
          SettingRow.file(CERTIFICATE, "What it is shown, with its chain."),
          SettingRow.file(KEY, "Its key (default in the certificate's file)."),
          SettingRow.file(PASSPHRASE, "Its first line is that of an encrypted key."),
          SettingRow.value(
              "upstream-tls.server-name",
              SettingKind.NAME,
              null,
              "What the service is verified by (default its host).",
              AddressText::parseHost),
          SettingRow.toggle(
              "upstream-tls.insecure-skip-verify", "Take any certificate, for any name."));

  private UpstreamTlsTable() {}

  /**
   * Reports what does not go together, by the name of a setting.
   *
   * @param isUsed whether the service is spoken to by TLS.
   */
  static void check(SettingValues values, boolean isUsed, Misfits misfits) {
    boolean hasCertificate = values.isGiven(CERTIFICATE);
    if (!hasCertificate && (values.isGiven(KEY) || values.isGiven(PASSPHRASE))) {
      misfits.add(CERTIFICATE, "none", "the file of a certificate, for the key");
    }
    boolean isSet =
        hasCertificate
            || values.isGiven("upstream-tls.ca")
            || values.isGiven("upstream-tls.server-name")
            || values.isOn("upstream-tls.insecure-skip-verify");
    if (isSet && !isUsed) {
      misfits.add("upstream-tls", "set", "none, as upstream is not https://");
    }
  }

  /** The settings, once they have been checked. */
  static UpstreamTlsSettings build(SettingValues values) {
    Path certificate = values.file(CERTIFICATE);
    Path key = values.isGiven(KEY) ? values.file(KEY) : certificate;
    return new UpstreamTlsSettings(
        values.file("upstream-tls.ca"),
        certificate == null
            ? null
            : new CertificateFiles(certificate, key, values.file(PASSPHRASE)),
        values.text("upstream-tls.server-name"),
        values.isOn("upstream-tls.insecure-skip-verify"));
  }
}
