package dev.weir.proxy.control;

import static dev.weir.proxy.control.SettingKind.FILE;
import static dev.weir.proxy.control.SettingKind.FILES;
import static dev.weir.proxy.control.SettingKind.FORM;

import dev.weir.proxy.rule.spec.BadValueException;
import dev.weir.proxy.tls.CertificateFiles;
import dev.weir.proxy.tls.ClientCertificate;
import dev.weir.proxy.tls.ServerTlsSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * The settings of TLS with clients: those below {@code tls}, for all listeners of {@code https://},
 * or those below {@code tls} of one listener. Certificates and keys go together by their order.
 */
final class TlsSettingsTable {
  /** A row each; of a list's reader, one item's. */
  static final List<SettingRow<TlsSettingsTable>> ALL =
      List.of(
          row(
              "certificate",
              FILES,
              "What https:// shows, with its chain; of several, the one for the name.",
              (t, text) -> t.certificates.add(Texts.parseFile(text))),
          row(
              "key",
              FILES,
              "Its key (default in the certificate's file).",
              (t, text) -> t.keys.add(Texts.parseFile(text))),
          row(
              "key-passphrase-file",
              FILE,
              "Its first line is that of encrypted keys.",
              (t, text) -> t.passphrase = Texts.parseFile(text)),
          row(
              "client-ca",
              FILE,
              "Whose certificates clients have to show.",
              (t, text) -> t.clientAuthorities = Texts.parseFile(text)),
          row(
              "client-certificate",
              FORM,
              "required (default, with client-ca) or optional.",
              (t, text) -> t.clientCertificate = parseClientCertificate(text)));

  private static final Set<String> NAMES = SettingRow.byName(ALL).keySet();

  private final List<Path> certificates = new ArrayList<>();
  private final List<Path> keys = new ArrayList<>();
  private Path passphrase;
  private Path clientAuthorities;
  private ClientCertificate clientCertificate;

  private static SettingRow<TlsSettingsTable> row(
      String name, SettingKind kind, String help, BiConsumer<TlsSettingsTable, String> reader) {
    return SettingRow.of("tls." + name, kind, null, help, reader);
  }

  private static ClientCertificate parseClientCertificate(String text) {
    return switch (text) {
      case "optional" -> ClientCertificate.OPTIONAL;
      case "required" -> ClientCertificate.REQUIRED;
      default -> throw new BadValueException(text, "optional or required");
    };
  }

  /** The settings' names, {@code tls.} before each. */
  static Set<String> names() {
    return NAMES;
  }

  /** Reads one setting; of a list, one item. */
  void set(String name, String text) {
    SettingRow.byName(ALL).get(name).reader().accept(this, text);
  }

  /** Whether nothing of it is set. */
  boolean isEmpty() {
    return certificates.isEmpty()
        && keys.isEmpty()
        && passphrase == null
        && clientAuthorities == null
        && clientCertificate == null;
  }

  /**
   * Reports what does not go together.
   *
   * @param at what stands before the names of the settings.
   * @param listener whose settings these are, as it is written.
   */
  void check(String at, String listener, Misfits misfits) {
    if (certificates.isEmpty()) {
      misfits.add(at + "tls.certificate", "none", "the file of a certificate, for " + listener);
    }
    if (!keys.isEmpty() && !certificates.isEmpty() && keys.size() != certificates.size()) {
      misfits.add(
          at + "tls.key",
          keys.size() == 1 ? "1 key" : keys.size() + " keys",
          "one for each certificate, " + certificates.size() + ", in the same order");
    }
    if (clientCertificate != null && clientAuthorities == null) {
      misfits.add(
          at + "tls.client-certificate",
          clientCertificate.toString(),
          "tls.client-ca, by which they are verified");
    }
  }

  /** The settings, once they have been checked. */
  ServerTlsSettings build() {
    List<CertificateFiles> files = new ArrayList<>();
    for (int i = 0; i < certificates.size(); i++) {
      Path key = keys.isEmpty() ? certificates.get(i) : keys.get(i);
      files.add(new CertificateFiles(certificates.get(i), key, passphrase));
    }
    ClientCertificate clients =
        clientAuthorities == null
            ? ClientCertificate.OFF
            : clientCertificate == null ? ClientCertificate.REQUIRED : clientCertificate;
    return new ServerTlsSettings(files, clientAuthorities, clients);
  }
}
