package dev.redline.bench.local;

import dev.redline.core.RateLimitEngine;
import dev.redline.core.key.KeyField;
import dev.redline.core.key.RequestContext;
import dev.redline.core.memory.LocalStore;
import dev.redline.core.rule.RateLimitRule;
import dev.redline.core.rule.RuleBook;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Requests for a rule book of any size. Every rule has its own path and is keyed by client address.
 * The requests are spread over all rules; the number of buckets does not depend on the number of
 * rules.
 */
final class CheckPopulation implements KeyPopulation {
  private static final int RESOURCES = 20;

  private final LocalStore store = new LocalStore();
  private final RateLimitEngine engine;
  private final RequestContext[] requests;

  CheckPopulation(int rules, int requests, Mix mix) {
    List<RateLimitRule> book = new ArrayList<>(rules);
    for (int rule = 0; rule < rules; rule++) {
      book.add(
          RateLimitRule.builder()
              .id("rule-" + rule)
              .path(resource(rule) + "/**")
              .key(KeyField.ip())
              .addBand(RedlineStore.band(mix))
              .build());
    }
    this.engine =
        RateLimitEngine.builder(store).book(RuleBook.builder().rules(book).build()).build();
    this.requests = new RequestContext[requests];
    for (int i = 0; i < requests; i++) {
      this.requests[i] =
          RequestContext.builder()
              .path(resource(i % rules) + "/items/" + i)
              .method("GET")
              .clientIp(address(i))
              .build();
      engine.check(this.requests[i]);
    }
  }

  private static String resource(int rule) {
    return "/api/service-" + rule / RESOURCES + "/resource-" + rule % RESOURCES;
  }

  private static String address(int i) {
    return String.format(Locale.ROOT, "10.%d.%d.%d", (i >> 16) & 255, (i >> 8) & 255, i & 255);
  }

  @Override
  public Caller caller() {
    return i -> engine.check(requests[i]).allowed();
  }

  @Override
  public void close() {
    store.close();
  }
}
