"""Families: one file per drafter architecture, mostly data: how it names, freezes and shares its tensors."""
