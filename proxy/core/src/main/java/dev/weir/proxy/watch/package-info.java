/**
 * Files that are followed while they are in use: when a content is new, and how often the new ones
 * were taken or rejected. What becomes of a content is known to whoever follows the files.
 */
package dev.weir.proxy.watch;
