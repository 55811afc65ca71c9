package dev.redline.assembly;

import dev.redline.core.EngineSettings.MissingRules;
import dev.redline.core.spi.PropertyReader;
import dev.redline.core.spi.RuleSourceFactory;
import java.util.List;
import java.util.Optional;

/** What happens without rules, where a source has a property of its own for it. */
final class FailPolicy {
  private FailPolicy() {}

  /** Returns the policy of the chosen sources, the strictest one; empty if none is set. */
  static Optional<MissingRules> read(
      PropertyReader from, List<RuleSourceFactory> factories, List<String> chosen) {
    Optional<MissingRules> strictest = Optional.empty();
    for (RuleSourceFactory factory : factories) {
      if (factory.failPolicy().isEmpty()) {
        continue;
      }
      Optional<MissingRules> policy =
          from.property(
                  factory.failPolicy().get(),
                  "what happens while no good document was ever loaded: `ALLOW` (alias `fail-open`)"
                      + " or `REJECT` (alias `fail-closed`)")
              .unlessSet("`rl.missing-rule-behavior`")
              .parsed("use one of ALLOW, REJECT, fail-open, fail-closed", FailPolicy::parse);
      boolean counts = chosen.contains(factory.name()) && policy.isPresent();
      if (counts && !strictest.equals(Optional.of(MissingRules.REJECT))) {
        strictest = policy;
      }
    }
    return strictest;
  }

  private static MissingRules parse(String text) {
    return switch (Plugins.fold(text)) {
      case "allow", "failopen" -> MissingRules.ALLOW;
      case "reject", "failclosed" -> MissingRules.REJECT;
      default -> throw new IllegalArgumentException(text);
    };
  }
}
