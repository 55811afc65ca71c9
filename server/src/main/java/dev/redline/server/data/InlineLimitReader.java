package dev.redline.server.data;

import dev.redline.core.limit.RateLimitBand;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Parses the limits of a check that carries its own, written as in rule documents. */
@FunctionalInterface
public interface InlineLimitReader {
  /**
   * Returns the bands; of the two spellings at least one is given.
   *
   * @param limit the short spelling: a text or a list of texts; null if not given
   * @param bands the long spelling: a list of maps; null if not given
   * @throws IllegalArgumentException if they are invalid; the message names the field
   */
  List<RateLimitBand> read(@Nullable Object limit, @Nullable Object bands);
}
