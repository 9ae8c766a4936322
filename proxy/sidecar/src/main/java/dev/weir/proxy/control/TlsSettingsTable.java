package dev.weir.proxy.control;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.ClientCertificate;
import dev.weir.proxy.tls.ServerTlsSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings of TLS with clients: those below {@code tls}, for all listeners of {@code https://},
 * or those below {@code tls} of one listener. Certificates and keys go together by their order.
 */
final class TlsSettingsTable {
  /** The prefix of all of the settings' names. */
  static final String PREFIX = "tls.";

  static final List<SettingRow<SettingValues>> ALL =
      List.of(
          SettingRow.value(
              "tls.certificate",
              SettingKind.FILES,
              null,
              "What https:// shows, with its chain; of several, the one for the name.",
              Texts::parseFile),
          SettingRow.value(
              "tls.key",
              SettingKind.FILES,
              null,
              "Its key (default in the certificate's file).",
              Texts::parseFile),
          SettingRow.file("tls.key-passphrase-file", "Its first line is that of encrypted keys."),
          SettingRow.file("tls.client-ca", "Whose certificates clients have to show."),
          SettingRow.value(
              "tls.client-certificate",
              SettingKind.FORM,
              null,
              "required (default, with client-ca) or optional.",
              TlsSettingsTable::parseClientCertificate));

  private TlsSettingsTable() {}

  private static ClientCertificate parseClientCertificate(String text) {
    return switch (text) {
      case "optional" -> ClientCertificate.OPTIONAL;
      case "required" -> ClientCertificate.REQUIRED;
      default -> throw new BadValueException(text, "optional or required");
    };
  }

  /**
   * Reports what does not go together.
   *
   * @param at what stands before the names of the settings.
   * @param listener whose settings these are, as it is written.
   */
  static void check(SettingValues values, String at, String listener, Misfits misfits) {
    int certificates = values.list("tls.certificate", Path.class).size();
    int keys = values.list("tls.key", Path.class).size();
    if (certificates == 0) {
      misfits.add(at + "tls.certificate", "none", "the file of a certificate, for " + listener);
    } else if (keys != 0 && keys != certificates) {
      misfits.add(
          at + "tls.key",
          keys == 1 ? "1 key" : keys + " keys",
          "one for each certificate, " + certificates + ", in the same order");
    }
    if (values.isGiven("tls.client-certificate") && !values.isGiven("tls.client-ca")) {
      misfits.add(
          at + "tls.client-certificate",
          clientCertificate(values).toString(),
          "tls.client-ca, by which they are verified");
    }
  }

  private static ClientCertificate clientCertificate(SettingValues values) {
    return values.get("tls.client-certificate", ClientCertificate.class);
  }

  /** The settings, once they have been checked. */
  static ServerTlsSettings build(SettingValues values) {
    List<Path> certificates = values.list("tls.certificate", Path.class);
    List<Path> keys = values.list("tls.key", Path.class);
    List<CertificateFiles> files = new ArrayList<>();
    for (int i = 0; i < certificates.size(); i++) {
      Path key = keys.isEmpty() ? certificates.get(i) : keys.get(i);
      files.add(
          new CertificateFiles(certificates.get(i), key, values.file("tls.key-passphrase-file")));
    }
    Path authorities = values.file("tls.client-ca");
    ClientCertificate asked = clientCertificate(values);
    return new ServerTlsSettings(
        files,
        authorities,
        authorities == null
            ? ClientCertificate.OFF
            : asked == null ? ClientCertificate.REQUIRED : asked);
  }
}
