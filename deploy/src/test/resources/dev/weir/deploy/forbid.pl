# Runs a command to which the kernel refuses something, as a container's seccomp profile does:
#   perl forbid.pl io_uring|ipv6 COMMAND...
# Needs no rights. Linux on x86-64.
use strict;
use warnings;

use constant { PRCTL => 157, SET_NO_NEW_PRIVS => 38, SET_SECCOMP => 22, FILTER => 2 };
use constant { LOAD => 0x20, JUMP_IF_EQUAL => 0x15, RETURN => 0x06 };
use constant { ALLOW => 0x7fff0000, FAIL => 0x00050000, X86_64 => 0xc000003e };
# Offsets in struct seccomp_data.
use constant { NUMBER => 0, ARCHITECTURE => 4, FIRST_ARGUMENT => 16 };
use constant { SOCKET => 41, AF_INET6 => 10, EPERM => 1, EAFNOSUPPORT => 97 };

sub op { my ($code, $value, $if, $else) = @_; return pack('SCCL', $code, $if // 0, $else // 0, $value) }

my %filters = (
  # io_uring_setup, _enter and _register.
  io_uring => [
    op(JUMP_IF_EQUAL, 425, 2), op(JUMP_IF_EQUAL, 426, 1), op(JUMP_IF_EQUAL, 427, 0, 1),
    op(RETURN, FAIL | EPERM), op(RETURN, ALLOW),
  ],
  ipv6 => [
    op(JUMP_IF_EQUAL, SOCKET, 0, 3), op(LOAD, FIRST_ARGUMENT), op(JUMP_IF_EQUAL, AF_INET6, 0, 1),
    op(RETURN, FAIL | EAFNOSUPPORT), op(RETURN, ALLOW),
  ],
);
my $filter = $filters{shift // ''} or die "forbid.pl: what? (expected: " . join(' or ', sort keys %filters) . ")\n";
my @program = (
  op(LOAD, ARCHITECTURE), op(JUMP_IF_EQUAL, X86_64, 1, 0), op(RETURN, ALLOW), op(LOAD, NUMBER), @$filter,
);
my $instructions = join '', @program;
my $program = pack('S x![P] P', scalar @program, $instructions);
syscall(PRCTL, SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 or die "no_new_privs: $!\n";
syscall(PRCTL, SET_SECCOMP, FILTER, $program, 0, 0) == 0 or die "seccomp: $!\n";
exec { $ARGV[0] } @ARGV or die "$ARGV[0]: $!\n";
