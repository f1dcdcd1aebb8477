// Nothing to call: what is linked replaces a function of the standard library.
