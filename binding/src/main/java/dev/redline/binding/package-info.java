/**
 * The meaning of {@link dev.redline.core.RateLimit} on a method, without any framework.
 *
 * <p>{@link dev.redline.binding.CallPlans} turns a method into a {@link
 * dev.redline.binding.CallPlan}, once; the adapter of a framework runs it for every call:
 * condition, key, decision, then the method, its fallback or {@link
 * dev.redline.core.RateLimitExceededException}.
 *
 * <p><b>Limits in annotations are rules.</b> {@code @RateLimit("10/s")} is a rule of the engine
 * with the id of the annotation, in the set {@code annotations}: the rule book in force contains
 * it, {@code ratelimit.requests} counts it as {@code ruleset="annotations", rule=<id>}, and results
 * name it. It matches no request. This is the source {@code ANNOTATION} of {@code
 * rl.config.source}, the weakest one: a rule of the same id from any other source replaces limits,
 * cost, mode and policies of the annotation; key, tokens, condition and fallback stay. A limit in
 * the code is never dropped silently: it holds if the list of sources does not name {@code
 * ANNOTATION}, too, and {@code rl.annotations.enabled=false} switches it off. Plans are counted as
 * {@code ruleset="none", rule=<plan>}, and the rules of a rule set under their own names.
 */
@NullMarked
package dev.redline.binding;

import org.jspecify.annotations.NullMarked;
