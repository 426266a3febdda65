"""streamkit: the bytes of any LLM provider's stream in, normalised deltas and complete messages out."""
