package dev.redline.spring.boot.autoconfigure;

import dev.redline.core.RateLimitHandler;

/**
 * What decides for filters and annotated methods: the {@link RateLimitHandler} bean of the
 * application, else the engine. The engine is a handler itself, so a type of its own names the
 * choice.
 *
 * @param handler the handler
 */
public record ChosenHandler(RateLimitHandler handler) {}
