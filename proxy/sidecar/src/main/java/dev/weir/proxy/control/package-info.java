/**
 * The sources of settings and rules: flags ({@link dev.weir.proxy.control.SettingsFlags}), a YAML
 * file ({@link dev.weir.proxy.control.SettingsFile}) and changes to that file while we run ({@link
 * dev.weir.proxy.control.RuleReload}). Faults are values, collected in {@link
 * dev.weir.proxy.control.Faults} and told all at once; what to do about them is the caller's.
 */
package dev.weir.proxy.control;
