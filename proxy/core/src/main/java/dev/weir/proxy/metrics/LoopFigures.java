package dev.weir.proxy.metrics;

import dev.weir.proxy.request.CostFault;
import dev.weir.proxy.request.DecisionCall;
import dev.weir.proxy.request.GrpcStatus;
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
 * The counters and gauges that event loops keep, each declared once with its name, help text and
 * label, which give it its place in a loop's row of {@link Counters}. {@link LoopMetrics}, {@link
 * Http2Metrics} and {@link StoreMetrics} count them; {@link WeirCollector} exposes all of them.
 */
final class LoopFigures {
  private static final List<LoopCounter> COUNTERS = new ArrayList<>();
  private static final List<OpenGauge> GAUGES = new ArrayList<>();
  private static final String STORE = "weir_store_";
  private static final String DECISIONS = "weir_decision_";
  private static int wordCount;

  static final LoopCounter CONNECTIONS = counter("weir_connections", "Client connections.");
  static final OpenGauge CONNECTIONS_OPEN =
      open("weir_connections_open", "Client connections open now.", CONNECTIONS);
  static final LoopCounter CONNECTIONS_REFUSED =
      counter("weir_connections_refused", "Client connections refused before a request was read.");
  static final LoopCounter PROXY_HEADERS_REFUSED =
      counter(
          "weir_proxy_headers_refused",
          "Client connections closed because they did not begin with a valid PROXY header"
              + " of a trusted proxy, by reason.",
          "reason",
          ProxyHeaderFault.values());

