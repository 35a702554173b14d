"""What draws the chapters' moving scenes and larger figures, called by each chapter with its own numbers."""
