package dev.weir.bench.accuracy;

import java.util.Locale;

/**
 * The figures that matter as one self-contained SVG: four panels, one below the other, so that it
 * reads on a telephone too; light or dark as the reader prefers.
 */
final class Picture {
  static final double WIDTH = 520;
  static final double LEFT = 20;
  static final double RIGHT = WIDTH - 20;

  /** Where bars and axes begin; to the left of it stand names. */
  static final double PLOT_LEFT = 182;

  /** Width of the picture in pixels, where there is room for it. */
  private static final double SHOWN_WIDTH = 624;

  private static final double TITLE_HEIGHT = 26;
  private static final double SUBTITLE_HEIGHT = 19;
  private static final double GAP = 44;

  private static final String HEAD =
      """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 520 %d" width="624" height="%d"
        role="img" aria-labelledby="t d">
      <title id="t">Accuracy of rate-limiting algorithms beside an exact log</title>
      <desc id="d">%s</desc>
      <style>
      svg { display: block; max-width: 100%%; height: auto; margin: 0 auto;
        background: var(--ground);
        font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif;
        --ground: #ffffff; --ink: #1c2024; --soft: #5b6570; --rule: #d9dee3; --within: #b9c2cb;
        --allowed: #c2500a; --refused: #2368b0; }
      @media (prefers-color-scheme: dark) { svg {
        --ground: #10151b; --ink: #e7ecf1; --soft: #a0aab5; --rule: #343c45; --within: #55606c;
        --allowed: #f39a55; --refused: #6db1f5; } }
      .ground { fill: var(--ground); }
      .title { fill: var(--ink); font-size: 18px; font-weight: 600; }
      .ink { fill: var(--ink); font-size: 14px; } .soft { fill: var(--soft); font-size: 14px; }
      .rule { stroke: var(--rule); } .mark { stroke: var(--ink); stroke-dasharray: 5 4; }
      .within { fill: var(--within); } .allowed { fill: var(--allowed); }
      .refused { fill: var(--refused); }
      .many { fill: var(--allowed); } .many-line { stroke: var(--allowed); stroke-width: 2.5; }
      .one { fill: var(--refused); } .one-line { stroke: var(--refused); stroke-width: 2.5; }
      .theirs { fill: none; stroke: var(--ink); stroke-width: 2; }
      </style>
      """;

  private static final String DESCRIPTION =
      "Four panels: the share of wrong decisions by algorithm; the most that each lets pass within"
          + " one window when flooded; published figures beside ours; wrong decisions of the"
          + " sliding counter by load. The same figures are in the tables of the report.";

  private final Results results;
  private final Svg svg = new Svg();
  private double top = 20;

  Picture(Results results) {
    this.results = results;
  }

  /** The file's content. */
  String svg() {
    title(
        "Decided otherwise than an exact log",
        "% of requests, beside the log of what each admitted itself;",
        "Poisson traffic exactly at the limit, 100 per second");
    top = BarPanels.wrong(svg, top, results) + GAP;
    title(
        "Most admitted within one second, limit 100",
        "the limit just before an edge, then a flood; \"early\": how much",
        "sooner than the exact log at worst, in % of the window");
    top = BarPanels.worst(svg, top, results) + GAP;
    title("Published, and here", "in %; circle and first figure: published; dot and second: here");
    top = PublishedPanel.draw(svg, top, results) + GAP;
    title(
        "Sliding counter: who is near the limit?",
        "% of requests decided wrongly (as a meter), by the load of",
        "the busiest key; limit 100 per minute, Poisson");
    top = CurvePanel.draw(svg, top, results);
    final long height = Math.round(top + LEFT);
    return String.format(
            Locale.ROOT, HEAD, height, Math.round(height * SHOWN_WIDTH / WIDTH), DESCRIPTION)
        + "<rect class=\"ground\" width=\"520\" height=\""
        + height
        + "\"/>\n"
        + svg
        + "</svg>\n";
  }

  private void title(String title, String... subtitles) {
    top += TITLE_HEIGHT - 8;
    svg.text(LEFT, top, "title", title);
    for (String subtitle : subtitles) {
      top += SUBTITLE_HEIGHT;
      svg.text(LEFT, top, "soft", subtitle);
    }
    top += 14;
  }
}