  static final LoopCounter REQUESTS = counter("weir_requests", "Requests begun.");
  static final OpenGauge REQUESTS_IN_FLIGHT =
      open("weir_requests_in_flight", "Requests in flight.", REQUESTS);
  static final LoopCounter REQUESTS_BY_PROTOCOL =
      counter(
          "weir_protocol_requests", "Requests begun, by protocol.", "protocol", Protocol.values());
  static final LoopCounter REQUESTS_HELD =
      counter("weir_requests_held", "Requests held until their slot in a queue (overflow: queue).");
  static final OpenGauge REQUESTS_WAITING =
      open(
          "weir_requests_waiting", "Requests held in queues now (overflow: queue).", REQUESTS_HELD);
  static final LoopCounter REFUSALS =
      counter(
          "weir_refusals",
          "Requests answered by Weir instead of the service, by reason.",
          "reason",
          RefusalReason.values());
  static final LoopCounter LISTED =
      counter(
          "weir_listed",
          "Requests and checks of addresses that a list names, by the list that decided.",
          "list",
          List.of("allow", "block"));
  static final LoopCounter RESPONSES =
      counter(
          "weir_responses",
          "Responses of the service that were forwarded completely, by status class.",
          "class",
          List.of("other", "1xx", "2xx", "3xx", "4xx", "5xx"));
  static final LoopCounter RESPONSES_UNREAD =
      counter(
          "weir_responses_unread",
          "HTTP/1.1 connections reset because the client did not read its responses.");
  static final LoopCounter VERDICTS_DROPPED =
      counter("weir_verdicts_dropped", "Decisions that came after their request had ended.");
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
          "Connections to a service of HTTP/2 that Weir replaced, by cause.",
          "cause",
          ReplacementCause.values());
  static final LoopCounter UPSTREAM_STREAMS =
      counter(
          "weir_upstream_streams",
          "Exchanges that counted as long-lived (caps.upstream-streams): tunnels,"
              + " server-sent events, and slow exchanges.");
  static final OpenGauge UPSTREAM_STREAMS_OPEN =
      open(
          "weir_upstream_streams_open",
          "Long-lived exchanges in flight now (caps.upstream-streams).",
          UPSTREAM_STREAMS);
  static final LoopCounter UPSTREAM_WAITS =
      counter("weir_upstream_waits", "Requests that had to wait for a connection to the service.");
  static final OpenGauge UPSTREAM_WAITING =
      open(
          "weir_upstream_waiting",
          "Requests that wait for a connection to the service now.",
          UPSTREAM_WAITS);
  static final LoopCounter COST_HEADERS_MISREAD =
      counter(
          "weir_cost_headers_misread",
          "Headers that would say a request's cost, and did not.",
          "fault",
          CostFault.values());
  static final LoopCounter HOLDINGS =
      counter("weir_holdings", "Requests that held units of a limit until they ended.");
  static final OpenGauge HOLDINGS_OPEN =
      open("weir_holdings_open", "Requests that hold units of a limit now.", HOLDINGS);
  static final LoopCounter HOLDINGS_UNKNOWN =
      counter(
          "weir_holdings_unknown",
          "Ends of requests whose units had been released before; each is a fault of Weir.");
  static final LoopCounter COSTS_MISSING =
      counter(
          "weir_costs_missing",
          "Costs that should have been read from an exchange and were not (missing).");
  static final LoopCounter UNITS_UNCOLLECTED =
      counter(
          "weir_units_uncollected",
          "Units of a cost that were not charged: more than what was held and a whole budget.");
  static final LoopCounter CHARGES_GIVEN_BACK =
      counter(
          "weir_charges_given_back",
          "Charges returned because the request got no connection to the service.");

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
      ofStore("batches", "Calls of the script in Redis, each with a batch of checks.");
  static final LoopCounter STORE_CHECKS =
      ofStore(
          "checks",
          "Checks and refunds in calls of the script;"
              + " requests for the same budgets can share a check.");
  static final LoopCounter STORE_REQUESTS =
      ofStore("requests", "Requests in calls of the script; one check may stand for several.");
  static final LoopCounter STORE_LATE_ANSWERS =
      ofStore(
          "late_answers",
          "Calls of the script that were answered after the deadline of a request in them.");
  static final LoopCounter STORE_ERRORS =
      ofStore(
          "errors",
          "Calls of the script that Redis answered with an error and that were not sent again.");
  static final LoopCounter STORE_RESENT =
      ofStore(
          "resent",
          "Calls of the script sent again: with the script's source, or to a slot's new owner.");
  static final LoopCounter STORE_CONNECTS = ofStore("connects", "Connections to Redis opened.");
  static final LoopCounter STORE_CONNECT_FAILURES =
      ofStore("connect_failures", "Connections to Redis that could not be opened.");
  static final LoopCounter STORE_DEBTS_CHARGED =
      ofStore(
          "debts_charged",
          "Requests that passed undecided and were charged later;"
              + " not those whose window was over by then.");
  static final LoopCounter STORE_DEBTS_FORGOTTEN =
      ofStore(
          "debts_forgotten",
          "Requests that passed undecided and were not charged later"
              + " because too many budgets had to be remembered.");
  static final LoopCounter STORE_HELD_KEYS =
      ofStore("held_keys", "Keys of which requests began to hold units in the store.");
  static final OpenGauge STORE_HELD_KEYS_OPEN =
      open(
          STORE + "held_keys_open",
          "Keys of which the store may have a record of units that this sidecar holds.",
          STORE_HELD_KEYS);
  static final LoopCounter STORE_HOLDS_WITHOUT_PLACE =
      ofStore(
          "holds_without_place",
          "Requests that could hold no units in the store, as too many keys were in use.");
  static final LoopCounter STORE_HOLD_MESSAGES =
      counter(
          STORE + "hold_messages",
          "Messages about units that are held, by why they were sent.",
          "reason",
          HoldMetrics.Message.values());
  static final LoopCounter STORE_HOLD_UNITS_KEPT =
      ofStore(
          "hold_units_kept",
          "Units that came into hand for requests to come: from the store, or from requests that"
              + " had ended (mode leased).");
  static final OpenGauge STORE_HOLD_UNITS_IN_HAND =
      open(
          STORE + "hold_units_in_hand",
          "Units in hand for requests that will hold them (mode leased).",
          STORE_HOLD_UNITS_KEPT);
  static final LoopCounter STORE_HOLDS_ENDED =
      ofStore("holds_ended", "Ends of requests that held units in the store.");
  static final OpenGauge STORE_HOLDS_ENDED_OPEN =
      open(
          STORE + "holds_ended_open",
          "Ends of requests that the store has not been told yet, or has not confirmed.",
          STORE_HOLDS_ENDED);
  static final LoopCounter STORE_HOLDS_FORGOTTEN =
      ofStore(
          "holds_forgotten",
          "Records of held units that the store did not have any more: expired, or lost with a"
              + " failover.");
  static final LoopCounter STORE_REFUNDS =
      ofStore(
          "refunds",
          "Charges returned to the store: of requests that did not pass,"
              + " and of unused leased units.");
  static final LoopCounter STORE_REFUNDS_LOST =
      ofStore("refunds_lost", "Charges that could not be returned to the store, and stay.");
  static final LoopCounter STORE_REFUSED_BY_PROOF =
      ofStore(
          "refused_by_proof",
          "Requests refused without asking, by a remembered refusal of the store.");
  static final LoopCounter STORE_FALLBACK_ALLOWED =
      ofStore("fallback_allowed", "Requests that on-store-failure let pass.");
  static final LoopCounter STORE_FALLBACK_REFUSED =
      ofStore("fallback_refused", "Requests that on-store-failure refused.");
  static final LoopCounter STORE_UNDECIDED =
      counter(
          STORE + "undecided",
          "Requests on which the store gave no decision, by reason.",
          "reason",
          StoreFault.values());

  static final LoopCounter LEASE_UNITS_KEPT =
      ofStore("lease_units_kept", "Units that the store leased to this sidecar.");
  static final LoopCounter LEASE_UNITS_USED =
      ofStore("lease_units_used", "Leased units that requests have used.");
  static final LoopCounter LEASE_UNITS_GIVEN_BACK =
      ofStore("lease_units_given_back", "Leased units that were returned unused.");
  static final LoopCounter LEASE_UNITS_DIED =
      ofStore(
          "lease_units_died",
          "Leased units that could be neither used nor returned: their budget was reset,"
              + " its limit changed, its server was replaced or could not be reached, or their"
              + " lease had ended when the request that took them was refused.");
  static final LoopCounter LEASE_ASKS =
      counter(
          STORE + "lease_asks",
          "Requests to the store for a lease: with a request that needed a unit (needed),"
              + " or before one did (ahead).",
          "kind",
          List.of("needed", "ahead"));
  static final LoopCounter LEASE_ADMISSIONS =
      counter(
          STORE + "lease_decisions",
          "Decisions of mode leased: by leased units at once (hand), by the store or a lease"
              + " that it gave meanwhile (store), or refused between two requests for a lease"
              + " (spacing).",
          "by",
          List.of("hand", "store", "spacing"));

  static final LoopCounter LEASE_WAITS =
      counter(
          STORE + "lease_waits",
          "Requests that waited for a lease that was already requested, by whether it had"
              + " enough units for them.",
          "outcome",
          List.of("served", "in_vain"));

  static final LoopCounter DECISION_CONNECTIONS =
      ofDecisions("connections", "Connections of callers.");
  static final OpenGauge DECISION_CONNECTIONS_OPEN =
      open(
          DECISIONS + "connections_open", "Connections of callers open now.", DECISION_CONNECTIONS);
  static final LoopCounter DECISION_CONNECTIONS_REFUSED =
      ofDecisions(
          "connections_refused", "Connections of callers refused before a request was read.");
  static final LoopCounter DECISION_HANDSHAKES =
      counter(
          DECISIONS + "tls_handshakes",
          "TLS handshakes with callers, by outcome.",
          "outcome",
          Handshake.values());
  static final LoopCounter DECISION_CALLS =
      counter(
          DECISIONS + "calls",
          "Calls of the decision API, over gRPC and HTTP, by method.",
          "call",
          DecisionCall.values());
  static final LoopCounter DECISION_STATUSES =
      counter(
          DECISIONS + "statuses",
          "Calls of the decision API by gRPC status; of HTTP by the status that corresponds.",
          "status",
          GrpcStatus.values());
  static final LoopCounter DECISION_REFUSALS =
      counter(
          DECISIONS + "refusals",
          "HTTP requests that the decision API refused as malformed or over a bound, by reason.",
          "reason",
          RefusalReason.values());
  static final LoopCounter DECISION_CLIENT_TIMES =
      ofDecisions("client_times", "Checks that had client_time.");
  static final LoopCounter DECISION_CLIENT_SKEW_MILLISECONDS =
      ofDecisions(
          "client_skew_milliseconds",
          "Sum of the differences between client_time and Weir's clock.");
  static final Http2Figures HTTP2_DECISIONS = Http2Figures.declare(DECISIONS + "http2_", "callers");

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
