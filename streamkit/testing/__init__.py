"""What tests of programs that use streamkit need: recorded and scripted streams, cut and spoilt, served for real."""
