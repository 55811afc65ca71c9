/** The store {@code JDBC}: bucket state in PostgreSQL. */
@NullMarked
package dev.redline.stores.jdbc;

import org.jspecify.annotations.NullMarked;
