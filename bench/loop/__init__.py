"""The loop's benchmark: the product's engine over a corpus, asked of a model that fails to order.

``docs/developers/benchmark.md`` says what it measures and how to read it.
"""
