/**
 * Records of one node, in a folder. The audit is the log: a change is one line, or several,
 * appended to {@code audit-DATE.jsonl} and forced to the disk; so nothing is changed that is not
 * audited. {@code records.jsonl} is what all records were at one entry of the audit; it is written
 * anew, and renamed, when as much was appended as it is long. At a start it is read, and the
 * entries that follow it.
 *
 * <p>Rules are kept in memory, of users only where their lines are ({@link
 * dev.weir.proxy.records.file.UserIndex}): a million take 32 MiB.
 */
package dev.weir.proxy.records.file;
