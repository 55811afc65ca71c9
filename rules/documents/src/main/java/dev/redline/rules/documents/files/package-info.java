/** Rule documents in files, and the rule repository under the data directory. */
@NullMarked
package dev.redline.rules.documents.files;

import org.jspecify.annotations.NullMarked;
