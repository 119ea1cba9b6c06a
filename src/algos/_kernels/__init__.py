"""C++ hot loops behind checks of everything they are given."""
