/** The command line of {@code weir bench}; this module's commands are run and report. */
package dev.weir.bench;
