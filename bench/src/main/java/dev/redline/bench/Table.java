package dev.redline.bench;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;

/** A plain-text table in Markdown syntax, ready to be pasted into a document. */
public final class Table {
  private final List<String> header;
  private final List<List<String>> rows = new ArrayList<>();

  /** Creates a table with a column per heading; the first column is aligned left. */
  public Table(List<String> header) {
    this.header = List.copyOf(header);
  }

  /** Adds a row of as many cells as there are headings. */
  public void add(List<String> row) {
    if (row.size() != header.size()) {
      throw new IllegalArgumentException(
          "a row needs " + header.size() + " cells, had " + row.size());
    }
    rows.add(List.copyOf(row));
  }

  /** Prints the table. */
  public void print(PrintStream out) {
    int[] widths = new int[header.size()];
    for (int column = 0; column < widths.length; column++) {
      widths[column] = header.get(column).length();
      for (List<String> row : rows) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    line(out, header, widths);
    StringBuilder rule = new StringBuilder("|");
    for (int column = 0; column < widths.length; column++) {
      String dashes = "-".repeat(widths[column]);
      rule.append(column == 0 ? ":" + dashes + "-|" : "-" + dashes + ":|");
    }
    out.println(rule);
    rows.forEach(row -> line(out, row, widths));
  }

  private static void line(PrintStream out, List<String> cells, int[] widths) {
    StringBuilder line = new StringBuilder("|");
    for (int column = 0; column < widths.length; column++) {
      String padding = " ".repeat(widths[column] - cells.get(column).length());
      String cell = cells.get(column);
      line.append(' ').append(column == 0 ? cell + padding : padding + cell).append(" |");
    }
    out.println(line);
  }
}
