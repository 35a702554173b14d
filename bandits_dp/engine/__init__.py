"""The engine: whoever stands between learners and users, live or simulated, and all that makes it fast or safe."""
