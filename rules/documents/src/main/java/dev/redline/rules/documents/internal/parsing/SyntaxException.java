package dev.redline.rules.documents.internal.parsing;

import java.util.Optional;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/** The text is no YAML; nothing after it can be read. */
public final class SyntaxException extends Exception {
  private static final long serialVersionUID = 1L;

  private final int line;

  SyntaxException(int line, String message) {
    super(message);
    this.line = line;
  }

  public int line() {
    return line;
  }

  /** Returns the message of the parser with a suggestion how to fix it. */
  static SyntaxException of(YamlEngineException e, String content) {
    if (e instanceof MarkedYamlEngineException marked) {
      return of(marked, content);
    }
    if (e instanceof ReaderException reader) {
      int end = content.offsetByCodePoints(0, Math.max(0, reader.getPosition()));
      int line = 1 + (int) content.substring(0, end).chars().filter(c -> c == '\n').count();
      String character = String.format("U+%04X", reader.getCodePoint());
      return new SyntaxException(line, "the character " + character + " is not allowed");
    }
    return new SyntaxException(1, firstLine(String.valueOf(e.getMessage())));
  }

  private static SyntaxException of(MarkedYamlEngineException e, String content) {
    Optional<Mark> mark = e.getProblemMark().or(e::getContextMark);
    int line = mark.map(Mark::getLine).orElse(0) + 1;
    String problem = firstLine(String.valueOf(e.getProblem()));
    String context = e.getContext() == null ? "" : firstLine(e.getContext());
    if (context.equals("while scanning an alias")) {
      int column = e.getContextMark().map(Mark::getColumn).orElse(0);
      String value = word(content, line, column);
      return new SyntaxException(
          line, "'" + value + "' unquoted starts a YAML alias; quote it: \"" + value + "\"");
    }
    String hint = "";
    if (problem.contains("but got {") || problem.contains("but got [")) {
      hint = "; inside {…} or […], quote a value that contains { } [ ] or ,";
    } else if (problem.startsWith("mapping values are not allowed")) {
      hint = "; check the indentation, and quote a value that contains ': '";
    } else if (problem.contains("cannot start any token") && !problem.contains("TAB")) {
      problem = problem.replaceFirst("\\. \\(Do not use.*", "");
      hint = "; quote it";
    }
    return new SyntaxException(
        line,
        "not valid YAML or JSON: " + (context.isEmpty() ? "" : context + ": ") + problem + hint);
  }

  /** Returns the text at a position, up to the next blank or bracket. */
  private static String word(String content, int line, int column) {
    String text = content.lines().skip(line - 1L).findFirst().orElse("");
    int start = Math.min(column, text.length());
    int end = start;
    while (end < text.length() && " \t,]}".indexOf(text.charAt(end)) < 0) {
      end++;
    }
    return text.substring(start, end);
  }

  private static String firstLine(String text) {
    return text.lines().findFirst().orElse("");
  }
}
