/** The admin API on the management port: rules that are changed while the service runs. */
@NullMarked
package dev.redline.server.admin;

import org.jspecify.annotations.NullMarked;
