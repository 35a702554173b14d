"""Generated calls of everything public: a right answer, or an error that names the argument that was given wrong."""
