package dev.weir.proxy.metrics;

import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.Handshake;
import dev.weir.proxy.request.Protocol;
import dev.weir.proxy.request.ProxyHeaderFault;
import dev.weir.proxy.request.RefusalReason;
import dev.weir.proxy.request.ReplacementCause;
import dev.weir.proxy.request.StoreFault;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Every figure that event loops count for themselves, declared once: its name and help, its label,
 * and thereby its words in a loop's row of {@link Counters}. {@link LoopMetrics}, {@link
 * Http2Metrics} and {@link StoreMetrics} count them, {@link WeirCollector} exposes all that are
 * declared here.
 */
final class LoopFigures {
  private static final List<LoopCounter> COUNTERS = new ArrayList<>();
  private static final List<OpenGauge> GAUGES = new ArrayList<>();
  private static final String STORE = "weir_store_";
  private static final String DECISIONS = "weir_decision_";
  private static final List<String> STATUSES =
      List.of(
          "ok",
          "cancelled",
          "unknown",
          "invalid_argument",
          "deadline_exceeded",
          "not_found",
          "already_exists",
          "permission_denied",
          "resource_exhausted",
          "failed_precondition",
          "aborted",
          "out_of_range",
          "unimplemented",
          "internal",
          "unavailable",
          "data_loss",
          "unauthenticated");
  private static int wordCount;

  static final LoopCounter CONNECTIONS = counter("weir_connections", "Client connections.");
  static final OpenGauge CONNECTIONS_OPEN =
      open("weir_connections_open", "Client connections open now.", CONNECTIONS);
  static final LoopCounter CONNECTIONS_REFUSED =
      counter("weir_connections_refused", "Client connections turned away at the door.");
  static final LoopCounter PROXY_HEADERS_REFUSED =
      counter(
          "weir_proxy_headers_refused",
          "Client connections closed for want of a PROXY header that is believed, by reason.",
          "reason",
          ProxyHeaderFault.values());

  static final LoopCounter REQUESTS = counter("weir_requests", "Requests begun.");
  static final OpenGauge REQUESTS_IN_FLIGHT =
      open("weir_requests_in_flight", "Requests begun and not ended.", REQUESTS);
  static final LoopCounter REQUESTS_BY_PROTOCOL =
      counter(
          "weir_protocol_requests", "Requests begun, by protocol.", "protocol", Protocol.values());
  static final LoopCounter REQUESTS_HELD =
      counter("weir_requests_held", "Requests held until their slot came.");
  static final OpenGauge REQUESTS_WAITING =
      open("weir_requests_waiting", "Requests held now.", REQUESTS_HELD);
  static final LoopCounter REFUSALS =
      counter(
          "weir_refusals",
          "Requests answered here instead of by the service, by reason.",
          "reason",
          RefusalReason.values());
  static final LoopCounter RESPONSES =
      counter(
          "weir_responses",
          "The service's responses passed on whole, by status class.",
          "class",
          List.of("other", "1xx", "2xx", "3xx", "4xx", "5xx"));
  static final LoopCounter VERDICTS_DROPPED =
      counter("weir_verdicts_dropped", "Verdicts that came after their client had gone.");
  static final LoopCounter TUNNELS = counter("weir_tunnels", "Connections that became tunnels.");

  static final LoopCounter UPSTREAM_CONNECTIONS =
      counter("weir_upstream_connections", "Connections to the service.");
  static final OpenGauge UPSTREAM_CONNECTIONS_OPEN =
      open(
          "weir_upstream_connections_open",
          "Connections to the service open now.",
          UPSTREAM_CONNECTIONS);
  static final LoopCounter UPSTREAM_REPLACEMENTS =
      counter(
          "weir_upstream_replacements",
          "Connections to a service of HTTP/2 that get no new streams, by cause.",
          "cause",
          ReplacementCause.values());
  static final LoopCounter UPSTREAM_STREAMS =
      counter(
          "weir_upstream_streams",
          "Exchanges that became streams: tunnels, server-sent events, and all that took long.");
  static final OpenGauge UPSTREAM_STREAMS_OPEN =
      open(
          "weir_upstream_streams_open",
          "Connections to the service that streams hold now.",
          UPSTREAM_STREAMS);
  static final LoopCounter UPSTREAM_WAITS =
      counter("weir_upstream_waits", "Requests that had to wait for a connection to the service.");
  static final OpenGauge UPSTREAM_WAITING =
      open(
          "weir_upstream_waiting",
          "Requests that wait for a connection to the service now.",
          UPSTREAM_WAITS);
  static final LoopCounter CHARGES_GIVEN_BACK =
      counter(
          "weir_charges_given_back",
          "Charges given back to requests that waited for a connection in vain.");

