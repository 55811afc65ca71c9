/** The filter of servlet applications in all frameworks: requests, responses and limits. */
@NullMarked
package dev.redline.binding.servlet;

import org.jspecify.annotations.NullMarked;
