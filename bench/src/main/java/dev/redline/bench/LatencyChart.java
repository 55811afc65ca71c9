package dev.redline.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * An SVG chart of latencies by percentile, as HdrHistogram draws them: both axes are logarithmic,
 * the horizontal one by the number of nines.
 */
public final class LatencyChart {
  private static final int WIDTH = 900;
  private static final int HEIGHT = 520;
  private static final int LEFT = 80;
  private static final int RIGHT = 260;
  private static final int TOP = 50;
  private static final int BOTTOM = 60;
  private static final double MAX_NINES = 4;
  private static final int STEPS = 160;
  private static final List<String> COLORS =
      List.of("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf");
  private static final Map<Double, String> PERCENTILES =
      new TreeMap<>(Map.of(0.0, "0", 1.0, "90 %", 2.0, "99 %", 3.0, "99.9 %", 4.0, "99.99 %"));

  private record Line(String name, Histogram latencies) {}

  private final String title;
  private final List<Line> lines = new ArrayList<>();

  /** Creates an empty chart. */
  public LatencyChart(String title) {
    this.title = title;
  }

  /** Adds a line; the values are nanoseconds. */
  public void add(String name, Histogram latencies) {
    lines.add(new Line(name, latencies));
  }

  /** Returns the text of an SVG file. */
  public String svg() {
    double least = 1e9;
    double most = 0.1;
    for (Line line : lines) {
      least = Math.min(least, millis(line, 0));
      most = Math.max(most, millis(line, MAX_NINES));
    }
    int low = (int) Math.floor(Math.log10(Math.max(0.001, least)));
    int high = Math.max(low + 1, (int) Math.ceil(Math.log10(most)));
    StringBuilder svg = new StringBuilder();
    append(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\""
            + " font-family=\"sans-serif\" font-size=\"12\">%n",
        WIDTH,
        HEIGHT);
    append(svg, "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>%n");
    append(svg, "<text x=\"%d\" y=\"28\" font-size=\"16\">%s</text>%n", LEFT, escaped(title));
    for (int power = low; power <= high; power++) {
      double y = y(power, low, high);
      append(
          svg,
          "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#ddd\"/>%n",
          LEFT,
          WIDTH - RIGHT,
          y,
          y);
      append(
          svg,
          "<text x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s ms</text>%n",
          LEFT - 8,
          y + 4,
          power >= 0
              ? String.format(Locale.ROOT, "%.0f", Math.pow(10, power))
              : "0." + "0".repeat(-power - 1) + "1");
    }
    PERCENTILES.forEach(
        (nines, label) -> {
          append(
              svg,
              "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#ddd\"/>%n",
              x(nines),
              x(nines),
              TOP,
              HEIGHT - BOTTOM);
          append(
              svg,
              "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>%n",
              x(nines),
              HEIGHT - BOTTOM + 20,
              label);
        });
    for (int i = 0; i < lines.size(); i++) {
      drawLine(svg, lines.get(i), i, low, high);
    }
    return svg.append("</svg>\n").toString();
  }

  private static void drawLine(StringBuilder svg, Line line, int number, int low, int high) {
    String color = COLORS.get(number % COLORS.size());
    StringBuilder points = new StringBuilder();
    for (int step = 0; step <= STEPS; step++) {
      double nines = MAX_NINES * step / STEPS;
      append(points, "%.1f,%.1f ", x(nines), y(Math.log10(millis(line, nines)), low, high));
    }
    append(
        svg,
        "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" points=\"%s\"/>%n",
        color,
        points.toString().strip());
    int y = TOP + 20 + 22 * number;
    append(
        svg,
        "<rect x=\"%d\" y=\"%d\" width=\"14\" height=\"4\" fill=\"%s\"/>%n",
        WIDTH - RIGHT + 14,
        y - 6,
        color);
    append(svg, "<text x=\"%d\" y=\"%d\">%s</text>%n", WIDTH - RIGHT + 34, y, escaped(line.name));
  }

  private static double millis(Line line, double nines) {
    double percentile = 100 * (1 - Math.pow(10, -nines));
    return Math.max(0.001, line.latencies.getValueAtPercentile(percentile) / 1e6);
  }

  private static double x(double nines) {
    return LEFT + (WIDTH - LEFT - RIGHT) * nines / MAX_NINES;
  }

  private static double y(double power, int low, int high) {
    double part = (Math.min(high, Math.max(low, power)) - low) / (high - low);
    return HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * part;
  }

  private static void append(StringBuilder to, String format, Object... values) {
    to.append(String.format(Locale.ROOT, format, values));
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
  }
}