  static final Http2Figures HTTP2_CLIENTS = Http2Figures.declare("weir_http2_", "clients");
  static final Http2Figures HTTP2_SERVICES =
      Http2Figures.declare("weir_upstream_http2_", "the service");
  static final LoopCounter HANDSHAKES =
      counter(
          "weir_tls_handshakes",
          "TLS handshakes with clients, by outcome.",
          "outcome",
          Handshake.values());
  static final LoopCounter UPSTREAM_HANDSHAKES =
      counter(
          "weir_upstream_tls_handshakes",
          "TLS handshakes with the service, by outcome.",
          "outcome",
          Handshake.values());

  static final LoopCounter STORE_BATCHES =
      ofStore("batches", "Calls of the script, each for a batch of checks.");
  static final LoopCounter STORE_CHECKS =
      ofStore("checks", "Checks in those batches: budgets that were asked about.");
  static final LoopCounter STORE_REQUESTS =
      ofStore("requests", "Requests that those checks stood for.");
  static final LoopCounter STORE_LATE_ANSWERS =
      ofStore("late_answers", "Batches that were answered after their deadline.");
  static final LoopCounter STORE_ERRORS =
      ofStore("errors", "Batches that the server answered with an error.");
  static final LoopCounter STORE_RESENT =
      ofStore("resent", "Batches sent again: with the script's source, or to a slot's new owner.");
  static final LoopCounter STORE_CONNECTS = ofStore("connects", "Connections opened.");
  static final LoopCounter STORE_CONNECT_FAILURES =
      ofStore("connect_failures", "Connections that could not be opened.");
  static final LoopCounter STORE_DEBTS_CHARGED =
      ofStore(
          "debts_charged",
          "Requests that passed undecided, and were charged later; not those over by then.");
  static final LoopCounter STORE_DEBTS_FORGOTTEN =
      ofStore(
          "debts_forgotten", "Requests that passed undecided, and for which there was no room.");
  static final LoopCounter STORE_REFUNDS =
      ofStore("refunds", "Charges given back, as the request did not pass.");
  static final LoopCounter STORE_REFUNDS_LOST =
      ofStore("refunds_lost", "The same, but the store could not be reached: they stay.");
  static final LoopCounter STORE_REFUSED_BY_PROOF =
      ofStore("refused_by_proof", "Requests refused here by the store's last answer.");
  static final LoopCounter STORE_FALLBACK_ALLOWED =
      ofStore("fallback_allowed", "Requests passed by on-store-failure.");
  static final LoopCounter STORE_FALLBACK_REFUSED =
      ofStore("fallback_refused", "Requests refused by on-store-failure.");
  static final LoopCounter STORE_UNDECIDED =
      counter(
          STORE + "undecided",
          "Requests on which the store gave no decision, by reason.",
          "reason",
          StoreFault.values());

  static final LoopCounter LEASE_UNITS_KEPT =
      ofStore("lease_units_kept", "Units that the store gave to keep.");
  static final LoopCounter LEASE_UNITS_USED =
      ofStore("lease_units_used", "Kept units that requests have used.");
  static final LoopCounter LEASE_UNITS_GIVEN_BACK =
      ofStore("lease_units_given_back", "Kept units that nobody used, given back.");
  static final LoopCounter LEASE_UNITS_DIED =
      ofStore(
          "lease_units_died",
          "Kept units that could neither be used nor given back: their budget was reset or its"
              + " limit changed, or its server became another one or was not to be reached.");
  static final LoopCounter LEASE_ASKS =
      counter(
          STORE + "lease_asks",
          "Asks for units to keep, by whether a request needed one at once.",
          "kind",
          List.of("needed", "ahead"));
  static final LoopCounter LEASE_ADMISSIONS =
      counter(
          STORE + "lease_decisions",
          "Decisions of mode leased, by where they came from: what was in hand, the store, or"
              + " the time between two asks of a budget that had run out.",
          "by",
          List.of("hand", "store", "spacing"));

