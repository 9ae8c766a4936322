package dev.weir.proxy.metrics;

import io.prometheus.metrics.expositionformats.ExpositionFormatWriter;
import io.prometheus.metrics.expositionformats.ExpositionFormats;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** The registry as text: OpenMetrics for whoever accepts it, else Prometheus's own. */
public final class Exposition {
  private final PrometheusRegistry registry;
  private final ExpositionFormatWriter text;
  private final ExpositionFormatWriter openMetrics;

  Exposition(PrometheusRegistry registry) {
    this.registry = registry;
    ExpositionFormats formats = ExpositionFormats.init();
    text = formats.getPrometheusTextFormatWriter();
    openMetrics = formats.getOpenMetricsTextFormatWriter();
  }

  Page write(String accept) {
    ExpositionFormatWriter writer = openMetrics.accepts(accept) ? openMetrics : text;
    ByteArrayOutputStream body = new ByteArrayOutputStream(16 << 10);
    try {
      writer.write(body, registry.scrape());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    return new Page(writer.getContentType(), body.toByteArray());
  }

  /** The text that a scraper gets, and its type. */
  public record Page(String contentType, byte[] body) {}
}
