"""One module per group of commands. Every public function is a command of `isarstep`; no module imports them."""