  static final LoopCounter LEASE_WAITS =
      counter(
          STORE + "lease_waits",
          "Requests that waited for an ask under way, by whether it brought what they cost; the"
              + " others asked for themselves.",
          "outcome",
          List.of("served", "in_vain"));

  static final LoopCounter DECISION_CONNECTIONS =
      ofDecisions("connections", "Connections of programs that ask.");
  static final OpenGauge DECISION_CONNECTIONS_OPEN =
      open(
          DECISIONS + "connections_open",
          "Connections of programs that ask open now.",
          DECISION_CONNECTIONS);
  static final LoopCounter DECISION_CONNECTIONS_REFUSED =
      ofDecisions("connections_refused", "Connections of programs turned away at the door.");
  static final LoopCounter DECISION_HANDSHAKES =
      counter(
          DECISIONS + "tls_handshakes",
          "TLS handshakes with programs that ask, by outcome.",
          "outcome",
          Handshake.values());
  static final LoopCounter DECISION_CALLS =
      counter(
          DECISIONS + "calls",
          "Calls and requests of programs that ask, by what they ask.",
          "call",
          DecisionCall.values());
  static final LoopCounter DECISION_STATUSES =
      counter(
          DECISIONS + "statuses",
          "What those calls were answered with, by gRPC's names, or what comes nearest.",
          "status",
          STATUSES);
  static final LoopCounter DECISION_REFUSALS =
      counter(
          DECISIONS + "refusals",
          "Requests of HTTP to the decision API that were none, by reason.",
          "reason",
          RefusalReason.values());
  static final LoopCounter DECISION_CLIENT_TIMES =
      ofDecisions("client_times", "Checks that told the time of their caller.");
  static final LoopCounter DECISION_CLIENT_SKEW_MILLISECONDS =
      ofDecisions(
          "client_skew_milliseconds", "How far those times were from ours, all of them together.");
  static final Http2Figures HTTP2_DECISIONS =
      Http2Figures.declare(DECISIONS + "http2_", "programs that ask");

  private LoopFigures() {}

  static LoopCounter counter(String name, String help) {
    return counter(name, help, null, List.of());
  }

  private static LoopCounter ofStore(String name, String help) {
    return counter(STORE + name, help);
  }

  private static LoopCounter ofDecisions(String name, String help) {
    return counter(DECISIONS + name, help);
  }

  static LoopCounter counter(String name, String help, String label, Enum<?>[] values) {
    return counter(name, help, label, Arrays.stream(values).map(LabelText::of).toList());
  }

  static LoopCounter counter(String name, String help, String label, List<String> values) {
    LoopCounter counter = new LoopCounter(name, help, label, values, wordCount);
    wordCount += counter.wordCount();
    COUNTERS.add(counter);
    return counter;
  }

  static OpenGauge open(String name, String help, LoopCounter begun) {
    OpenGauge gauge = new OpenGauge(name, help, begun, wordCount++);
    GAUGES.add(gauge);
    return gauge;
  }

  /** A row in which one event loop counts all of them. */
  static Counters newRow() {
    return new Counters(wordCount);
  }

  static List<LoopCounter> counters() {
    return List.copyOf(COUNTERS);
  }

  static List<OpenGauge> gauges() {
    return List.copyOf(GAUGES);
  }

  /** Whether a figure is about the decision API, and exposed only where there is one. */
  static boolean isOfDecisions(String name) {
    return name.startsWith(DECISIONS);
  }

  /** Whether a figure is about the store, and exposed only where there is one. */
  static boolean isOfStore(LoopCounter counter) {
    return counter.name().startsWith(STORE);
  }
}
