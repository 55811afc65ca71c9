package dev.redline.application;

/**
 * Where filters or interceptors of Redline are among others of a framework, unless a property says
 * otherwise.
 *
 * @param value the order
 * @param description what the order is compared with, for the documentation of the property
 */
public record DefaultOrder(int value, String description) {}
