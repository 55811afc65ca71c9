/** The admin API on the management port: changes rules and resets buckets of a running service. */
@NullMarked
package dev.redline.server.admin;

import org.jspecify.annotations.NullMarked;
