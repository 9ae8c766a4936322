package dev.weir.proxy.web;

import dev.weir.proxy.metrics.LatencyStep;
import java.util.Arrays;
import java.util.stream.Collectors;

/** The page that lists the others. */
final class IndexPage {
  private static final String STEPS =
      Arrays.stream(LatencyStep.values())
          .map(LatencyStep::label)
          .map(label -> "<a href=\"/latency/" + label + ".hgrm\">" + label + "</a>")
          .collect(Collectors.joining(",\n"));

  static final String HTML =
      PageStyle.HEAD
          + """
            <title>Weir</title>
            </head>
            <body>
            <main>
            <h1>Weir</h1>
            <dl>
            <dt><a href="/latency">/latency</a></dt>
            <dd>Percentiles of each step of a request, as a page or as text. Whole distributions for plotting:
            """
          + STEPS
          + """
            .</dd>
            <dt><a href="/latency.hlog">/latency.hlog</a></dt>
            <dd>The last five minutes as an interval log, for HdrHistogram's tools.</dd>
            <dt>/explain?path=/orders&amp;header=x-user-id:7</dt>
            <dd>Which rule a request has and why, its identities, and what is left of its limits. Charges nothing.</dd>
            <dt><a href="/metrics">/metrics</a></dt>
            <dd>Every counter, for Prometheus and OpenMetrics scrapers.</dd>
            <dt><a href="/livez">/livez</a>, <a href="/healthz">/healthz</a></dt>
            <dd>200 while the process lives, 503 while an event loop has been stuck for seconds.</dd>
            <dt><a href="/readyz">/readyz</a></dt>
            <dd>200 while it takes traffic, 503 before that and while it drains.</dd>
            </dl>
            </main>
            </body>
            </html>
            """;

  private IndexPage() {}
}
