package dev.weir.bench.scenario;

import dev.weir.bench.grpc.GrpcDescriptor;
import dev.weir.bench.grpc.GrpcMethod;
import dev.weir.bench.scenario.Body.FixedBody;
import dev.weir.bench.scenario.Body.GrpcBody;
import dev.weir.bench.scenario.Body.TextBody;
import dev.weir.bench.scenario.ClientSettings.TlsSettings;
import dev.weir.bench.scenario.Scenario.Load;
import dev.weir.bench.scenario.ScenarioSettings.Setting;
import dev.weir.proxy.rule.spec.BadValueException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

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

  private static final String DEFAULT_DURATION = "10s";
  private static final String DEFAULT_WARM_UP = "2s";
  private static final String DEFAULT_TIMEOUT = "5s";

  private final ScenarioSettings settings;
  private final List<String> faults;

  private ScenarioReader(ScenarioSettings settings, List<String> faults) {
    this.settings = settings;
    this.faults = faults;
  }

  /**
   * Makes it.
   *
   * @param faults that were found before; more are added.
   */
  static Scenario read(ScenarioSettings settings, List<String> faults) throws BadScenarioException {
    final Scenario scenario = new ScenarioReader(settings, faults).scenario();
    if (!faults.isEmpty()) {
      throw new BadScenarioException(faults.stream().distinct().toList());
    }
    return scenario;
  }

  private Scenario scenario() {
    final KeyChoice keys = one("keys", "one", KeyChoice::parse);
    final ClientSettings client = client();
    final List<RequestSpec> requests = requests();
    if (faults.isEmpty()) {
      checkMemory(keys, requests);
    }
    if (settings.get("keys") != null
        && faults.isEmpty()
        && requests.stream().noneMatch(RequestSpec::takesKey)) {
      faults.add(
          settings.get("keys").where()
              + ": "
              + keys
              + " (expected: "
              + RequestSpec.KEY
              + " in a target, a header or a body, for it to stand there)");
    }
    return new Scenario(name(requests), requests, keys, load(), client, thresholds());
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
      faults.add(
          settings.get("keys").where()
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
    return one("name", fallback, text -> SettingText.oneLine(text, fallback));
  }

  private List<Threshold> thresholds() {
    final List<Threshold> thresholds = new ArrayList<>();
    for (Setting setting : settings.thresholds) {
      thresholds.add(parsed(setting, Threshold::parse));
    }
    return thresholds;
  }

  private ClientSettings client() {
    final Protocol protocol = one("protocol", protocolDefault(), Protocol::parse);
    final int loops = Runtime.getRuntime().availableProcessors();
    return new ClientSettings(
        protocol,
        whole("connections", ClientSettings.DEFAULT_CONNECTIONS, ClientSettings.MOST_CONNECTIONS),
        streams(protocol),
        requestsPerConnection(),
        whole("event-loops", loops, MOST_LOOPS),
        one("transport", "auto", SettingText::transport),
        one("timeout", DEFAULT_TIMEOUT, text -> SettingText.upTo(text, LONGEST_TIMEOUT_NS, "1h")),
        new TlsSettings(
            one("ca", "", text -> text.isEmpty() ? null : SettingText.readable(text)),
            one("insecure", "false", SettingText::bool),
            !one("no-resumption", "false", SettingText::bool)));
  }

  private int requestsPerConnection() {
    final String name = "requests-per-connection";
    return settings.get(name) == null
        ? ClientSettings.NO_END
        : whole(name, 1, MOST_REQUESTS_PER_CONNECTION);
  }

  private int streams(Protocol protocol) {
    if (protocol != Protocol.HTTP1) {
      return whole("streams", DEFAULT_STREAMS, MOST_STREAMS);
    }
    final Setting streams = settings.get("streams");
    if (streams != null && !streams.text().equals("1")) {
      fault(streams, "1, or a protocol of HTTP/2");
    }
    return 1;
  }

  private String protocolDefault() {
    final boolean grpc =
        settings.common.get("grpc") != null
            || settings.requests.stream().anyMatch(request -> request.get("grpc") != null);
    return grpc ? Protocol.GRPC.toString() : Protocol.HTTP1.toString();
  }

  /** The kinds of requests that are right; faults for the others. */
  private List<RequestSpec> requests() {
    final List<RequestSettings> kinds = new ArrayList<>(settings.requests);
    for (Setting target : settings.targets) {
      final RequestSettings kind = new RequestSettings(target.where());
      kind.set("target", target);
      kinds.add(kind);
    }
    if (kinds.isEmpty()) {
      faults.add("targets: none (expected: at least one, such as http://127.0.0.1:8000/)");
    }
    final List<RequestSpec> specs = new ArrayList<>();
    for (RequestSettings kind : kinds) {
      kind.inherit(settings.common);
      final RequestSpec spec = request(kind);
      if (spec != null) {
        specs.add(spec);
      }
    }
    final long targets = specs.stream().map(RequestSpec::target).distinct().count();
    final Setting connections = settings.get("connections");
    if (targets
        > whole(
            "connections", ClientSettings.DEFAULT_CONNECTIONS, ClientSettings.MOST_CONNECTIONS)) {
      faults.add(
          (connections == null
                  ? "connections: " + ClientSettings.DEFAULT_CONNECTIONS
                  : connections.where() + ": " + connections.text())
              + " (expected: at least one for each of "
              + targets
              + " targets)");
    }
    return specs;
  }

  private RequestSpec request(RequestSettings kind) {
    final Setting target = kind.get("target");
    if (target == null) {
      faults.add(kind.where + ": no target (expected: a URL)");
      return null;
    }
    final Target.Located located = parsed(target, Target::parse);
    final List<Field> fields = new ArrayList<>();
    for (Setting header : kind.headers) {
      fields.add(parsed(header, Field::parse));
    }
    final Setting call = kind.get("grpc");
    final Body body = call == null ? body(kind) : message(kind, call);
    final String method =
        value(kind.get("method"), body == null ? "GET" : "POST", SettingText::method);
    final double weight = value(kind.get("weight"), "1", SettingText::positive);
    if (located == null) {
      return null;
    }
    final String path = call == null ? located.path() : "/" + call.text();
    return new RequestSpec(located.target(), method, path, fields, body, weight);
  }

  private Body body(RequestSettings kind) {
    final Setting text = kind.get("body");
    final Setting file = kind.get("body-file");
    for (String name : List.of("message", "message-file")) {
      if (kind.get(name) != null) {
        faults.add(kind.get(name).where() + ": set (expected: only beside grpc)");
      }
    }
    if (text != null && file != null) {
      fault(file, "one of body and body-file");
    }
    if (file != null) {
      return parsed(file, SettingText::fileBody);
    }
    return text == null ? null : new TextBody(text.text());
  }

  /** A call's message: as JSON, which takes a descriptor, or as the bytes of a file. */
  private Body message(RequestSettings kind, Setting call) {
    final Setting json = kind.get("message");
    final Setting file = kind.get("message-file");
    final Setting descriptor = settings.get("descriptor");
    for (String name : List.of("body", "body-file", "method")) {
      if (kind.get(name) != null) {
        faults.add(kind.get(name).where() + ": set (expected: message or message-file, with grpc)");
      }
    }
    if (file != null && json != null) {
      fault(file, "one of message, message-file");
    }
    if (file != null) {
      return parsed(file, SettingText::fileBody);
    }
    if (descriptor == null) {
      if (json != null) {
        fault(json, "a descriptor beside it, or a message-file");
      } else if (!call.text().matches("[A-Za-z0-9_.]+/[A-Za-z0-9_]+")) {
        fault(call, "package.Service/Method");
      }
      return new FixedBody(new byte[0]);
    }
    final Path set = parsed(descriptor, SettingText::readable);
    final GrpcMethod method =
        set == null ? null : parsed(call, text -> GrpcDescriptor.method(set, text));
    if (method == null) {
      return null;
    }
    final Setting text = json == null ? new Setting("message", "{}") : json;
    return parsed(
        text,
        message -> {
          final Body body = new GrpcBody(method, message);
          body.bytes("key"); // whether it is one
          return body;
        });
  }

  /** The load; null, with a fault, if there is none. */
  private Load load() {
    final boolean max = one("max", "false", SettingText::bool);
    final long warmUpNs = one("warm-up", DEFAULT_WARM_UP, SettingText::zeroOrMore);
    final long durationNs = one("duration", DEFAULT_DURATION, SettingText::upToADay);
    final Setting rate = settings.get("rate");
    final List<Setting> stages = settings.stages;
    final int ways = (max ? 1 : 0) + (rate == null ? 0 : 1) + (stages.isEmpty() ? 0 : 1);
    if (ways != 1) {
      faults.add(
          "the load: "
              + (ways == 0 ? "missing" : "said in several ways")
              + " (expected: one of rate, load and max)");
      return null;
    }
    if (max) {
      return new Load(null, durationNs, warmUpNs);
    }
    if (rate != null) {
      final Double perSecond = parsed(rate, text -> Stages.number(text, 0));
      if (perSecond == null) {
        return null;
      }
      if (perSecond * durationNs / 1e9 < 1) {
        fault(rate, "a request in the duration");
        return null;
      }
      return new Load(Schedule.constant(perSecond, durationNs), durationNs, warmUpNs);
    }
    if (settings.get("duration") != null) {
      final Setting duration = settings.get("duration");
      fault(duration, "none beside the stages' own");
    }
    return stages(warmUpNs);
  }

  private Load stages(long warmUpNs) {
    boolean right = true;
    for (Setting stage : settings.stages) {
      right &= parsed(stage, Stages::check) != null;
    }
    if (!right) {
      return null;
    }
    final Setting first = settings.stages.get(0);
    final List<String> texts = settings.stages.stream().map(Setting::text).toList();
    final Schedule schedule =
        parsed(new Setting(first.where(), String.join(" ", texts)), all -> Stages.parse(texts));
    return schedule == null ? null : new Load(schedule, schedule.durationNs(), warmUpNs);
  }

  private int whole(String name, int fallback, int most) {
    return one(
        name,
        Integer.toString(fallback),
        text -> {
          if (text.matches("[0-9]{1,9}")) {
            final int value = Integer.parseInt(text);
            if (value >= 1 && value <= most) {
              return value;
            }
          }
          throw new BadValueException(text, "a whole number from 1 to " + most);
        });
  }

  /** The value that is set under a name, or else the fallback's. */
  private <T> T one(String name, String fallback, Function<String, T> parser) {
    return value(settings.get(name), fallback, parser);
  }

  private <T> T value(Setting setting, String fallback, Function<String, T> parser) {
    final T value = setting == null ? null : parsed(setting, parser);
    return value == null ? parser.apply(fallback) : value;
  }

  private void fault(Setting setting, String expected) {
    faults.add(
        setting.where() + ": " + new BadValueException(setting.text(), expected).getMessage());
  }

  private <T> T parsed(Setting setting, Function<String, T> parser) {
    try {
      return parser.apply(setting.text());
    } catch (BadValueException bad) {
      faults.add(setting.where() + ": " + bad.getMessage());
      return null;
    }
  }
}
