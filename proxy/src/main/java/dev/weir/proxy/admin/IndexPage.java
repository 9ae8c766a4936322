package dev.weir.proxy.admin;

/** The page that lists the others; in light or dark as the reader's system is. */
final class IndexPage {
  static final String HTML =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <title>Weir</title>
      <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
      dt { margin-top: 1rem; font-family: ui-monospace, monospace; }
      dd { margin: 0; }
      </style>
      </head>
      <body>
      <main>
      <h1>Weir</h1>
      <dl>
      <dt><a href="/latency">/latency</a></dt>
      <dd>Percentiles of decision, upstream, overhead and total time. Whole distributions for plotting:
      <a href="/latency/decision.hgrm">decision</a>,
      <a href="/latency/upstream.hgrm">upstream</a>,
      <a href="/latency/overhead.hgrm">overhead</a>,
      <a href="/latency/total.hgrm">total</a>.</dd>
      <dt><a href="/metrics">/metrics</a></dt>
      <dd>Every counter, for Prometheus and OpenMetrics scrapers.</dd>
      <dt><a href="/healthz">/healthz</a></dt>
      <dd>200 while the process lives.</dd>
      <dt><a href="/readyz">/readyz</a></dt>
      <dd>200 while it takes traffic, 503 before that and while it drains.</dd>
      </dl>
      </main>
      </body>
      </html>
      """;

  private IndexPage() {}
}
