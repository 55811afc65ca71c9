package dev.redline.client.internal;

import dev.redline.core.LimitCheck;
import dev.redline.core.LimitCheck.CallLimit;
import dev.redline.core.OversizedRequestException;
import dev.redline.core.internal.http.JsonText;
import dev.redline.core.key.RequestContext;
import dev.redline.core.limit.RateLimitBand;
import dev.redline.core.limit.RateLimitBand.Algorithm;
import dev.redline.core.limit.RateLimitBand.Refill;
import dev.redline.core.rule.Action;
import dev.redline.core.rule.Mode;
import dev.redline.core.rule.RateLimitRule;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Writes checks as items of {@code POST /v1/check/batch}. */
final class CheckWriter {
  /** How many header fields, and values of each, the server accepts in a described request. */
  private static final int MAX_ENTRIES = 1000;

  private static final int MAX_VALUES = 100;

  private final StringBuilder out = new StringBuilder(160).append('{');

  private CheckWriter() {}

  /**
   * Returns the JSON object of a check.
   *
   * @throws OversizedRequestException if its request has more header fields than the server accepts
   * @throws IllegalArgumentException if the server has no form for it
   */
  static String write(LimitCheck check, boolean dryRun) {
    CheckWriter writer = new CheckWriter();
    if (check instanceof LimitCheck.OfRequest ofRequest) {
      if (!ofRequest.except().isEmpty()) {
        writer.texts("exceptRuleSets", ofRequest.except().stream().sorted().toList());
      }
      writer.request(ofRequest.ruleSetId(), ofRequest.request(), ofRequest.request().cost());
    } else if (check instanceof LimitCheck.OfRule ofRule) {
      writer.rule(ofRule.ruleId(), ofRule.identity(), ofRule.limits().orElse(List.of()));
      writer.cost(ofRule.cost());
    } else if (check instanceof LimitCheck.OfPlans ofPlans) {
      writer.plans(ofPlans.plans(), ofPlans.key(), ofPlans.cost());
    } else {
      writer.limits((LimitCheck.OfLimits) check);
    }
    if (dryRun) {
      writer.out.append(",\"dryRun\":true");
    }
    return writer.out.append('}').toString();
  }

  private void limits(LimitCheck.OfLimits check) {
    CallLimit first = check.limits().get(0);
    if (first instanceof CallLimit.OfPlan ofPlan
        && check.limits().stream().allMatch(other -> isAlike(ofPlan, other))) {
      List<String> plans =
          check.limits().stream().map(limit -> ((CallLimit.OfPlan) limit).plan()).toList();
      plans(plans, ofPlan.identity(), ofPlan.cost());
    } else if (check.limits().size() > 1) {
      throw new IllegalArgumentException(
          "a Redline server decides several limits of one call only if they are plans with the same"
              + " key and tokens; use rl.handler=EMBEDDED, or one limit");
    } else if (first instanceof CallLimit.OfRule ofRule) {
      RateLimitRule rule = ofRule.rule();
      checkSendable(rule);
      rule(rule.id(), List.of(ofRule.identity()), rule.bands());
      cost(product(rule.cost(), ofRule.cost()));
    } else if (first instanceof CallLimit.OfRuleSet ofRuleSet) {
      request(
          Optional.of(ofRuleSet.ruleSetId()),
          check.request(),
          product(check.request().cost(), ofRuleSet.cost()));
    }
  }

  private static boolean isAlike(CallLimit.OfPlan first, CallLimit other) {
    return other instanceof CallLimit.OfPlan plan
        && plan.identity().equals(first.identity())
        && plan.cost() == first.cost();
  }

  /** Rejects a declared rule that is more than its limits, which are all that is sent. */
  private static void checkSendable(RateLimitRule rule) {
    if (rule.bands().isEmpty()
        || !rule.plans().isEmpty()
        || rule.action() != Action.LIMIT
        || rule.mode() != Mode.ENFORCE
        || !rule.enabled()) {
      throw new IllegalArgumentException(
          "rule '" + rule.id() + "': a Redline server takes enforced limits from its callers only");
    }
  }

  private static long product(long a, long b) {
    return Math.multiplyHigh(a, b) != 0 || a * b > RateLimitBand.MAX_TOKENS || a * b < 0
        ? RateLimitBand.MAX_TOKENS
        : a * b;
  }

  private void request(Optional<String> ruleSetId, RequestContext request, long cost) {
    ruleSetId.ifPresent(id -> text("ruleSetId", id));
    name("request").append('{');
    text("path", request.pathOrNull());
    text("method", request.methodOrNull());
    text("clientIp", request.clientIpOrNull());
    text("userId", request.userIdOrNull());
    text("apiKey", request.apiKeyOrNull());
    if (!request.headerNames().isEmpty()) {
      if (request.headerNames().size() > MAX_ENTRIES) {
        throw new OversizedRequestException(
            "a request must have at most " + MAX_ENTRIES + " header fields");
      }
      name("headers").append('{');
      request.headerNames().forEach(header -> header(header, request.headerValues(header)));
      out.append('}');
    }
    Map<String, String> attributes = request.attributes();
    if (!attributes.isEmpty()) {
      name("attributes").append('{');
      attributes.forEach(this::text);
      out.append('}');
    }
    out.append('}');
    cost(cost);
  }

  private void header(String name, List<String> values) {
    if (values.size() == 1) {
      text(name, values.get(0));
    } else if (values.size() > MAX_VALUES) {
      throw new OversizedRequestException(
          "a header field must have at most " + MAX_VALUES + " values");
    } else {
      texts(name, values);
    }
  }

  private void rule(String ruleId, List<String> identity, List<RateLimitBand> bands) {
    text("ruleId", ruleId);
    if (!identity.isEmpty()) {
      texts("identity", identity);
    }
    if (!bands.isEmpty()) {
      name("bands").append('[');
      for (RateLimitBand band : bands) {
        separate('[').append('{');
        band(band);
        out.append('}');
      }
      out.append(']');
    }
  }

  private void band(RateLimitBand band) {
    text("label", band.label().orElse(null));
    name("capacity").append(band.capacity());
    if (band.algorithm() != Algorithm.TOKEN_BUCKET) {
      text("algorithm", band.algorithm().name());
      text("window", band.period().toString());
      return;
    }
    name("refillTokens").append(band.refillTokens());
    text("refillPeriod", band.period().toString());
    if (band.refill() != Refill.CONTINUOUS) {
      text("refill", band.refill().name());
    }
  }

  private void plans(List<String> plans, String key, long cost) {
    texts("plans", plans);
    text("key", key);
    cost(cost);
  }

  private void cost(long cost) {
    if (cost != 1) {
      name("cost").append(cost);
    }
  }

  private void text(String name, @Nullable String value) {
    if (value != null) {
      JsonText.quote(name(name), value);
    }
  }

  private void texts(String name, List<String> values) {
    name(name).append('[');
    for (String value : values) {
      JsonText.quote(separate('['), value);
    }
    out.append(']');
  }

  private StringBuilder name(String name) {
    return JsonText.quote(separate('{'), name).append(':');
  }

  /** Appends a comma, unless the object or array has just begun. */
  private StringBuilder separate(char opening) {
    return out.charAt(out.length() - 1) == opening ? out : out.append(',');
  }
}
