package dev.weir.proxy.web;

/** The look of all pages: in light or dark as the reader's system is, on any width. */
final class PageStyle {
  /** The text before a page's own title. */
  static final String HEAD =
      """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <style>
      :root { color-scheme: light dark; }
      body { font: 16px/1.6 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; }
      dt { margin-top: 1rem; font-family: ui-monospace, monospace; }
      dd { margin: 0; }
      </style>
      """;

  private PageStyle() {}
}
