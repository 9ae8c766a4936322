package dev.weir.bench.scenario;

import java.util.ArrayList;
import java.util.List;

/** Makes a scenario of what was set, or tells all that is wrong with it at once. */
final class ScenarioReader {
  private static final int MOST_STREAMS = 10_000;
  private static final int MOST_LOOPS = 256;
  private static final int MOST_REQUESTS_PER_CONNECTION = 1_000_000;
  private static final int DEFAULT_STREAMS = 16;

  /** Bytes of a request beside its own, those of the fields that are added to it included. */
  private static final long REQUEST_BYTES = 150;

  /** The longest time-out: the histograms go no further. */
  private static final long LONGEST_TIMEOUT_NS = 3_600_000_000_000L;

  private static final String DEFAULT_TIMEOUT = "5s";

  private final SettingReader reader;

  private ScenarioReader(SettingReader reader) {
    this.reader = reader;
  }

  /**
   * Makes it.
   *
   * @param faults that were found before; more are added.
   */
  static Scenario read(ScenarioSettings settings, List<String> faults) throws BadScenarioException {
    final Scenario scenario = new ScenarioReader(new SettingReader(settings, faults)).scenario();
    if (!faults.isEmpty()) {
      throw new BadScenarioException(faults.stream().distinct().toList());
    }
    return scenario;
  }

  private Scenario scenario() {
    final KeyChoice keys = reader.one("keys", "one", KeyChoice::parse);
    final ClientSettings client = client();
    final List<RequestSpec> requests = new RequestReader(reader).requests();
    if (reader.faults.isEmpty()) {
      checkMemory(keys, requests);
    }
    if (reader.settings.get("keys") != null
        && reader.faults.isEmpty()
        && requests.stream().noneMatch(RequestSpec::takesKey)) {
      reader.faults.add(
          reader.settings.get("keys").where()
              + ": "
              + keys
              + " (expected: "
              + RequestSpec.KEY
              + " in a target, a header or a body, for it to stand there)");
    }
    return new Scenario(
        name(requests), requests, keys, new LoadReader(reader).load(), client, thresholds());
  }

  /** Requests are made before the run, one for each key. */
  private void checkMemory(KeyChoice keys, List<RequestSpec> requests) {
    long bytes = 0;
    for (RequestSpec spec : requests) {
      if (spec.takesKey()) {
        final String key = keys.names().get(0);
        long length = REQUEST_BYTES + spec.path().length();
        for (Field field : spec.fields()) {
          length += field.name().length() + field.value().length();
        }
        if (spec.body() != null && spec.body().takesKey()) {
          length += spec.body().bytes(key).length;
        }
        bytes += length * keys.names().size();
      }
    }
    final long most = Runtime.getRuntime().maxMemory() / 2;
    if (bytes > most) {
      reader.faults.add(
          reader.settings.get("keys").where()
              + ": "
              + keys
              + " (expected: fewer, or shorter requests: one for each key is "
              + (bytes >> 20)
              + " MB, of "
              + (most >> 20)
              + " MB)");
    }
  }

  private String name(List<RequestSpec> requests) {
    final String fallback =
        requests.isEmpty()
            ? ""
            : requests.get(0).method()
                + " "
                + requests.get(0).target()
                + Secrets.hiddenInUrl(requests.get(0).path());
    return reader.one("name", fallback, text -> SettingText.oneLine(text, fallback));
  }

  private List<Threshold> thresholds() {
    final List<Threshold> thresholds = new ArrayList<>();
    for (Setting setting : reader.settings.thresholds()) {
      thresholds.add(reader.parsed(setting, Threshold::parse));
    }
    return thresholds;
  }

  private ClientSettings client() {
    final Protocol protocol = reader.one("protocol", protocolDefault(), Protocol::parse);
    final int loops = Runtime.getRuntime().availableProcessors();
    return new ClientSettings(
        protocol,
        reader.whole(
            "connections", ClientSettings.DEFAULT_CONNECTIONS, ClientSettings.MOST_CONNECTIONS),
        streams(protocol),
        requestsPerConnection(),
        reader.whole("event-loops", loops, MOST_LOOPS),
        reader.one("transport", "auto", SettingText::transport),
        reader.one(
            "timeout", DEFAULT_TIMEOUT, text -> SettingText.upTo(text, LONGEST_TIMEOUT_NS, "1h")),
        new TlsSettings(
            reader.one("ca", "", text -> text.isEmpty() ? null : SettingText.readable(text)),
            reader.one("insecure", "false", SettingText::bool),
            !reader.one("no-resumption", "false", SettingText::bool)));
  }

  private int requestsPerConnection() {
    final String name = "requests-per-connection";
    return reader.settings.get(name) == null
        ? ClientSettings.NO_END
        : reader.whole(name, 1, MOST_REQUESTS_PER_CONNECTION);
  }

  private int streams(Protocol protocol) {
    if (protocol != Protocol.HTTP1) {
      return reader.whole("streams", DEFAULT_STREAMS, MOST_STREAMS);
    }
    final Setting streams = reader.settings.get("streams");
    if (streams != null && !streams.text().equals("1")) {
      reader.faults.add(
          streams.where() + ": " + streams.text() + " (expected: 1, or a protocol of HTTP/2)");
    }
    return 1;
  }

  private String protocolDefault() {
    final boolean grpc =
        reader.settings.common().get("grpc") != null
            || reader.settings.requests().stream().anyMatch(request -> request.get("grpc") != null);
    return grpc ? Protocol.GRPC.toString() : Protocol.HTTP1.toString();
  }
}
