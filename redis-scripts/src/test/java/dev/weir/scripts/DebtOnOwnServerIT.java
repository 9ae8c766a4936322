package dev.weir.scripts;

/** The same on the machine's own server, where it has one. */
class DebtOnOwnServerIT extends DebtIT {}
