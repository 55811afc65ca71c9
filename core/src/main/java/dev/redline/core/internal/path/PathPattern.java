package dev.redline.core.internal.path;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A pattern over normalised paths: exact segments, {@code ?} and {@code *} within a segment, {@code
 * {name}} for one segment, {@code **} or {@code {*name}} for any depth as first or last segment.
 *
 * <p>Case-sensitive; a trailing slash is ignored; {@code /api/**} matches {@code /api}. Immutable.
 */
public final class PathPattern {
  /** One segment of a pattern. */
  sealed interface Segment permits Literal, Wild, One, Rest {}

  /** An exact segment. */
  record Literal(String text) implements Segment {}

  /** A segment with {@code ?} or {@code *} in it. */
  record Wild(Glob glob) implements Segment {}

  /** Any one segment; the name is empty for {@code *}. */
  record One(String name) implements Segment {}

  /** Any number of segments, none included; the name is empty for {@code **}. */
  record Rest(String name) implements Segment {}

  private static final Pattern ESCAPE = Pattern.compile("%(?!3F|23)[0-9A-Fa-f]{2}");

  private final String text;
  private final List<Segment> segments;

  private PathPattern(String text, List<Segment> segments) {
    this.text = text;
    this.segments = segments;
  }

  /** Returns the pattern, or throws an {@link IllegalArgumentException} that says what is wrong. */
  public static PathPattern parse(String text) {
    if (!text.startsWith("/")) {
      throw bad(text, "it must start with '/'");
    }
    List<Segment> segments = new ArrayList<>();
    Set<String> names = new HashSet<>();
    String[] parts = text.substring(1).split("/", -1);
    int count = parts.length;
    if (parts[count - 1].isEmpty()) {
      count--;
    }
    for (int i = 0; i < count; i++) {
      Segment segment = segment(text, parts[i]);
      if (segment instanceof Rest && i > 0 && i < count - 1) {
        throw bad(text, "'" + parts[i] + "' may only be the first or the last segment");
      }
      String name = name(segment);
      if (!name.isEmpty() && !names.add(name)) {
        throw bad(text, "the variable '" + name + "' is used twice");
      }
      segments.add(segment);
    }
    return new PathPattern(text, List.copyOf(segments));
  }

  private static String name(Segment segment) {
    if (segment instanceof One one) {
      return one.name();
    }
    return segment instanceof Rest rest ? rest.name() : "";
  }

  private static Segment segment(String text, String part) {
    if (part.isEmpty()) {
      throw bad(text, "it has an empty segment");
    }
    if (part.equals(".") || part.equals("..")) {
      throw bad(text, "'" + part + "' never stands in a normalised path");
    }
    if (part.equals("**")) {
      return new Rest("");
    }
    if (part.equals("*")) {
      return new One("");
    }
    if (part.startsWith("{*") && part.endsWith("}")) {
      return new Rest(variableName(text, part.substring(2, part.length() - 1)));
    }
    if (part.startsWith("{") && part.endsWith("}")) {
      return new One(variableName(text, part.substring(1, part.length() - 1)));
    }
    if (part.indexOf('{') >= 0 || part.indexOf('}') >= 0) {
      throw bad(text, "'" + part + "': a {name} must be a whole segment");
    }
    if (part.contains("**")) {
      throw bad(text, "'" + part + "': '**' must be a whole segment");
    }
    if (part.indexOf('#') >= 0) {
      throw bad(text, "'" + part + "': a hash is written %23");
    }
    if (part.indexOf('\\') >= 0 || part.indexOf(';') >= 0 || ESCAPE.matcher(part).find()) {
      throw bad(
          text, "'" + part + "' never stands in a normalised path; write it without \\, ; or %XX");
    }
    return Glob.hasWildcards(part) ? new Wild(new Glob(part)) : new Literal(part);
  }

  private static String variableName(String text, String name) {
    boolean valid = !name.isEmpty() && Character.isJavaIdentifierStart(name.charAt(0));
    for (int i = 0; i < name.length(); i++) {
      valid &= Character.isJavaIdentifierPart(name.charAt(i)) || name.charAt(i) == '-';
    }
    if (!valid) {
      throw bad(
          text,
          "'{" + name + "}' is not a variable; use {name} or {*name}, regex is not supported");
    }
    return name;
  }

  private static IllegalArgumentException bad(String text, String why) {
    return new IllegalArgumentException("bad path pattern '" + text + "': " + why);
  }

  /** Returns the pattern as it was written. */
  public String text() {
    return text;
  }

  List<Segment> segments() {
    return segments;
  }

  /** Returns the names of the pattern's variables. */
  public Set<String> variables() {
    Set<String> names = new HashSet<>();
    for (Segment segment : segments) {
      if (!name(segment).isEmpty()) {
        names.add(name(segment));
      }
    }
    return names;
  }

  /**
   * Returns whether the last segment is a lone {@code *}, which people write meaning {@code **}.
   */
  public boolean endsInOneSegmentWildcard() {
    return !segments.isEmpty()
        && segments.get(segments.size() - 1) instanceof One last
        && last.name().isEmpty();
  }

  /** Returns whether every path matches. */
  public boolean matchesEverything() {
    return !segments.isEmpty() && segments.stream().allMatch(Rest.class::isInstance);
  }

  /**
   * Returns whether every path that matches {@code other} surely matches this pattern too. A yes is
   * certain; a no may be an unrecognised yes where segments with wildcards meet.
   */
  public boolean covers(PathPattern other) {
    if (matchesEverything()) {
      return true;
    }
    List<Segment> mine = fixedSegments();
    List<Segment> theirs = other.fixedSegments();
    if ((!startsOpen() && other.startsOpen()) || (!endsOpen() && other.endsOpen())) {
      return false;
    }
    int spare = theirs.size() - mine.size();
    int latest = startsOpen() ? spare : Math.min(spare, 0);
    for (int start = endsOpen() ? 0 : spare; start >= 0 && start <= latest; start++) {
      if (covers(mine, theirs.subList(start, start + mine.size()))) {
        return true;
      }
    }
    return false;
  }

  private static boolean covers(List<Segment> mine, List<Segment> theirs) {
    for (int i = 0; i < mine.size(); i++) {
      Segment segment = mine.get(i);
      boolean covered =
          segment instanceof One
              || segment.equals(theirs.get(i))
              || (segment instanceof Wild wild
                  && theirs.get(i) instanceof Literal literal
                  && wild.glob().matches(literal.text()));
      if (!covered) {
        return false;
      }
    }
    return true;
  }

  private boolean startsOpen() {
    return !segments.isEmpty() && segments.get(0) instanceof Rest;
  }

  private boolean endsOpen() {
    return !segments.isEmpty() && segments.get(segments.size() - 1) instanceof Rest;
  }

  private List<Segment> fixedSegments() {
    return segments.stream().filter(segment -> !(segment instanceof Rest)).toList();
  }

  /** Returns whether a normalised path matches. */
  public boolean matches(String normalizedPath) {
    return bind(normalizedPath, null) != null;
  }

  /**
   * Returns the value of a variable in a normalised path, or null if the path does not match or the
   * pattern has no such variable.
   */
  public @Nullable String variable(String normalizedPath, String name) {
    String value = bind(normalizedPath, name);
    return value == null || value.isEmpty() ? null : value;
  }

  /**
   * Returns null if the path does not match, else the value of the variable, or "" if it has none.
   */
  private @Nullable String bind(String path, @Nullable String name) {
    List<String> parts = path.equals("/") ? List.of() : List.of(path.substring(1).split("/", -1));
    int first = !segments.isEmpty() && segments.get(0) instanceof Rest ? 1 : 0;
    boolean openEnd = segments.size() > first && segments.get(segments.size() - 1) instanceof Rest;
    int last = segments.size() - (openEnd ? 1 : 0);
    int fixed = last - first;
    if (parts.size() < fixed || (first == 0 && !openEnd && parts.size() != fixed)) {
      return null;
    }
    int latest = first == 0 ? 0 : parts.size() - fixed;
    int earliest = first == 1 && !openEnd ? latest : 0;
    for (int start = earliest; start <= latest; start++) {
      if (fits(parts, start, first, last)) {
        return name == null ? "" : value(parts, start, first, last, name);
      }
    }
    return null;
  }

  private boolean fits(List<String> parts, int start, int first, int last) {
    for (int i = first; i < last; i++) {
      String part = parts.get(start + i - first);
      Segment segment = segments.get(i);
      if (segment instanceof Literal literal && !literal.text().equals(part)) {
        return false;
      }
      if (segment instanceof Wild wild && !wild.glob().matches(part)) {
        return false;
      }
    }
    return true;
  }

  private String value(List<String> parts, int start, int first, int last, String name) {
    for (int i = 0; i < segments.size(); i++) {
      if (!Objects.equals(name(segments.get(i)), name)) {
        continue;
      }
      if (segments.get(i) instanceof One) {
        return parts.get(start + i - first);
      }
      List<String> rest =
          i < first ? parts.subList(0, start) : parts.subList(start + last - first, parts.size());
      return rest.isEmpty() ? "" : "/" + String.join("/", rest);
    }
    return "";
  }

  @Override
  public boolean equals(Object o) {
    return o instanceof PathPattern other && segments.equals(other.segments);
  }

  @Override
  public int hashCode() {
    return segments.hashCode();
  }

  @Override
  public String toString() {
    return text;
  }
}
