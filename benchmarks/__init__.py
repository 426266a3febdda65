"""What streamkit costs, beside a floor and beside its peers; `python -m benchmarks list` shows what is measured."""
