-- What check.lua needs of all the above: how its argument is read, and what is done for each op.
return read, {decide, decide, reset, correct, check_once, correct}
