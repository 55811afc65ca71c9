package dev.redline.rules.documents;

import java.util.List;

/** Documents for the tests of the reader and of the JSON Schema. */
public final class Samples {
  /** A document in the short and the long form. */
  public static final String COMPLETE =
      """
      version: 1
      plans:
        - { id: gold, limit: 1/s burst 9 }
        - id: daily
          algorithm: SLIDING_WINDOW
          bands: [{ capacity: 10000, window: 24h }]
      rules:                                  # of the rule set "default"
        - { id: per-ip, path: /api/**, key: ip, limit: [10/s, 100/m, 1000/h] }
        - { id: health, path: /health/**, action: ALLOW, priority: 100 }
      ruleSets:
        - id: api-limits
          rules:
            - id: per-tenant
              path: /api/**
              method: GET
              limitScope: COMPOSITE
              compositeKeyFields: [ip, "header:X-Tenant-Id"]
              bands:
                - { label: per-second, capacity: 10,  refillTokens: 10,  refillPeriod: 1s }
                - { label: per-minute, capacity: 100, refillTokens: 100, refillPeriod: 1m }
              priority: 10
              onLimitExceed: REJECT
              metadata: { tier: premium }
      """;

  /** Documents that are valid. */
  public static final List<String> GOOD =
      List.of(
          COMPLETE,
          "[]",
          "rules: []",
          "{\"plans\": [], \"rules\": null}",
          "ruleSets: [{ _id: s, rules: [] }, { id: t }]",
          "{ $schema: x, x-a: [1], version: 2.0, rules: [] }",
          "- { id: 42, limit: 1/s }",
          "- { id: a, limit: ' 10 / PT1S BURST 5 ' }",
          """
          - id: every-alias
            paths: [/a, "/{id}/**"]
            methods: [get, POST]
            match:
              headers: { X-A: 010, X-B: null }
              attributes: { t: "*" }
              clientIps: 10.0.0.0/8
              userIds: [u1, 7]
            key: ["path:id", user_id, " header : X-T"]
            missingIdentity: use-ip
            algorithm: token_bucket
            limit: [1/s]
            bands:
              - { label: x, limit: 5, windowMs: 1000, burst: 5, refill: continuous }
              - { label: y, capacity: 1, refillTokensPerSecond: 0.5 }
              - { label: z, capacity: 1, refillSeconds: 0.5, algorithm: Fixed-Window }
              - { limit: 7/m }
            cost: 1e3
            priority: -5
            final: true
            enabled: false
            mode: Shadow
            onLimitExceed: reject_request
            onStoreFailure: fail-open
            attributes: { anything: [1, { goes: null }] }
            createdAt: 2024-05-01
            updatedAt: 1763230059412
          """,
          "- { id: a, limitScope: per-user, compositeKeyFields: [], plan: [], limit: 1/s }",
          "- { id: a, compositeKeyFields: ip, limit: 1/s }",
          "- { id: a, action: Deny, bands: [], plans: [], limit: [] }",
          """
          - id: "${ID:a}"
            path: "${PATH_PREFIX:/x}/y"
            key: "${KEY:ip}"
            bands: [{ capacity: "${CAPACITY:5}", refillPeriod: "${PERIOD:1s}", refill: "${R:INTERVAL}" }]
            cost: "${COST:2}"
            enabled: "${ON:true}"
            mode: "${MODE:SHADOW}"
            limit: "${RATE:5}/s"
          """,
          """
          - { id: a, limit: null, path: null, key: null, match: null, mode: null, cost: null,
              stop: null, metadata: null, plan: null, action: null, limitScope: null,
              bands: [{ label: null, capacity: 1, window: 1s, limit: null, burst: null, refill: null,
                        algorithm: null, refillPeriod: null, windowMs: null }] }
          """);

  /** Documents whose mistake an editor must show too. */
  public static final List<String> BAD_IN_EDITORS =
      List.of(
          "version: 1",
          "rulez: []",
          "rules: {}",
          "rules: [1]",
          "- { limit: 1/s }",
          "- { id: a b, limit: 1/s }",
          "- { id: a, limt: 1/s }",
          "- { id: a, limit: 10 }",
          "- { id: a, limit: 10/parsec }",
          "- { id: a, limit: 1/s, priority: high }",
          "- { id: a, limit: 1/s, enabled: yes }",
          "- { id: a, limit: 1/s, action: LIMITS }",
          "- { id: a, limit: 1/s, mode: GHOST }",
          "- { id: a, limit: 1/s, onStoreFailure: MAYBE }",
          "- { id: a, limit: 1/s, limitScope: PLANET }",
          "- { id: a, limit: 1/s, key: planet }",
          "- { id: a, limit: 1/s, key: [] }",
          "- { id: a, limit: 1/s, path: api }",
          "- { id: a, limit: 1/s, match: { header: { a: b } } }",
          "- { id: a, limit: 1/s, metadata: 3 }",
          "- { id: a, limit: 1/s, cost: 0 }",
          "- { id: a, bands: [{ capacity: 0, window: 1s }] }",
          "- { id: a, bands: [{ capacity: 1, window: 60 }] }",
          "- { id: a, bands: [{ capacity: 1, window: soon }] }",
          "- { id: a, bands: [{ capacity: '1', window: 1s }] }",
          "- { id: a, bands: [{ capcity: 1, window: 1s }] }",
          "- { id: a, bands: [{ window: 1s }] }",
          "- { id: a, bands: [{ capacity: 1, window: 1s, algorithm: LEAKY }] }",
          "plans: [{ id: a }]",
          "plans: [{ limit: 1/s }]",
          "ruleSets: [{ rules: [] }]");

  private Samples() {}
}
