/**
 * How files are followed while they are in use: a thread that looks at them again and again, and
 * when what it finds counts as new. What becomes of a new content, whoever follows the files knows.
 */
package dev.weir.proxy.watch;
