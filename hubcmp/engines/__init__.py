"""Engines: one file per format that an engine, a benchmark tool or a harness prints. A shelf of readers of kind "benchmark".

They are the other half of `hubcmp.readers`, on a shelf of their own: whoever reads a config or a header loads none of them.
"""
