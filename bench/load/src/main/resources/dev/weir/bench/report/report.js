"use strict";
// Draws the charts of the page from the data in it. Works from a file, and asks for nothing.
(() => {
  const root = document.documentElement;
  window.addEventListener("error", (event) => {
    root.dataset.error = event.message;
  });

  const runs = JSON.parse(document.getElementById("runs").textContent);
  const single = runs.length === 1;
  // Columns of a part of a run.
  const [START, END, DUE, SENT, PASSED, REFUSED, FAILED, P50] = [0, 1, 2, 3, 4, 5, 6, 7];
  const PERCENTILES = ["p50", "p90", "p99", "p99.9", "max"];
  const DASHES = [[], [7, 4], [10, 3, 2, 3], [2, 3], [14, 4], [5, 2], [2, 6], [8, 2, 2, 2, 2, 2]];
  const AXIS_WIDTH = 72;
  // Of a character of a label, with room.
  const LABEL_PX = 7;
  const charts = [];

  const byId = (id) => document.getElementById(id);
  const colour = (name) => getComputedStyle(root).getPropertyValue("--" + name).trim();

  function element(parent, name, attributes, text) {
    const made = document.createElement(name);
    Object.entries(attributes).forEach(([key, value]) => made.setAttribute(key, value));
    made.textContent = text || "";
    parent.append(made);
    return made;
  }

  function figure(value) {
    if (value === null || value === undefined) {
      return "–";
    }
    const size = Math.abs(value);
    const decimals =
      size >= 99.95 || size === 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : size >= 0.09995 ? 3 : 4;
    return value.toLocaleString("en", {
      minimumFractionDigits: decimals,
      maximumFractionDigits: decimals,
    });
  }

  // One below the other, the charts show the same time at the same place.
  const alignLeft = (scale) => {
    scale.width = AXIS_WIDTH;
  };

  // Ticks say no more digits than they need.
  const tick = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });
  const seconds = (value) => value.toLocaleString("en", { maximumFractionDigits: 3 });

  function percentile(x) {
    const percent = 100 - 100 / x;
    return x >= 1e6 ? percent.toFixed(5) : x >= 1e4 ? percent.toFixed(3) : percent.toFixed(2);
  }

  // ---- axes

  function logTicks(scale) {
    const decades = Math.log10(scale.max / scale.min);
    const room = scale.chart.height / decades;
    const steps = room > 200 ? [1, 1.5, 2, 3, 5, 7] : room > 70 ? [1, 2, 5] : [1];
    const ticks = [];
    for (let power = Math.floor(Math.log10(scale.min)); power <= Math.log10(scale.max); power++) {
      steps.forEach((step) => {
        const value = step * 10 ** power;
        if (value >= scale.min * 0.999 && value <= scale.max * 1.001) {
          ticks.push({ value });
        }
      });
    }
    scale.ticks = ticks;
  }

  function latencyAxis(logarithmic, range) {
    const axis = {
      type: logarithmic ? "logarithmic" : "linear",
      title: { display: true, text: "ms" },
      ticks: { callback: tick },
      afterFit: alignLeft,
    };
    if (logarithmic) {
      axis.min = range.min;
      axis.max = range.max;
      axis.afterBuildTicks = logTicks;
      axis.ticks.autoSkip = false;
    } else {
      axis.beginAtZero = true;
      axis.ticks.maxTicksLimit = 9;
    }
    return axis;
  }

  const timeAxis = (end) => ({
    type: "linear",
    min: 0,
    max: end,
    title: { display: true, text: "s" },
    ticks: { callback: tick, maxRotation: 0, autoSkipPadding: 12 },
  });

  function percentileTick(x) {
    const nines = Math.max(0, Math.round(Math.log10(x)) - 2);
    return x < 10 ? String(100 - 100 / x) : (100 - 100 / x).toFixed(nines);
  }

  const percentileAxis = (most) => ({
    type: "logarithmic",
    min: 1,
    max: Math.max(100, most),
    title: { display: true, text: "percentile" },
    afterBuildTicks: (scale) => {
      const decadePx = (scale.chart.width - AXIS_WIDTH) / Math.log10(scale.max);
      const kept = [];
      // The tens before the others; what would touch one that is there is left out.
      const wanted = [1];
      for (let x = 10; x <= scale.max * 1.001; x *= 10) {
        wanted.push(x);
      }
      [...wanted, 2, 4].forEach((x) => {
        const px = (other) => Math.abs(Math.log10(x / other)) * decadePx;
        const chars = (other) => (percentileTick(x).length + percentileTick(other).length) / 2 + 1;
        if (kept.every((other) => px(other) > chars(other) * LABEL_PX)) {
          kept.push(x);
        }
      });
      scale.ticks = kept.sort((x, y) => x - y).map((value) => ({ value }));
    },
    ticks: {
      maxRotation: 0,
      autoSkip: false,
      callback: percentileTick,
    },
  });

  /** The values' range, with some room and never empty. */
  function logRange(values) {
    const positive = values.filter((value) => value > 0);
    const min = Math.min(...positive);
    const max = Math.max(...positive);
    const middle = Math.sqrt(min * max);
    return {
      min: Math.min(min / 1.15, middle / 1.6),
      max: Math.max(max * 1.15, middle * 1.6),
    };
  }

  // ---- charts

  function theme(chart) {
    const { scales } = chart.options;
    Object.values(scales).forEach((scale) => {
      scale.grid = { ...scale.grid, color: colour("line"), tickColor: colour("line") };
      scale.border = { color: colour("line") };
      scale.ticks.color = colour("muted");
      if (scale.title) {
        scale.title.color = colour("muted");
      }
    });
    chart.data.datasets.forEach((dataset) => {
      dataset.borderColor = colour(dataset.tone);
      dataset.backgroundColor = colour(dataset.fillTone || dataset.tone);
      dataset.pointHoverBackgroundColor = colour(dataset.tone);
    });
    Object.assign(chart.options.plugins.tooltip, {
      backgroundColor: colour("card"),
      borderColor: colour("line"),
      titleColor: colour("ink"),
      bodyColor: colour("ink"),
      footerColor: colour("muted"),
    });
  }

  function draw(id, type, datasets, scales, title, unit) {
    const canvas = byId(id);
    const chart = new Chart(canvas, {
      type,
      data: { datasets },
      options: {
        scales,
        plugins: {
          tooltip: {
            borderWidth: 1,
            callbacks: {
              title: (items) => (items.length ? title(items[0]) : ""),
              label: (item) => ` ${item.dataset.label}: ${figure(item.dataset.own(item))} ${unit}`,
              labelColor: (item) => ({
                borderColor: colour(item.dataset.tone),
                backgroundColor: colour(item.dataset.tone),
              }),
            },
          },
        },
      },
    });
    theme(chart);
    chart.update("none");
    charts.push(chart);
    canvas.addEventListener("keydown", (event) => step(chart, event));
    canvas.addEventListener("blur", () => point(chart, null));
    return chart;
  }

  // The arrows move what the mouse would point at.
  function step(chart, event) {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    const count = Math.max(0, ...chart.data.datasets.map((dataset) => dataset.data.length));
    if (!by || count === 0) {
      return;
    }
    event.preventDefault();
    const [active] = chart.tooltip.getActiveElements();
    const from = active ? active.index : by > 0 ? -1 : count;
    point(chart, Math.min(count - 1, Math.max(0, from + by)));
  }

  function point(chart, index) {
    const active = [];
    chart.data.datasets.forEach((dataset, datasetIndex) => {
      if (index !== null && index < dataset.data.length && chart.isDatasetVisible(datasetIndex)) {
        active.push({ datasetIndex, index });
      }
    });
    chart.setActiveElements(active);
    chart.tooltip.setActiveElements(active, { x: 0, y: 0 });
    chart.update("none");
  }

  function swatch(dataset) {
    const dash = (dataset.borderDash || []).join(" ");
    const filled = dataset.fillTone
      ? `<rect width="22" height="10" y="1" fill="var(--${dataset.fillTone})"/>`
      : "";
    return (
      `<svg width="22" height="12" aria-hidden="true">${filled}` +
      `<line x1="0" x2="22" y1="6" y2="6" stroke="var(--${dataset.tone})" stroke-width="2.5" ` +
      `stroke-dasharray="${dash}"/></svg>`
    );
  }

  function legend(id, chart, onToggle = () => {}) {
    const place = byId(id + "-legend");
    place.replaceChildren();
    chart.data.datasets.forEach((dataset, index) => {
      const button = element(place, "button", { type: "button", "aria-pressed": "true" });
      button.innerHTML = swatch(dataset);
      button.append(dataset.label);
      button.addEventListener("click", () => {
        const visible = !chart.isDatasetVisible(index);
        chart.setDatasetVisibility(index, visible);
        onToggle();
        chart.update("none");
        button.setAttribute("aria-pressed", String(visible));
      });
    });
  }

  function logSwitch(id, chart, range) {
    const label = element(byId(id + "-controls"), "label", {});
    const box = element(label, "input", { type: "checkbox" });
    box.checked = true;
    label.append("logarithmic ms");
    box.addEventListener("change", () => {
      chart.options.scales.y = latencyAxis(box.checked, range);
      theme(chart);
      chart.update("none");
    });
  }

  function choice(id, label, options, chosen, onChange) {
    const wrapper = element(byId(id + "-controls"), "label", {}, label);
    const select = element(wrapper, "select", {});
    options.forEach((option, index) => {
      element(select, "option", { value: index }, option).selected = index === chosen;
    });
    select.addEventListener("change", () => onChange(Number(select.value)));
  }

  const line = (label, tone, data, more) => ({
    stepped: data.length > 0 && data[0].part ? "middle" : false,
    label,
    tone,
    data,
    own: (item) => item.parsed.y,
    // One point makes no line.
    pointRadius: data.length === 1 ? 3 : 0,
    ...more,
  });

  const tones = (index) => ({ tone: "s" + (index + 1), dash: DASHES[index] });
  const middle = (part) => (part[START] + part[END]) / 2;
  const end = Math.max(0, ...runs.flatMap((run) => run.parts.map((part) => part[END])));

  /** Whether nothing is between a part and the next: an idle sidecar logs nothing. */
  function touch(part, next) {
    return next[START] - part[END] < (part[END] - part[START]) / 10;
  }

  /** A point in the middle of each part, and one at each edge where there is no neighbour. */
  function overTime(parts, value) {
    const ys = parts.map(value);
    const joined = (i) => ys[i] !== null && ys[i + 1] !== null && touch(parts[i], parts[i + 1]);
    return parts.flatMap((part, i) => {
      const y = ys[i];
      const points = [{ x: middle(part), y, part }];
      if (y !== null && (i === 0 || !joined(i - 1))) {
        points.unshift({ x: part[START], y, part });
      }
      if (y !== null && (i === parts.length - 1 || !joined(i))) {
        points.push({ x: part[END], y, part }, { x: part[END], y: null, part });
      }
      return points;
    });
  }

  const column = (run, index) => overTime(run.parts, (part) => part[index]);
  const partTitle = ({ raw }) => `${seconds(raw.part[START])} to ${seconds(raw.part[END])} s`;

  function curves() {
    const datasets = runs.flatMap((run, at) =>
      run.curves.map((curve, index) => {
        const { tone, dash } = tones(single ? index : at);
        const data = curve.points.map(([x, y]) => ({ x, y }));
        return line(single ? curve.label : run.name, tone, data, { borderDash: dash });
      })
    );
    const points = datasets.flatMap((dataset) => dataset.data);
    const range = logRange(points.map((at) => at.y));
    const most = Math.max(...points.map((at) => at.x));
    const scales = { x: percentileAxis(most), y: latencyAxis(true, range) };
    const title = (item) => `${percentile(item.parsed.x)} % of requests took at most`;
    const chart = draw("curves", "line", datasets, scales, title, "ms");
    legend("curves", chart);
    logSwitch("curves", chart, range);
  }

  function rateAxis() {
    return {
      beginAtZero: true,
      grace: "5%",
      title: { display: true, text: "per second" },
      ticks: { callback: tick, maxTicksLimit: 7 },
      afterFit: alignLeft,
    };
  }

  // Stacked by hand: the rate that was asked for is not one of those that add up.
  function ratesOfOne() {
    const [run] = runs;
    const kinds = run.counted
      ? [
          ["passed", PASSED],
          ["refused", REFUSED],
          ["failed", FAILED],
        ].filter(([, index]) => index === PASSED || run.parts.some((part) => part[index] > 0))
      : [["passed", PASSED]];
    const stacked = kinds.map(([kind, index]) =>
      line(run.counted ? kind : "recorded", kind, column(run, index), {
        fillTone: kind + "-fill",
        own: (item) => item.raw.part[index],
        borderWidth: 1.5,
      })
    );
    const datasets = [...stacked];
    // What is hidden does not hold up the others.
    const stack = (isVisible) => {
      const below = run.parts.map(() => 0);
      let under = "origin";
      stacked.forEach((dataset, at) => {
        if (isVisible(at)) {
          dataset.data = overTime(run.parts, (part, i) => {
            below[i] += part[kinds[at][1]];
            return below[i];
          });
          dataset.fill = under;
          under = at;
        }
      });
    };
    stack(() => true);
    if (run.counted) {
      const more = { borderDash: [6, 4], borderWidth: 1.5 };
      datasets.push(line("due", "ink", column(run, DUE), more));
    }
    const scales = { x: timeAxis(end), y: rateAxis() };
    const chart = draw("rates", "line", datasets, scales, partTitle, "/s");
    legend("rates", chart, () => stack((at) => chart.isDatasetVisible(at)));
  }

  function ratesOfSeveral() {
    const kinds = [
      ["answered", (part) => part[PASSED] + part[REFUSED]],
      ["refused", (part) => part[REFUSED]],
      ["failed", (part) => part[FAILED]],
      ["due", (part) => part[DUE]],
      ["sent", (part) => part[SENT]],
    ];
    const data = (run, kind) => overTime(run.parts, kinds[kind][1]);
    const datasets = runs.map((run, index) => {
      const { tone, dash } = tones(index);
      return line(run.name, tone, data(run, 0), { borderDash: dash });
    });
    const scales = { x: timeAxis(end), y: rateAxis() };
    const chart = draw("rates", "line", datasets, scales, partTitle, "/s");
    legend("rates", chart);
    choice("rates", "", kinds.map(([name]) => name), 0, (kind) => {
      chart.data.datasets.forEach((dataset, index) => {
        dataset.data = data(runs[index], kind);
      });
      chart.update("none");
    });
  }

  function errors() {
    const dataset = line("failed", "failed", column(runs[0], FAILED), {
      fillTone: "failed-fill",
      fill: "origin",
      borderWidth: 1.5,
    });
    const scales = { x: timeAxis(end), y: rateAxis() };
    scales.y.ticks.maxTicksLimit = 4;
    draw("errors", "line", [dataset], scales, partTitle, "/s");
    byId("errors-legend").remove();
  }

  function percentiles() {
    const range = logRange(
      runs.flatMap((run) => run.parts.flatMap((part) => part.slice(P50))).filter((ms) => ms !== null)
    );
    const chosen = 2;
    const datasets = single
      ? PERCENTILES.map((name, index) =>
          line(name, "p" + (index + 1), column(runs[0], P50 + index), {
            borderDash: index === PERCENTILES.length - 1 ? [3, 3] : [],
          })
        )
      : runs.map((run, index) => {
          const { tone, dash } = tones(index);
          return line(run.name, tone, column(run, P50 + chosen), { borderDash: dash });
        });
    const scales = { x: timeAxis(end), y: latencyAxis(true, range) };
    const chart = draw("percentiles", "line", datasets, scales, partTitle, "ms");
    legend("percentiles", chart);
    if (!single) {
      choice("percentiles", "", PERCENTILES, chosen, (index) => {
        chart.data.datasets.forEach((dataset, at) => {
          dataset.data = column(runs[at], P50 + index);
        });
        chart.update("none");
      });
    }
    logSwitch("percentiles", chart, range);
  }

  // ---- heat map

  function mixed(stops, share) {
    const at = Math.min(stops.length - 1.001, share * (stops.length - 1));
    const [from, to] = [stops[Math.floor(at)], stops[Math.floor(at) + 1]];
    const part = (i) => {
      const [a, b] = [from, to].map((hex) => parseInt(hex.slice(1 + 2 * i, 3 + 2 * i), 16));
      return Math.round(a + (b - a) * (at % 1));
    };
    return `rgb(${part(0)}, ${part(1)}, ${part(2)})`;
  }

  function cells(heat) {
    const made = [];
    heat.columns.forEach(([from, to, ...rows]) => {
      for (let i = 0; i < rows.length; i += 2) {
        made.push({
          from,
          to,
          low: heat.low * 10 ** (rows[i] / heat.perDecade),
          high: heat.low * 10 ** ((rows[i] + 1) / heat.perDecade),
          count: rows[i + 1],
        });
      }
    });
    return made;
  }

  function heatPlugin(all, most) {
    return {
      id: "heat",
      beforeDatasetsDraw(chart) {
        const { ctx, chartArea: area, scales } = chart;
        const stops = ["heat1", "heat2", "heat3", "heat4"].map(colour);
        ctx.save();
        ctx.beginPath();
        ctx.rect(area.left, area.top, area.width, area.height);
        ctx.clip();
        all.forEach((cell) => {
          const left = scales.x.getPixelForValue(cell.from);
          const right = scales.x.getPixelForValue(cell.to);
          const top = scales.y.getPixelForValue(cell.high);
          const bottom = scales.y.getPixelForValue(cell.low);
          ctx.fillStyle = mixed(stops, most > 1 ? Math.log(cell.count) / Math.log(most) : 1);
          // Whole pixels, so that neighbours neither overlap nor leave a gap.
          const [x, y] = [Math.round(left), Math.round(top)];
          ctx.fillRect(x, y, Math.max(1, Math.round(right) - x), Math.max(1, Math.round(bottom) - y));
        });
        ctx.restore();
      },
    };
  }

  function heat(id, run, range, most) {
    const all = cells(run.heat);
    const canvas = byId(id);
    const scales = { x: timeAxis(end), y: latencyAxis(true, range) };
    scales.x.grid = { display: false };
    scales.y.grid = { display: false };
    const chart = new Chart(canvas, {
      type: "scatter",
      data: { datasets: [] },
      options: { scales, plugins: { tooltip: { enabled: false } }, events: [] },
      plugins: [heatPlugin(all, most)],
    });
    theme(chart);
    chart.update("none");
    charts.push(chart);
    const place = byId(id + "-legend");
    place.append("1");
    element(place, "span", { class: "ramp", "aria-hidden": "true" });
    place.append(`${most.toLocaleString("en")} requests`);
    const output = element(place, "output", {});
    canvas.addEventListener("mousemove", (event) => {
      const x = chart.scales.x.getValueForPixel(event.offsetX);
      const y = chart.scales.y.getValueForPixel(event.offsetY);
      const cell = all.find((at) => x >= at.from && x < at.to && y >= at.low && y < at.high);
      output.textContent = cell
        ? `${seconds(cell.from)} to ${seconds(cell.to)} s, ${figure(cell.low)} to ` +
          `${figure(cell.high)} ms: ${cell.count.toLocaleString("en")} requests`
        : "";
    });
    canvas.addEventListener("mouseleave", () => {
      output.textContent = "";
    });
  }

  function heats() {
    const all = runs.flatMap((run) => cells(run.heat));
    const range = logRange(all.flatMap((cell) => [cell.low, cell.high]));
    const most = Math.max(...all.map((cell) => cell.count));
    runs.forEach((run, index) => {
      if (byId("heat-" + index)) {
        heat("heat-" + index, run, range, most);
      }
    });
  }

  // ---- page

  Object.assign(Chart.defaults, { animation: false, maintainAspectRatio: false });
  Object.assign(Chart.defaults.font, { family: getComputedStyle(document.body).fontFamily });
  Object.assign(Chart.defaults.interaction, { mode: "nearest", axis: "x", intersect: false });
  Object.assign(Chart.defaults.elements.line, { borderWidth: 2, tension: 0 });
  Object.assign(Chart.defaults.elements.point, { radius: 0, hoverRadius: 4, hitRadius: 8 });
  Chart.defaults.plugins.legend.display = false;
  Chart.defaults.datasets.line.spanGaps = false;

  function recolour() {
    charts.forEach((chart) => {
      theme(chart);
      chart.update("none");
    });
  }

  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  // Paper is white, whatever the screen is.
  window.addEventListener("beforeprint", () => {
    root.dataset.print = "";
    recolour();
  });
  window.addEventListener("afterprint", () => {
    delete root.dataset.print;
    recolour();
  });

  const parts = {
    curves,
    rates: single ? ratesOfOne : ratesOfSeveral,
    errors,
    percentiles,
    "heat-0": heats,
  };
  Object.entries(parts).forEach(([id, make]) => {
    if (byId(id)) {
      make();
    }
  });
  root.dataset.charts = charts.length;
})();
